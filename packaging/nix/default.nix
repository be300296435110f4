# SPDX-License-Identifier: MIT
# The tree that this file lies in, in place of nixpkgs' libuv:
#   nix-build packaging/nix
# or in an overlay: final: prev: { libuv = final.callPackage ./packaging/nix/package.nix { }; }
{ pkgs ? import <nixpkgs> { } }:
pkgs.callPackage ./package.nix { }
