/* SPDX-License-Identifier: MIT */
/* C library calls that behave as on another system. The library is linked with
 * these in front of the C library's own.
 *
 * On every system a queue has no blocking mode and is a fifo to fstat(2). The
 * rest is selected by KQUEUE_SHIM_SYSTEM, see shim.h; FreeBSD's results were
 * observed on a 14.1 kernel. Without the variable the calls are the C library's
 * own, through the system call.
 */
#include "shim.h"
#include "os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The C library's own, which threads may be cancelled in. Found before threads
 * and signal handlers need them. */
static ssize_t (*next_write)(int, const void*, size_t);
static int (*next_poll)(struct pollfd*, nfds_t, int);

__attribute__((constructor)) static void find_next(void) {
  void* address = dlsym(RTLD_NEXT, "write");
  memcpy(&next_write, &address, sizeof(next_write));
  address = dlsym(RTLD_NEXT, "poll");
  memcpy(&next_poll, &address, sizeof(next_poll));
}

int shim_acts_as(const char* system) {
  const char* chosen = getenv("KQUEUE_SHIM_SYSTEM");
  return chosen != NULL && strcmp(chosen, system) == 0;
}

static int fail(int error) {
  errno = error;
  return -1;
}

/* Called by the library, see os.h. */
int shim_has_abstract_sockets(void);

int shim_has_abstract_sockets(void) {
  return getenv("KQUEUE_SHIM_SYSTEM") == NULL;
}

/* Linux doubles the space of a receiver, because it also counts what it needs
 * besides; that takes up to twice the bytes. FreeBSD counts the bytes: here
 * setsockopt() asks for half as much again. */
int getsockopt(int fd, int level, int option, void* value, socklen_t* len) {
  int r = (int) syscall(SYS_getsockopt, fd, level, option, value, len);

  if (r == 0 && level == SOL_SOCKET && option == SO_RCVBUF &&
      shim_acts_as("freebsd"))
    *(int*) value /= 3;
  return r;
}

static int socket_is(int fd, int option, int value) {
  int found = 0;
  socklen_t len = sizeof(found);
  return getsockopt(fd, SOL_SOCKET, option, &found, &len) == 0 &&
         found == value;
}

/* fcntl(2) of macOS: "Get the path of the file descriptor Fildes." Linux marks
 * a file without a name by " (deleted)". */
static int get_path(int fd, char path[PATH_MAX]) {
  char link[64];

  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  ssize_t len = readlink(link, path, PATH_MAX - 1);
  if (len == -1)
    return -1;
  path[len] = '\0';
  return access(path, F_OK);
}

/* Queues. */

/* pipe(2) of FreeBSD: "The pipe system call creates a pipe, which is an object
 * allowing bidirectional data flow": both ends are open for both. */
static int is_both_ways(int fd) {
  char link[64];
  char name[8] = "";
  struct stat st;

  if (!shim_acts_as("freebsd") || shim_stat(fd, &st) != 0 ||
      !S_ISFIFO(st.st_mode))
    return 0;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  return readlink(link, name, sizeof(name) - 1) >= 5 &&
         strncmp(name, "pipe:", 5) == 0; /* a fifo with a name is not */
}

/* pipe_poll() of FreeBSD: an end whose other end is closed is hung up, and both
 * readable and writable; it is never POLLERR. */
static short odd_revents(const struct pollfd* entry) {
  if ((entry->revents & (POLLHUP | POLLERR)) && is_both_ways(entry->fd))
    return (short) (POLLHUP | (entry->events & (POLLIN | POLLOUT)));
  if ((entry->events & POLLPRI) && shim_is_before_mark(entry->fd))
    return (short) (entry->revents | POLLPRI);
  return entry->revents;
}

static int adapt_revents(struct pollfd* fds, nfds_t count) {
  int n = 0;

  for (nfds_t i = 0; i < count; i++) {
    fds[i].revents = odd_revents(&fds[i]);
    n += fds[i].revents != 0;
  }
  return n;
}

int poll(struct pollfd* fds, nfds_t count, int timeout) {
  if (!shim_acts_as("freebsd"))
    return next_poll(fds, count, timeout);
  int n = next_poll(fds, count, 0); /* may be ready for FreeBSD alone */
  if (n >= 0)
    n = adapt_revents(fds, count);
  if (n != 0 || timeout == 0)
    return n;
  n = next_poll(fds, count, timeout);
  return n <= 0 ? n : adapt_revents(fds, count);
}

static int get_flags(int fd) {
  int flags = (int) syscall(SYS_fcntl, fd, F_GETFL);
  return flags != -1 && is_both_ways(fd) ? (flags & ~O_ACCMODE) | O_RDWR
                                         : flags;
}

int fcntl(int fd, int command, ...) {
  va_list arguments;

  va_start(arguments, command);
  long argument = va_arg(arguments, long);
  va_end(arguments);
  if (command == F_SETFL && (argument & O_NONBLOCK) && shim_is_queue(fd))
    return fail(ENOTTY);
  if (command == F_GETPATH)
    return get_path(fd, (char*) argument);
  if (command == F_GETFL)
    return get_flags(fd);
  return (int) syscall(SYS_fcntl, fd, command, argument);
}

int shim_stat(int fd, struct stat* st) {
  return fstatat(fd, "", st, AT_EMPTY_PATH);
}

int fstat(int fd, struct stat* st) {
  if (shim_stat(fd, st) != 0)
    return -1;
  if (shim_is_queue(fd))
    st->st_mode = S_IFIFO | 0600;
  return 0;
}

/* sendfile(2) of FreeBSD: "The descriptor fd is not a regular file", "The
 * argument s is not of type SOCK_STREAM": EINVAL; not a socket: ENOTSOCK.
 * Called by the library, see os.h. */
int shim_sendfile(int fd,
                  int socket,
                  off_t offset,
                  size_t size,
                  void* headers,
                  off_t* sent,
                  int flags) {
  struct stat file;
  struct stat to;

  if (headers != NULL || flags != 0)
    return fail(EINVAL);
  if (shim_stat(fd, &file) != 0 || shim_stat(socket, &to) != 0)
    return -1;
  if (!S_ISSOCK(to.st_mode))
    return fail(ENOTSOCK);
  if (!S_ISREG(file.st_mode) || !socket_is(socket, SO_TYPE, SOCK_STREAM))
    return fail(EINVAL);
  long n = syscall(SYS_sendfile, socket, fd, &offset, size);
  *sent = n > 0 ? n : 0;
  return n < 0 ? -1 : 0;
}

/* Sleeping for no time returns at once, as seen on FreeBSD and NetBSD: it does
 * not let other threads run. */
int nanosleep(const struct timespec* time, struct timespec* left) {
  if (time->tv_sec == 0 && time->tv_nsec == 0)
    return 0;
  int error = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
  return error == 0 ? 0 : fail(error);
}

/* Processes: elsewhere than on macOS, posix_spawn() is nothing to prefer. The
 * library then takes its next method, vfork(). */
int posix_spawn(pid_t* pid,
                const char* path,
                const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attr,
                char* const argv[],
                char* const envp[]) {
  int (*next)(pid_t*, const char*, const posix_spawn_file_actions_t*,
              const posix_spawnattr_t*, char* const[], char* const[]);

  if (shim_acts_as("freebsd"))
    return ENOSYS;
  void* address = dlsym(RTLD_NEXT, "posix_spawn");
  memcpy(&next, &address, sizeof(next));
  return next(pid, path, actions, attr, argv, envp);
}

/* FreeBSD: connections and names. */

static int is_loopback(const struct sockaddr* addr) {
  if (addr->sa_family == AF_INET) {
    const struct sockaddr_in* in = (const struct sockaddr_in*) (void*) addr;
    return ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  }
  return addr->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(
             &((const struct sockaddr_in6*) (void*) addr)->sin6_addr);
}

/* The outcome of a connection that continues in the background. */
static int await_connect(int fd) {
  struct pollfd pfd = { .fd = fd, .events = POLLOUT };
  int error = 0;
  socklen_t len = sizeof(error);

  if (poll(&pfd, 1, 1000) != 1)
    return fail(EINPROGRESS);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
    return -1;
  return error == 0 ? 0 : fail(error);
}

/* A connection over loopback is established or refused before connect()
 * returns. */
int connect(int fd, const struct sockaddr* addr, socklen_t len) {
  int r = (int) syscall(SYS_connect, fd, addr, len);

  if (r == 0 || errno != EINPROGRESS || !shim_acts_as("freebsd") ||
      !is_loopback(addr))
    return r;
  return await_connect(fd);
}

/* The name of a unix socket that has none is NULs. */
static int name_of(long call, int fd, struct sockaddr* name, socklen_t* len) {
  socklen_t room = *len;

  if (syscall(call, fd, name, len) != 0)
    return -1;
  if (*len != sizeof(name->sa_family) || name->sa_family != AF_UNIX ||
      !shim_acts_as("freebsd"))
    return 0;
  *len = 16;
  if (room > sizeof(name->sa_family))
    memset((char*) name + sizeof(name->sa_family), 0,
           (room < 16 ? room : 16) - sizeof(name->sa_family));
  return 0;
}

int getsockname(int fd, struct sockaddr* name, socklen_t* len) {
  return name_of(SYS_getsockname, fd, name, len);
}

int getpeername(int fd, struct sockaddr* name, socklen_t* len) {
  return name_of(SYS_getpeername, fd, name, len);
}

/* FreeBSD: two UDP sockets share a port if both have SO_REUSEPORT. All BSDs: a
 * unix socket may have the option, too. OpenBSD: IPv6 sockets are IPv6 only;
 * this cannot be changed. */
int setsockopt(int fd,
               int level,
               int option,
               const void* value,
               socklen_t len) {
  if (level == IPPROTO_IPV6 && option == IPV6_V6ONLY &&
      *(const int*) value == 0 && shim_acts_as("openbsd"))
    return fail(EINVAL);
  if (level == SOL_SOCKET && option == SO_REUSEADDR &&
      shim_acts_as("freebsd") && socket_is(fd, SO_TYPE, SOCK_DGRAM))
    return 0;
  if (level == SOL_SOCKET && option == SO_REUSEPORT &&
      socket_is(fd, SO_DOMAIN, AF_UNIX))
    return 0;
  if (level == SOL_SOCKET && option == SO_RCVBUF && shim_acts_as("freebsd")) {
    int space = *(const int*) value / 2 * 3;
    return (int) syscall(SYS_setsockopt, fd, level, option, &space, len);
  }
  return (int) syscall(SYS_setsockopt, fd, level, option, value, len);
}

/* FreeBSD: "O_NOFOLLOW was specified and the target is a symbolic link" is
 * EMLINK. */
int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  va_list arguments;

  va_start(arguments, flags);
  if (flags & O_CREAT)
    mode = va_arg(arguments, unsigned);
  va_end(arguments);
  int fd = openat(AT_FDCWD, path, flags, mode);
  if (fd == -1 && errno == ELOOP && (flags & O_NOFOLLOW) &&
      shim_acts_as("freebsd"))
    return fail(EMLINK);
  return fd;
}

/* FreeBSD: a template need not end with X; it is then the name itself. */

static int is_template(const char* template) {
  size_t len = strlen(template);
  return shim_acts_as("freebsd") ||
         (len >= 6 && strcmp(template + len - 6, "XXXXXX") == 0);
}

/* Any unused name will do. */
static void fill_template(char* template) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
  unsigned char byte;

  for (size_t i = strlen(template); i > 0 && template[i - 1] == 'X'; i--) {
    if (getentropy(&byte, 1) != 0)
      byte = 0;
    template[i - 1] = letters[byte % 32];
  }
}

char* mkdtemp(char* template) {
  if (!is_template(template)) {
    errno = EINVAL;
    return NULL;
  }
  fill_template(template);
  return mkdir(template, 0700) == 0 ? template : NULL;
}

int mkostemp(char* template, int flags) {
  if (!is_template(template))
    return fail(EINVAL);
  fill_template(template);
  return open(template, flags | O_RDWR | O_CREAT | O_EXCL, 0600);
}

/* macOS: a write to a connection that is being reset may fail with EPROTOTYPE.
 */

static ssize_t late(ssize_t written) {
  if (written == -1 && errno == ECONNRESET && shim_acts_as("macos"))
    errno = EPROTOTYPE;
  return written;
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  return late(syscall(SYS_sendmsg, fd, message, flags));
}

ssize_t send(int fd, const void* buf, size_t len, int flags) {
  return late(syscall(SYS_sendto, fd, buf, len, flags, NULL, 0));
}

/* FreeBSD: net.inet.udp.recvspace. */
int socket(int domain, int type, int protocol) {
  int fd = (int) syscall(SYS_socket, domain, type, protocol);
  int space = 42080;

  if (fd != -1 && (domain == AF_INET || domain == AF_INET6) &&
      socket_is(fd, SO_TYPE, SOCK_DGRAM) && shim_acts_as("freebsd"))
    (void) setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &space, sizeof(space));
  return fd;
}

/* FreeBSD: a write beyond RLIMIT_FSIZE sends SIGXFSZ to the process, so that
 * any thread may get it: blocking it where one writes is not enough. */
ssize_t write(int fd, const void* buf, size_t len) {
  ssize_t n = next_write(fd, buf, len);

  if (n == -1 && errno == EFBIG && shim_acts_as("freebsd")) {
    kill(getpid(), SIGXFSZ);
    errno = EFBIG;
  }
  return n;
}
