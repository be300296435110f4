/* SPDX-License-Identifier: MIT */
/* The addresses of names, all of them asked for at once.
 *
 *   lookup NAME...     prints one line for each address
 *
 * Exit status 0: every name has one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uv.h>

static int failures;

static void on_resolved(uv_getaddrinfo_t* req,
                        int status,
                        struct addrinfo* res) {
  const char* name = req->data;
  if (status != 0) {
    fprintf(stderr, "%s: %s\n", name, uv_strerror(status));
    failures++;
  }
  for (struct addrinfo* ai = res; ai != NULL; ai = ai->ai_next) {
    char text[64];
    if (uv_ip_name(ai->ai_addr, text, sizeof(text)) == 0)
      printf("%s %s\n", name, text);
  }
  uv_freeaddrinfo(res);
  free(req);
}

int main(int argc, char** argv) {
  uv_loop_t* loop = uv_default_loop();
  struct addrinfo hints;

  memset(&hints, 0, sizeof(hints));
  hints.ai_socktype = SOCK_STREAM; /* or every address comes several times */
  for (int i = 1; i < argc; i++) {
    uv_getaddrinfo_t* req = malloc(sizeof(*req));
    if (req == NULL)
      return 1;
    req->data = argv[i];
    int err = uv_getaddrinfo(loop, req, on_resolved, argv[i], NULL, &hints);
    if (err != 0) {
      fprintf(stderr, "%s: %s\n", argv[i], uv_strerror(err));
      failures++;
      free(req);
    }
  }
  uv_run(loop, UV_RUN_DEFAULT);
  return uv_loop_close(loop) != 0 || failures != 0;
}
