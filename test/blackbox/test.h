/* SPDX-License-Identifier: MIT */
/* Black-box tests: each runs in a process of its own, in an empty directory of
 * its own, with ten seconds (times UV_TEST_TIMEOUT_MULTIPLIER).
 *
 *   TEST_IMPL(area_behaviour_condition) { ASSERT_EQ(4, f(2)); return 0; }
 *
 * plus a line TEST(area_behaviour_condition) in list.h, or TEST_UNIX with the
 * reason if it is about something only unix has. A failed assertion ends the
 * test and says where and with which values. Only uv.h and uv/ext.h may be
 * used, and port 0: several tests run at once.
 *
 * A test that needs another program starts this one with `--helper NAME ARGS`,
 * which runs HELPER_IMPL(NAME); see helper_args().
 */
#ifndef TEST_H_
#define TEST_H_

#include "platform.h"
#include "uv.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEST_IMPL(name)                                                        \
 int test_##name(void);                                                        \
 int test_##name(void)

#define HELPER_IMPL(name)                                                      \
 int helper_##name(int argc, char** argv);                                     \
 int helper_##name(int argc, char** argv)

/* The condition holds. */
#define ASSERT(cond) test_assert(!!(cond), __FILE__, __LINE__, #cond)

/* Two integers compare as the name says: ASSERT_LT(1, 2). */
#define ASSERT_EQ(a, b) ASSERT_INT(a, TEST_EQ, b)
#define ASSERT_NE(a, b) ASSERT_INT(a, TEST_NE, b)
#define ASSERT_LT(a, b) ASSERT_INT(a, TEST_LT, b)
#define ASSERT_LE(a, b) ASSERT_INT(a, TEST_LE, b)
#define ASSERT_GT(a, b) ASSERT_INT(a, TEST_GT, b)
#define ASSERT_GE(a, b) ASSERT_INT(a, TEST_GE, b)

#define ASSERT_INT(a, op, b)                                                   \
 test_assert_int((intmax_t) (a), op, (intmax_t) (b), __FILE__, __LINE__, #a, #b)

/* A libuv result is 0; otherwise its name is printed. */
#define ASSERT_OK(expr) test_assert_result((expr), 0, __FILE__, __LINE__, #expr)

/* A libuv result is this error code; both names are printed. */
#define ASSERT_ERR(want, expr)                                                 \
 test_assert_result((expr), (want), __FILE__, __LINE__, #expr)

#define ASSERT_NULL(p) ASSERT_PTR_EQ(NULL, p)
#define ASSERT_NOT_NULL(p) ASSERT((p) != NULL)
#define ASSERT_PTR_EQ(a, b)                                                    \
 test_assert_ptr((const void*) (a), (const void*) (b), __FILE__, __LINE__, #a, \
                 #b)
#define ASSERT_STR_EQ(a, b)                                                    \
 test_assert_str((a), (b), __FILE__, __LINE__, #a, #b)
#define ASSERT_MEM_EQ(a, b, n)                                                 \
 test_assert_mem((a), (b), (n), __FILE__, __LINE__, #a, #b)

/* Ends the test: the environment cannot show the behaviour; say what it lacks.
 */
#define SKIP(reason) test_skip(reason)

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* 1 in builds with static programs; set by the build. */
#ifndef TEST_STATIC
# define TEST_STATIC 0
#endif

/* This build uses ThreadSanitizer. */
#if defined(__SANITIZE_THREAD__)
# define TEST_TSAN 1
#elif defined(__has_feature)
# if __has_feature(thread_sanitizer)
#  define TEST_TSAN 1
# endif
#endif
#ifndef TEST_TSAN
# define TEST_TSAN 0
#endif

/* Likewise AddressSanitizer. */
#if defined(__SANITIZE_ADDRESS__)
# define TEST_ASAN 1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define TEST_ASAN 1
# endif
#endif
#ifndef TEST_ASAN
# define TEST_ASAN 0
#endif

/* Likewise MemorySanitizer, which only clang has. */
#if defined(__has_feature)
# if __has_feature(memory_sanitizer)
#  define TEST_MSAN 1
# endif
#endif
#ifndef TEST_MSAN
# define TEST_MSAN 0
#endif

/* The sanitizers' allocators have locks that a fork next to a running thread
 * may leave locked in the child (seen with gcc 12's ASan and clang 14's MSan);
 * ThreadSanitizer refuses to start threads there. */
#define TEST_FORK_IS_UNSAFE (TEST_ASAN || TEST_MSAN || TEST_TSAN)
#define FORK_IS_UNSAFE "a sanitizer's locks do not survive a fork with threads"

enum test_op { TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_GT, TEST_GE };

void test_assert(int ok, const char* file, int line, const char* text);
void test_assert_int(intmax_t a,
                     enum test_op op,
                     intmax_t b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text);
void test_assert_result(intmax_t got,
                        intmax_t want,
                        const char* file,
                        int line,
                        const char* text);
void test_assert_ptr(const void* a,
                     const void* b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text);
void test_assert_str(const char* a,
                     const char* b,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text);
void test_assert_mem(const void* a,
                     const void* b,
                     size_t n,
                     const char* file,
                     int line,
                     const char* a_text,
                     const char* b_text);
_Noreturn void test_skip(const char* reason);

/* This program's path, for tests that start it as a helper. */
const char* test_self(void);

/* Fills `args` for uv_spawn: this program, --helper, the name, up to three more
 * (NULL ends them), NULL. `args` has room for 7. */
void helper_args(char** args,
                 const char* name,
                 const char* arg1,
                 const char* arg2,
                 const char* arg3);

/* For uv_spawn(): args[0] with these arguments, everything else as default. */
void test_process_options(uv_process_options_t* options,
                          char** args,
                          uv_exit_cb exit_cb);

/* 127.0.0.1, port 0. */
struct sockaddr_in test_loopback(void);

/* The address of a bound handle. */
struct sockaddr_in test_tcp_address(const uv_tcp_t* handle);
struct sockaddr_in test_udp_address(const uv_udp_t* handle);

/* Two connected streams. The first is a socket pair, in the handle type that
 * accepts such sockets; the second a TCP connection over loopback, whose server
 * has been closed. */
#if TEST_POSIX
typedef uv_pipe_t test_stream_t;
#else
typedef uv_tcp_t test_stream_t;
#endif
void test_stream_pair(uv_loop_t* loop, test_stream_t* a, test_stream_t* b);
void test_tcp_pair(uv_loop_t* loop, uv_tcp_t* client, uv_tcp_t* accepted);

/* Initialises a server on loopback and starts it; returns its address. */
struct sockaddr_in test_tcp_listen(uv_loop_t* loop,
                                   uv_tcp_t* server,
                                   int backlog,
                                   uv_connection_cb cb);

/* For uv_read_start(): one static buffer of 64 KiB. */
void test_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buf);

/* Writes until the kernel accepts no more, so that the next write is queued.
 * Returns the bytes written. */
size_t test_fill(uv_stream_t* stream);

/* Closes everything on the loop, runs it to the end and closes it. */
void test_close_loop(uv_loop_t* loop);

/* Closes a handle; its callback adds the first character of `name` to the
 * string that test_close_order() returns. Takes over handle->data. */
void test_close_as(void* handle, const char* name);
const char* test_close_order(void);

/* Counts open descriptors or handles: two calls show whether some leaked. */
int test_open_handles(void);

#if TEST_POSIX
/* fork(), which must not fail. */
pid_t test_fork(void);

/* Waits for a child's end; returns its status, as waitpid() does. */
int test_wait_child(pid_t pid);

/* The lowest free descriptor number. */
int test_lowest_fd(void);

/* _exit() without what coverage builds do there, which is to write files: for
 * children that may not open any. */
_Noreturn void test_exit_bare(int status);

/* Copies the library to `path`: one that this program does not use otherwise.
 * Skips the test if it is linked statically. */
void test_copy_library(const char* path);

/* Stores the address of a function in an object of dlopen() in the pointer to a
 * function at `to`. */
void test_find_symbol(void* object, const char* name, void* to);

/* The loops of this run poll with kqueue: on Linux, with test/kqueue-shim. */
int test_on_kqueue(void);
#endif

void test_close_socket(uv_os_sock_t sock);

/* A name for uv_pipe_bind() that no other test uses. */
const char* test_pipe_name(const char* name);

/* The test that this process runs. */
extern const char* test_running;

/* Unix: starts the test again with standard error in a file, which is appended
 * to; returns in the new process. The library does not write to a descriptor
 * that has changed since it was loaded. A failed assertion is in there. */
void test_redirect_errors(const char* path);

void test_mkdir(const char* path);
void test_write_file(const char* path, const char* text);

/* This process runs under valgrind, which emulates parts of the kernel. */
int test_on_valgrind(void);

#if !TEST_POSIX
/* This is Wine: not everything that Windows does can be tested. */
int test_on_wine(void);
#endif

/* A sanitizer, valgrind or Wine slows this process down; use fewer rounds. */
int test_is_slow(void);

#endif /* TEST_H_ */
