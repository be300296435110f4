/* SPDX-License-Identifier: MIT */
/* Walks the calling thread's stack with the unwinder of libgcc, which glibc's
 * backtrace() uses as well. That one ends at the first frame without unwind
 * tables, such as a function that a JavaScript engine has generated. Its
 * registers are known, though, and engines keep a frame pointer: from there on
 * the walk follows the chain of frame pointers.
 *
 * Code that has no unwind tables may use the register for anything, so a frame
 * must lie above the one before it, and is read by a system call that reports
 * an address that is not mapped.
 */
#include "unix/stack-walk.h"
#include "unix/os.h"

#include <string.h>
#include <unistd.h>

#if UV__HAVE_BACKTRACE
# include <execinfo.h>
#endif
#if UV__HAVE_UNWINDER || UV__HAVE_EXECINFO
# include <dlfcn.h>
#endif
#if UV__HAVE_UNWINDER
# include <sys/uio.h>
# include <unwind.h>
#endif

/* A larger step is no frame. */
#define FRAME_SIZE_MAX ((uintptr_t) 1 << 20)

struct walk {
  void** frames;
  int max;
  int count;         /* -1: the walk's own frame comes first */
  uintptr_t top;     /* of the stack's part that was walked */
  uintptr_t pointer; /* the frame pointer there; 0: not known */
};

#if UV__HAVE_UNWINDER || UV__HAVE_EXECINFO
/* dlsym() returns functions as pointers to objects. */
static int find_function(void* library, const char* name, void* function) {
  void* found = dlsym(library, name);

  memcpy(function, &found, sizeof(found));
  return found != NULL;
}
#endif

#if UV__HAVE_UNWINDER
typedef _Unwind_Reason_Code (*unwind_fn)(_Unwind_Trace_Fn, void*);
typedef _Unwind_Word (*get_register_fn)(struct _Unwind_Context*, int);
typedef _Unwind_Word (*get_cfa_fn)(struct _Unwind_Context*);
typedef _Unwind_Ptr (*get_ip_fn)(struct _Unwind_Context*);

/* Set once, before the handler that uses them is installed. */
static struct {
  unwind_fn unwind;
  get_register_fn get_register;
  get_cfa_fn get_cfa;
  get_ip_fn get_ip;
} libgcc;

void uv__stack_walk_init(void) {
  void* frame;

  /* The first call loads the library. */
  if (libgcc.unwind != NULL || backtrace(&frame, 1) == 0)
    return;
  void* library = dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL)
    return; /* a static program */
  if (!find_function(library, "_Unwind_GetGR", &libgcc.get_register) ||
      !find_function(library, "_Unwind_GetCFA", &libgcc.get_cfa) ||
      !find_function(library, "_Unwind_GetIP", &libgcc.get_ip) ||
      !find_function(library, "_Unwind_Backtrace", &libgcc.unwind))
    libgcc.unwind = NULL;
  /* backtrace() keeps the library loaded. */
  (void) dlclose(library);
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context* context,
                                     void* arg) {
  struct walk* walk = arg;

  if (walk->count == walk->max)
    return _URC_END_OF_STACK;
  if (walk->count >= 0)
    walk->frames[walk->count] = (void*) (uintptr_t) libgcc.get_ip(context);
  walk->count++;
  walk->top = (uintptr_t) libgcc.get_cfa(context);
  if (UV__FRAME_POINTER != 0)
    walk->pointer = (uintptr_t) libgcc.get_register(context, UV__FRAME_POINTER);
  return _URC_NO_REASON;
}

static void unwind_frames(struct walk* walk) {
  if (libgcc.unwind != NULL)
    (void) libgcc.unwind(add_frame, walk);
  else
    walk->count = backtrace(walk->frames, walk->max);
}

static int read_frame(uintptr_t address, uintptr_t pair[2]) {
  struct iovec local = { pair, 2 * sizeof(*pair) };
  struct iovec remote = { (void*) address, local.iov_len };

  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
         (ssize_t) local.iov_len;
}
#elif UV__HAVE_EXECINFO
/* Set once, before the handler that uses it is installed. */
static size_t (*walk_frames)(void**, size_t);

/* The library stays loaded: the handler may be in it. */
void uv__stack_walk_init(void) {
  void* frame;

  if (walk_frames != NULL)
    return;
  void* library = dlopen(UV__EXECINFO, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL && find_function(library, "backtrace", &walk_frames))
    (void) walk_frames(&frame, 1); /* the first call loads the unwinder */
}

static void unwind_frames(struct walk* walk) {
  if (walk_frames == NULL)
    return;
  walk->count = (int) walk_frames(walk->frames, (size_t) walk->max);
  if (walk->count <= 0)
    return;
  walk->count--; /* this function */
  memmove(walk->frames, walk->frames + 1,
          (size_t) walk->count * sizeof(walk->frames[0]));
}
#elif UV__HAVE_BACKTRACE
void uv__stack_walk_init(void) {
}

static void unwind_frames(struct walk* walk) {
  walk->count = backtrace(walk->frames, walk->max);
}
#else
void uv__stack_walk_init(void) {
}

static void unwind_frames(struct walk* walk) {
  (void) walk;
}
#endif

#if !UV__HAVE_UNWINDER
static int read_frame(uintptr_t address, uintptr_t pair[2]) {
  (void) address;
  (void) pair;
  return 0;
}
#endif

/* A frame begins with the caller's frame pointer and the return address. The
 * outermost frame's pointer is zero, which ends the walk. */
static void follow_pointers(struct walk* walk) {
  uintptr_t pair[2];

  while (walk->count < walk->max && walk->pointer >= walk->top &&
         walk->pointer - walk->top < FRAME_SIZE_MAX &&
         walk->pointer % sizeof(pair[0]) == 0 &&
         read_frame(walk->pointer, pair) && pair[1] != 0) {
    walk->frames[walk->count++] = (void*) pair[1];
    walk->top = walk->pointer + sizeof(pair);
    walk->pointer = pair[0];
  }
}

int uv__stack_walk(void** frames, int max) {
  struct walk walk = { frames, max, -1, 0, 0 };

  unwind_frames(&walk);
  follow_pointers(&walk);
  return walk.count < 0 ? 0 : walk.count;
}
