/* SPDX-License-Identifier: MIT */
/* Standard streams and further descriptors of a child.
 *
 * The startup information holds the child's first three handles, and a block
 * with all descriptors that the child's C runtime takes over (lpReserved2): the
 * number of descriptors, a mode byte for each, a handle for each. The handles
 * made here are inheritable, and the child inherits no others: see process.c.
 */
#include "win/process.h"
#include "util/alloc.h"
#include "win/pipe.h"

#include <string.h>

/* Limit of the child's C runtime. */
#define COUNT_MAX 255

/* Descriptor flags of the C runtime. */
enum crt_mode { CRT_OPEN = 0x01, CRT_PIPE = 0x08, CRT_DEVICE = 0x40 };

static unsigned char mode_of(HANDLE handle) {
  switch (GetFileType(handle)) {
  case FILE_TYPE_DISK:
    return CRT_OPEN;
  case FILE_TYPE_PIPE:
    return CRT_OPEN | CRT_PIPE;
  default:
    return CRT_OPEN | CRT_DEVICE;
  }
}

static int inherit_handle(struct uv__stdio* stdio, int index, HANDLE handle) {
  HANDLE self = GetCurrentProcess();
  HANDLE copy;

  /* Not real handles: -1 is the current process, -2 the current thread. */
  if (handle == INVALID_HANDLE_VALUE || handle == NULL || handle == (HANDLE) -2)
    return UV_EBADF;
  if (!DuplicateHandle(self, handle, self, &copy, 0, TRUE,
                       DUPLICATE_SAME_ACCESS))
    return uv__last_error();
  stdio->handles[index] = copy;
  stdio->modes[index] = mode_of(copy);
  return 0;
}

static int inherit_fd(struct uv__stdio* stdio, int index, int fd) {
  int err =
      fd < 0 ? UV_EBADF : inherit_handle(stdio, index, uv_get_osfhandle(fd));

  /* A program without a console has no standard handles to pass on. */
  if (err != 0 && fd >= 0 && fd < UV__STDIO_STANDARD)
    return 0;
  return err;
}

static int inherit_stream(struct uv__stdio* stdio,
                          int index,
                          const uv_stream_t* stream) {
  uv_os_fd_t handle;

  int err = uv_fileno((const uv_handle_t*) stream, &handle);
  return err != 0 ? err : inherit_handle(stdio, index, handle);
}

static int create_pipe(struct uv__stdio* stdio,
                       int index,
                       const uv_stdio_container_t* container) {
  uv_stream_t* stream = container->data.stream;

  if (stream->flags & (UV__PIPE_CONN | UV__PIPE_SERVER))
    return UV_EBUSY;
  int err =
      uv__pipe_open_stdio((uv_pipe_t*) stream, (unsigned int) container->flags,
                          &stdio->handles[index]);
  if (err == 0)
    stdio->modes[index] = CRT_OPEN | CRT_PIPE;
  return err;
}

/* Opens the null device: reads end at once, writes are discarded. */
static int open_nul(struct uv__stdio* stdio, int index) {
  SECURITY_ATTRIBUTES attributes = { sizeof(attributes), NULL, TRUE };
  DWORD access = index == 0 ? FILE_GENERIC_READ
                            : FILE_GENERIC_WRITE | FILE_READ_ATTRIBUTES;
  HANDLE handle =
      CreateFileW(L"NUL", access, FILE_SHARE_READ | FILE_SHARE_WRITE,
                  &attributes, OPEN_EXISTING, 0, NULL);

  if (handle == INVALID_HANDLE_VALUE)
    return uv__last_error();
  stdio->handles[index] = handle;
  stdio->modes[index] = CRT_OPEN | CRT_DEVICE;
  return 0;
}

static int init_one(struct uv__stdio* stdio,
                    int index,
                    const uv_stdio_container_t* container) {
  switch (uv__stdio_kind(container)) {
  case UV_CREATE_PIPE:
    return create_pipe(stdio, index, container);
  case UV_INHERIT_FD:
    return inherit_fd(stdio, index, container->data.fd);
  case UV_INHERIT_STREAM:
    return inherit_stream(stdio, index, container->data.stream);
  default: /* UV_IGNORE; standard descriptors still get the null device */
    return index < UV__STDIO_STANDARD ? open_nul(stdio, index) : 0;
  }
}

/* Builds the block for the C runtime, where the handles are not aligned. */
static void pack_block(struct uv__stdio* stdio) {
  size_t count = (size_t) stdio->count;
  unsigned char* at = stdio->block;

  memcpy(at, &stdio->count, sizeof(stdio->count));
  at += sizeof(stdio->count);
  memcpy(at, stdio->modes, count);
  at += count;
  memcpy(at, stdio->handles, count * sizeof(HANDLE));
}

static int stdio_allocate(struct uv__stdio* stdio, int count) {
  size_t each = sizeof(HANDLE) + 1;
  size_t size = sizeof(int) + (size_t) count * each;

  stdio->count = 0;
  stdio->block_size = (WORD) size;
  stdio->handles = uv__malloc_array((size_t) count, sizeof(HANDLE));
  stdio->modes = uv__calloc((size_t) count, 1);
  stdio->block = uv__malloc(size);
  if (stdio->handles != NULL && stdio->modes != NULL && stdio->block != NULL)
    return 0;
  uv__stdio_close(stdio);
  return UV_ENOMEM;
}

int uv__stdio_init(struct uv__stdio* stdio,
                   const uv_process_options_t* options) {
  static const uv_stdio_container_t ignored = { .flags = UV_IGNORE };
  int given = options->stdio_count;
  int count = uv__stdio_count(options);

  if (given > COUNT_MAX)
    return UV_ENOTSUP;
  int err = stdio_allocate(stdio, count);
  if (err != 0)
    return err;

  while (err == 0 && stdio->count < count) {
    int i = stdio->count++;
    stdio->handles[i] = INVALID_HANDLE_VALUE;
    err = init_one(stdio, i, i < given ? &options->stdio[i] : &ignored);
  }
  if (err == 0)
    pack_block(stdio);
  else
    uv__stdio_close(stdio);
  return err;
}

void uv__stdio_close(struct uv__stdio* stdio) {
  for (int i = 0; i < stdio->count; i++)
    if (stdio->handles[i] != INVALID_HANDLE_VALUE)
      CloseHandle(stdio->handles[i]);
  uv__free(stdio->handles);
  uv__free(stdio->modes);
  uv__free(stdio->block);
  memset(stdio, 0, sizeof(*stdio));
}

void uv__stdio_set_peer(const uv_process_options_t* options, DWORD pid) {
  for (int i = 0; i < options->stdio_count; i++) {
    const uv_stdio_container_t* container = &options->stdio[i];
    if (!(container->flags & UV_CREATE_PIPE))
      continue;
    uv_pipe_t* pipe = (uv_pipe_t*) container->data.stream;
    if (pipe->ipc)
      pipe->pipe.conn.ipc_remote_pid = pid;
  }
}

/* The block that our own parent passed to us: returns the number of
 * descriptors, and where the handles start. */
static int own_block(const STARTUPINFOW* info, const unsigned char** handles) {
  int count = 0;

  if (info->lpReserved2 == NULL || info->cbReserved2 < sizeof(count))
    return 0;
  memcpy(&count, info->lpReserved2, sizeof(count));
  if (count <= 0 || count > COUNT_MAX)
    return 0;
  size_t size = sizeof(count) + (size_t) count * (sizeof(HANDLE) + 1);
  if (info->cbReserved2 < size)
    return 0;
  *handles = info->lpReserved2 + sizeof(count) + count;
  return count;
}

void uv_disable_stdio_inheritance(void) {
  static const DWORD standard[] = { STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
                                    STD_ERROR_HANDLE };
  const unsigned char* handles = NULL;
  STARTUPINFOW info;

  /* Invalid handles, and those that cannot be changed, are left as they are. */
  for (size_t i = 0; i < ARRAY_SIZE(standard); i++) {
    HANDLE handle = GetStdHandle(standard[i]);
    if (handle != NULL && handle != INVALID_HANDLE_VALUE)
      (void) SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
  }
  GetStartupInfoW(&info);
  int count = own_block(&info, &handles);
  for (int i = 0; i < count; i++) {
    HANDLE handle;
    memcpy(&handle, handles + (size_t) i * sizeof(handle), sizeof(handle));
    if (handle != INVALID_HANDLE_VALUE)
      (void) SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
  }
}
