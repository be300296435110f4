/* SPDX-License-Identifier: MIT */
/* One page that needs nothing else: markup, style, script and data. A policy in
 * its head forbids it to load anything. */
#include "html.h"
#include "base.h"
#include "data.h"
#include "page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void put_lines(FILE* out, const char* const* lines) {
  for (; *lines != NULL; lines++)
    fputs(*lines, out);
}

/* Text between tags. */
static void put_text(FILE* out, const char* text) {
  for (; *text != '\0'; text++) {
    if (*text == '<' || *text == '&')
      fprintf(out, "&#%d;", *text);
    else
      fputc(*text, out);
  }
}

static int print_page(FILE* out, struct trace* trace, uint64_t slices_max) {
  put_lines(out, page_head);
  fputs("<title>", out);
  put_text(out, trace->analysis.program);
  fputs(" - uv-trace</title>\n<style>\n", out);
  put_lines(out, page_css);
  fputs("</style>\n</head>\n", out);
  put_lines(out, page_body);
  fputs("<script type=\"application/json\" id=\"data\">\n", out);
  int err = data_print(out, trace, slices_max);
  fputs("</script>\n<script>\n", out);
  put_lines(out, page_js);
  fputs("</script>\n</body>\n</html>\n", out);
  return err;
}

int html_write(const char* path, struct trace* trace, uint64_t slices_max) {
  FILE* out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");

  if (out == NULL) {
    base_say("%s: %s", path, strerror(errno));
    return -1;
  }
  int err = print_page(out, trace, slices_max);
  if (err != 0)
    base_say("%s: cannot be read twice; a page takes a file", trace->path);
  if (fflush(out) != 0 || ferror(out)) {
    base_say("%s: %s", path, strerror(errno));
    err = -1;
  }
  if (out != stdout && fclose(out) != 0)
    err = -1;
  if (err != 0 && out != stdout)
    remove(path);
  return err;
}
