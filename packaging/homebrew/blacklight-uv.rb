# SPDX-License-Identifier: MIT
# Homebrew formula of the release archive beside this tree (scripts/release
# makes it in build/release):
#   brew install --formula packaging/homebrew/blacklight-uv.rb
#
# Nothing is published yet: the homepage is a placeholder, and the checksum is
# that of the archive beside this tree. A published formula has both as text.
require "digest"

class BlacklightUv < Formula
  ARCHIVE = File.expand_path("../../build/release/blacklight-uv-0.9.0.tar.gz", __dir__)

  desc "Independent implementation of libuv's interface"
  homepage "https://blacklight-uv.example"
  url "file://#{ARCHIVE}"
  sha256 File.exist?(ARCHIVE) ? Digest::SHA256.file(ARCHIVE).hexdigest : "0" * 64
  license "MIT"

  depends_on "cmake" => :build
  uses_from_macos "python" => :build

  conflicts_with "libuv", because: "both install libuv"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"main.c").write <<~C
      #include <uv.h>
      int main(void) {
        uv_loop_t loop;
        return uv_loop_init(&loop) || uv_loop_close(&loop);
      }
    C
    system ENV.cc, "main.c", "-I#{include}", "-L#{lib}", "-luv", "-o", "main"
    system "./main"
  end
end
