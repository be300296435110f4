/* SPDX-License-Identifier: MIT */
/* The parser of terminal sequences for Windows consoles: any code points; after
 * CAN it is in its initial state. */
#include "fuzz.h"

#include "win/ansi.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct uv__ansi parser;
  struct uv__ansi_args args;

  memset(&parser, 0, sizeof(parser));
  for (size_t i = 0; i < size; i++) {
    uint32_t cp = data[i];
    if (cp >= 0xf0 && i + 3 < size) {
      cp = (uint32_t) data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3];
      i += 3;
    }
    memset(&args, 0, sizeof(args));
    enum uv__ansi_op op = uv__ansi_feed(&parser, cp, &args);
    REQUIRE(op <= UV__ANSI_CURSOR_SHAPE);
    REQUIRE(args.argc <= UV__ANSI_ARGS_MAX);
    REQUIRE(parser.argc <= UV__ANSI_ARGS_MAX);
    if (op == UV__ANSI_CURSOR_UP || op == UV__ANSI_CURSOR_DOWN ||
        op == UV__ANSI_CURSOR_FORWARD || op == UV__ANSI_CURSOR_BACK ||
        op == UV__ANSI_COLUMN)
      REQUIRE(args.argv[0] >= 1);
    if (op == UV__ANSI_POSITION)
      REQUIRE(args.argv[0] >= 1 && args.argv[1] >= 1);
  }
  (void) uv__ansi_feed(&parser, 0x18, &args);
  REQUIRE(uv__ansi_feed(&parser, 'x', &args) == UV__ANSI_TEXT);
  return 0;
}
