# SPDX-License-Identifier: MIT
{ lib, stdenv, cmake, python3 }:

stdenv.mkDerivation {
  pname = "blacklight-uv";
  version = "0.9.0";
  src = lib.cleanSource ../..;

  outputs = [ "out" "dev" "man" ];
  nativeBuildInputs = [ cmake python3 ];
  cmakeFlags = [ "-DBUILD_TESTING=OFF" ];

  meta = {
    description = "Independent implementation of libuv's interface";
    license = lib.licenses.mit;
    platforms = lib.platforms.unix;
    pkgConfigModules = [ "libuv" "libuv-static" ];
  };
}
