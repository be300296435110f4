/* SPDX-License-Identifier: MIT */
/* uv-trace top: two versions of a file of metrics, one after the other. */
#include "fuzz.h"

#include "../../tools/uv-trace/top.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct metrics before;
  struct metrics now;
  struct metrics none = { NULL, NULL, 0 };
  char* text = NULL;
  size_t len = 0;
  size_t half = size / 2;

  if (metrics_parse(&now, fuzz_string(data, size)) != 0)
    return 0;
  int err = metrics_parse(&before, fuzz_string(data + half, size - half));
  FILE* out = open_memstream(&text, &len);
  REQUIRE(out != NULL);
  top_print(out, &now, &none, 0, NULL, 10, 80);
  if (err == 0)
    top_print(out, &now, &before, 0.5, NULL, 10, 80);
  REQUIRE(fclose(out) == 0);
  for (size_t i = 0; i < len; i++)
    REQUIRE(text[i] == '\n' || (text[i] >= 0x20 && text[i] < 0x7f));
  free(text);
  if (err == 0)
    metrics_close(&before);
  metrics_close(&now);
  return 0;
}
