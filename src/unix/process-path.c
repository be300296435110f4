/* SPDX-License-Identifier: MIT */
/* Candidate paths of a program: the search of execvp(3), but in the PATH that
 * the child will have, and prepared by the parent, which can allocate (C1).
 */
#include "unix/process.h"
#include "unix/os.h"
#include "util/alloc.h"

#include <string.h>

/* The search path without a PATH, as in execvp(). */
static const char default_path[] = "/bin:/usr/bin";

extern char** environ; /* used only by UV__ENVIRON */

static const char* path_of(char** envp) {
  for (; envp != NULL && *envp != NULL; envp++)
    if (strncmp(*envp, "PATH=", 5) == 0)
      return *envp + 5;
  return default_path;
}

static size_t count_strings(char** list) {
  size_t count = 0;
  while (list[count] != NULL)
    count++;
  return count;
}

static size_t count_elements(const char* path) {
  size_t count = 1;
  for (; *path != '\0'; path++)
    count += *path == ':';
  return count;
}

/* Writes "element/file" to `to`, or "file" if the element is empty, which
 * stands for the working directory. Returns the end of what was written. */
static char* write_path(char* to,
                        const char* element,
                        size_t element_len,
                        const char* file) {
  size_t file_len = strlen(file);

  memcpy(to, element, element_len);
  to += element_len;
  if (element_len > 0)
    *to++ = '/';
  memcpy(to, file, file_len + 1);
  return to + file_len + 1;
}

static void write_paths(char** paths,
                        char* text,
                        const char* search,
                        const char* file) {
  for (;;) {
    size_t len = strcspn(search, ":");
    *paths++ = text;
    text = write_path(text, search, len, file);
    if (search[len] == '\0')
      break;
    search += len + 1;
  }
  *paths = NULL;
}

void* uv__child_find_program(struct uv__child* child,
                             const uv_process_options_t* options) {
  const char* file = options->file;
  char** envp = options->env != NULL ? options->env : UV__ENVIRON;
  /* A name with a slash is not searched for. An empty one is, as in libuv: it
   * finds directories, which are UV_EACCES. */
  int search = strchr(file, '/') == NULL;
  const char* elements = search ? path_of(envp) : "";

  size_t nargs = options->args != NULL ? count_strings(options->args) : 1;
  size_t npaths = count_elements(elements);
  size_t npointers = (npaths + 1) + (nargs + 1);
  size_t text_size = strlen(elements) + npaths * (strlen(file) + 2);
  char** memory = uv__malloc(npointers * sizeof(char*) + text_size);
  if (memory == NULL)
    return NULL;

  child->paths = memory;
  child->argv = child->paths + npaths + 1;
  child->envp = envp;
  write_paths(child->paths, (char*) (memory + npointers), elements, file);

  if (options->args != NULL)
    memcpy(child->argv, options->args, nargs * sizeof(char*));
  else
    child->argv[0] = child->paths[0];
  child->argv[nargs] = NULL;
  return memory;
}
