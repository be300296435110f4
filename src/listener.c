/* SPDX-License-Identifier: MIT */
/* Listeners of managed loops.
 *
 * uvx_loops_listen() makes the sockets, so that what can fail fails there.
 * Opening the servers, on each loop's thread, can then fail for memory only:
 *  - before the loops run, listener_begin() adds the branches to their loops,
 *    which open them before their start functions;
 *  - on a managed loop it posts them there, to loop 0 last: when that begins to
 *    hand over connections, the posts to the others are queued before its own.
 *
 * uvx_listener_close() goes to loop 0 and, when that accepts no more, to the
 * others; each reports to loop 0, which tells the caller's loop. So the parcels
 * that loop 0 has sent are delivered and returned before the listener is freed.
 *
 * Context: the loop whose branch it is, unless said otherwise. */
#include "listener.h"
#include "handle.h"
#include "observe/callback.h"
#include "os/addr.h"
#include "os/listener.h"
#include "util/alloc.h"
#include "util/atomic.h"

#include <string.h>

#define SOCKS_MAX 1024

/* ---- servers and branches ---- */

/* The socket is not one of the listener's any more. */
static void forget_socket(uvx_listener_t* listener, uv_os_sock_t sock) {
  uv_mutex_lock(&listener->loops->mutex);
  for (unsigned i = 0; i < listener->nsocks; i++)
    if (listener->socks[i] == sock)
      listener->socks[i] = UV__NO_SOCK;
  uv_mutex_unlock(&listener->loops->mutex);
}

static void close_socket(struct uv__server* server) {
  if (server->sock != UV__NO_SOCK)
    uv__listener_os_close(server->sock);
  server->sock = UV__NO_SOCK;
}

/* Unlinks the branch from its loop. */
static void branch_remove(struct uv__branch* branch) {
  struct uv__branch** link = &branch->slot->branches;

  while (*link != NULL && *link != branch)
    link = &(*link)->next;
  if (*link == branch)
    *link = branch->next;
}

static void branch_end(struct uv__branch* branch);

/* Ends the branch when the last thing that it waits for is over. */
static void branch_check(struct uv__branch* branch) {
  if (branch->is_detached && branch->pending == 0)
    branch_end(branch);
}

void uv__listener_settle(struct uv__branch* branch) {
  branch->pending--;
  branch_check(branch);
}

static void on_server_closed(uv_handle_t* handle) {
  struct uv__server* server =
      container_of((uv_tcp_t*) handle, struct uv__server, tcp);
  uv__listener_settle(server->branch);
}

static void server_close(struct uv__server* server) {
  server->is_open = 0;
  uv__turns_close(server);
  uv_close(uv__base(&server->tcp), on_server_closed);
}

static int server_listen(struct uv__server* server) {
  const uvx_listener_t* listener = server->branch->listener;
  uv_connection_cb cb = server->role == UV__SERVER_HANDS_OVER
                            ? uv__turns_on_connection
                            : listener->cb;

  int err = uv_tcp_open(&server->tcp, server->sock);
  if (err != 0)
    return err;
  server->sock = UV__NO_SOCK;
  /* Windows: accepts that are queued in advance would take connections from
     * the other loops. */
  if (listener->is_shared)
    (void) uv_tcp_simultaneous_accepts(&server->tcp, 0);
  return uv_listen((uv_stream_t*) &server->tcp, listener->backlog, cb);
}

static void server_open(struct uv__server* server) {
  struct uv__branch* branch = server->branch;
  uvx_listener_t* listener = branch->listener;
  uv_os_sock_t sock = server->sock;

  int err = uv_tcp_init(branch->slot->loop, &server->tcp);
  assert(err == 0); /* without a socket nothing can fail */
  server->tcp.data = listener->data;
  server->is_open = 1;
  branch->pending++;
  if (server->role == UV__SERVER_FED)
    err = uv__listener_os_open_fed(&server->tcp, listener->name.ss_family,
                                   listener->cb);
  else
    err = server_listen(server);
  server->err = err;
  if (err == 0)
    return;
  forget_socket(listener, sock);
  close_socket(server);
  server_close(server);
}

/* Reports the errors of opening servers. */
static void on_report(uvx_post_t* post) {
  struct uv__branch* branch = post->data;

  for (struct uv__server* server = branch->servers; server != NULL;
       server = server->next)
    if (server->err != 0)
      uv__call_refused(branch->listener->cb, (uv_stream_t*) &server->tcp,
                       server->err);
  uv__listener_settle(branch);
}

static void branch_open(struct uv__branch* branch) {
  int err = 0;

  for (struct uv__server* server = branch->servers; server != NULL;
       server = server->next) {
    server_open(server);
    err = err != 0 ? err : server->err;
  }
  if (err == 0)
    return;
  branch->pending++;
  branch->attach.data = branch;
  (void) uvx_post(branch->slot->loop, &branch->attach, on_report);
}

/* Closes what is open; idempotent. */
static void branch_close(struct uv__branch* branch) {
  branch->is_closing = 1;
  for (struct uv__server* server = branch->servers; server != NULL;
       server = server->next) {
    close_socket(server);
    if (server->is_open)
      server_close(server);
  }
}

static void branch_add(struct uv__branch* branch) {
  branch->next = branch->slot->branches;
  branch->slot->branches = branch;
}

static void on_attach(uvx_post_t* post) {
  struct uv__branch* branch = post->data;

  branch_add(branch);
  if (branch->slot->has_ended)
    branch_close(branch);
  else
    branch_open(branch);
}

void uv__listener_start(struct uv__managed* slot) {
  struct uv__branch* branch = slot->branches;

  for (; branch != NULL; branch = branch->next)
    branch_open(branch);
}

void uv__listener_end(struct uv__managed* slot) {
  struct uv__branch* branch = slot->branches;

  for (; branch != NULL; branch = branch->next)
    branch_close(branch);
}

/* ---- making ---- */

/* Closes the sockets that no handle has, but for those of the first `keep`
 * servers. Context: any. */
static void listener_free(uvx_listener_t* listener, unsigned keep) {
  for (unsigned i = keep; i < listener->nservers; i++)
    close_socket(&listener->servers[i]);
  uv__turns_free(listener);
  uv__free(listener->servers);
  uv__free(listener->socks);
  uv__free(listener);
}

static int family_is_known(const struct sockaddr* addr) {
  return addr->sa_family == AF_INET || addr->sa_family == AF_INET6;
}

static int flags_are_valid(const uvx_listen_options_t* options) {
  if (options->addr == NULL)
    return options->tcp_flags == 0;
  if (options->tcp_flags & ~(unsigned) (UV_TCP_IPV6ONLY | UV_TCP_REUSEPORT))
    return 0;
  return !(options->tcp_flags & UV_TCP_IPV6ONLY) ||
         options->addr->sa_family == AF_INET6;
}

static int options_are_valid(const uvx_listen_options_t* options) {
  if (options == NULL || options->size < sizeof(*options) ||
      options->cb == NULL || (unsigned) options->balance > UVX_BALANCE_TURNS)
    return 0;
  /* Exactly one of addr and socks. */
  if ((options->addr == NULL) == (options->nsocks == 0) ||
      options->nsocks > SOCKS_MAX ||
      (options->nsocks != 0 && options->socks == NULL))
    return 0;
  if (options->addr != NULL && !family_is_known(options->addr))
    return 0;
  return flags_are_valid(options);
}

/* Gives each server its branch, role and, if it has one by now, socket. */
static void servers_init(uvx_listener_t* listener, enum uvx_balance balance) {
  unsigned count = listener->loops->count;
  int is_turns = balance == UVX_BALANCE_TURNS;

  for (unsigned i = 0; i < count; i++) {
    listener->branches[i].listener = listener;
    listener->branches[i].slot = &listener->loops->slots[i];
  }
  for (unsigned i = listener->nservers; i-- > 0;) {
    struct uv__server* server = &listener->servers[i];
    unsigned loop = is_turns && i >= count ? 0 : i % count;
    server->branch = &listener->branches[loop];
    server->next = server->branch->servers;
    server->branch->servers = server;
    server->sock = UV__NO_SOCK;
    uv__queue_init(&server->waiting);
    if (is_turns)
      server->role = i >= count ? UV__SERVER_HANDS_OVER : UV__SERVER_FED;
  }
}

/* Without sockets. */
static uvx_listener_t* listener_new(uvx_loops_t* loops,
                                    const uvx_listen_options_t* options,
                                    enum uvx_balance balance) {
  unsigned count = loops->count;
  uvx_listener_t* listener =
      uv__calloc(1, sizeof(*listener) + count * sizeof(listener->branches[0]));

  if (listener == NULL)
    return NULL;
  unsigned nsocks = balance == UVX_BALANCE_KERNEL ? count : 1;
  if (options->nsocks != 0)
    nsocks = options->nsocks;
  listener->loops = loops;
  listener->cb = options->cb;
  listener->data = options->data;
  listener->backlog = options->backlog;
  uv__queue_init(&listener->free);
  listener->nsocks = nsocks;
  if (balance == UVX_BALANCE_TURNS)
    listener->nservers = count + nsocks;
  else
    listener->nservers = nsocks < count ? count : nsocks;
  listener->is_shared =
      balance != UVX_BALANCE_TURNS && listener->nservers > nsocks;
  listener->socks = uv__calloc(nsocks, sizeof(*listener->socks));
  listener->servers =
      uv__calloc(listener->nservers, sizeof(*listener->servers));
  if (listener->socks == NULL || listener->servers == NULL) {
    listener->nservers = 0;
    listener_free(listener, 0);
    return NULL;
  }
  servers_init(listener, balance);
  return listener;
}

/* The server that has socket `i`. */
static struct uv__server* server_of_socket(const uvx_listener_t* listener,
                                           unsigned i) {
  unsigned first =
      listener->servers[0].role == UV__SERVER_FED ? listener->loops->count : 0;
  return &listener->servers[first + i];
}

static int keep_name(uvx_listener_t* listener) {
  listener->name_len = sizeof(listener->name);
  return uv__listener_os_name(listener->socks[0],
                              (struct sockaddr*) &listener->name,
                              &listener->name_len);
}

/* Binds all sockets to the address that the first one gets. */
static int bind_sockets(uvx_listener_t* listener,
                        const uvx_listen_options_t* options,
                        enum uvx_balance balance) {
  const struct sockaddr* addr = options->addr;
  unsigned flags = options->tcp_flags;

  if (balance == UVX_BALANCE_KERNEL)
    flags |= UV_TCP_REUSEPORT;
  for (unsigned i = 0; i < listener->nsocks; i++) {
    struct uv__server* server = server_of_socket(listener, i);
    int err =
        uv__listener_os_bind(addr, uv__addr_len(addr), flags, &server->sock);
    if (err != 0)
      return err;
    listener->socks[i] = server->sock;
    if (i > 0)
      continue;
    err = keep_name(listener);
    if (err != 0)
      return err;
    addr = (const struct sockaddr*) &listener->name;
  }
  return 0;
}

static int use_sockets(uvx_listener_t* listener,
                       const uvx_listen_options_t* options) {
  for (unsigned i = 0; i < listener->nsocks; i++) {
    listener->socks[i] = options->socks[i];
    server_of_socket(listener, i)->sock = options->socks[i];
  }
  return keep_name(listener);
}

/* Descriptors for the loops that share sockets; then all of them listen. */
static int finish_sockets(uvx_listener_t* listener) {
  unsigned nsocks = listener->nsocks;

  for (unsigned i = nsocks; listener->is_shared && i < listener->nservers;
       i++) {
    int err = uv__listener_os_dup(listener->socks[i % nsocks],
                                  &listener->servers[i].sock);
    if (err != 0)
      return err;
  }
  for (unsigned i = 0; i < nsocks; i++) {
    int err = uv__listener_os_listen(listener->socks[i], listener->backlog);
    if (err != 0)
      return err;
  }
  return 0;
}

static int make_sockets(uvx_listener_t* listener,
                        const uvx_listen_options_t* options,
                        enum uvx_balance balance) {
  int err = options->nsocks != 0 ? use_sockets(listener, options)
                                 : bind_sockets(listener, options, balance);
  return err != 0 ? err : finish_sockets(listener);
}

/* Forgets the program's sockets, so that they are not closed. */
static void give_sockets_back(uvx_listener_t* listener) {
  for (unsigned i = 0; i < listener->nsocks; i++)
    server_of_socket(listener, i)->sock = UV__NO_SOCK;
}

static void listener_begin(uvx_listener_t* listener, int is_running) {
  unsigned i = listener->loops->count;

  while (i-- > 0) {
    struct uv__branch* branch = &listener->branches[i];
    branch->attach.data = branch;
    if (is_running)
      (void) uvx_post(branch->slot->loop, &branch->attach, on_attach);
    else
      branch_add(branch);
  }
}

static enum uv__loops_state state_of(uvx_loops_t* loops) {
  uv_mutex_lock(&loops->mutex);
  enum uv__loops_state state = loops->state;
  uv_mutex_unlock(&loops->mutex);
  return state;
}

static int is_on_loop(const uvx_loops_t* loops) {
  const struct uv__managed* slot = uv__loops_current();
  return slot != NULL && slot->loops == loops;
}

/* May the caller listen now? 0 or UV_E*. */
static int check_caller(const uvx_loops_t* loops, enum uv__loops_state state) {
  if (state == UV__LOOPS_NEW)
    return 0;
  if (state >= UV__LOOPS_ENDING)
    return UV_ECANCELED;
  return is_on_loop(loops) ? 0 : UV_EPERM;
}

int uvx_loops_listen(uvx_loops_t* loops,
                     const uvx_listen_options_t* options,
                     uvx_listener_t** result) {
  if (loops == NULL || result == NULL || !options_are_valid(options))
    return UV_EINVAL;
  if (uv__loops_is_forked(loops))
    return UV_EPERM;
  enum uv__loops_state state = state_of(loops);
  int err = check_caller(loops, state);
  if (err != 0)
    return err;
  enum uvx_balance usual = uv__listener_os_balance();
  enum uvx_balance balance =
      options->balance == UVX_BALANCE_DEFAULT ? usual : options->balance;
  if (balance == UVX_BALANCE_KERNEL && usual != balance)
    return UV_ENOTSUP;

  uvx_listener_t* listener = listener_new(loops, options, balance);
  if (listener == NULL)
    return UV_ENOMEM;
  err = make_sockets(listener, options, balance);
  if (err != 0) {
    if (options->nsocks != 0)
      give_sockets_back(listener);
    listener_free(listener, 0);
    return err;
  }
  uv_mutex_lock(&loops->mutex);
  uv__queue_push_back(&loops->listeners, &listener->link);
  uv_mutex_unlock(&loops->mutex);
  *result = listener;
  listener_begin(listener, state != UV__LOOPS_NEW);
  return 0;
}

/* ---- questions ---- */

int uvx_listener_getsockname(const uvx_listener_t* listener,
                             struct sockaddr* name,
                             int* namelen) {
  if (listener == NULL || uv__addr_out_check(name, namelen) != 0)
    return UV_EINVAL;
  int room = *namelen;
  int len = listener->name_len;
  memcpy(name, &listener->name, (size_t) (room < len ? room : len));
  *namelen = len;
  return 0;
}

int uvx_listener_socks(const uvx_listener_t* listener,
                       uv_os_sock_t* socks,
                       unsigned* count) {
  if (listener == NULL || count == NULL || (socks == NULL && *count != 0))
    return UV_EINVAL;
  if (uv__load_relaxed(&listener->is_closing) ||
      state_of(listener->loops) >= UV__LOOPS_ENDING)
    return UV_ECANCELED;

  unsigned room = *count;
  unsigned n = 0;
  uv_mutex_lock(&listener->loops->mutex);
  for (unsigned i = 0; i < listener->nsocks; i++) {
    if (listener->socks[i] == UV__NO_SOCK)
      continue;
    if (n < room)
      socks[n] = listener->socks[i];
    n++;
  }
  uv_mutex_unlock(&listener->loops->mutex);
  *count = n;
  return n > room ? UV_ENOBUFS : 0;
}

/* ---- closing ---- */

/* All branches have ended. Context: any. */
static void listener_remove(uvx_listener_t* listener) {
  uv_mutex_lock(&listener->loops->mutex);
  uv__queue_remove(&listener->link);
  uv_mutex_unlock(&listener->loops->mutex);
  listener_free(listener, 0);
}

/* On the loop of the caller. */
static void on_finish(uvx_post_t* post) {
  uvx_listener_t* listener = post->data;
  void (*closed)(void*) = listener->closed;
  void* arg = listener->arg;

  listener_remove(listener);
  if (closed != NULL)
    uv__call_closed(closed, arg);
}

/* On the branch's loop. */
static void on_detach(uvx_post_t* post) {
  struct uv__branch* branch = post->data;

  branch->is_detached = 1;
  branch_close(branch);
  branch_check(branch);
}

static void branch_detach(struct uv__branch* branch) {
  branch->detach.data = branch;
  (void) uvx_post(branch->slot->loop, &branch->detach, on_detach);
}

/* On loop 0. */
static void count_detached(uvx_listener_t* listener) {
  if (++listener->detached < listener->loops->count)
    return;
  listener->finish.data = listener;
  (void) uvx_post(listener->closer, &listener->finish, on_finish);
}

static void on_detached(uvx_post_t* post) {
  struct uv__branch* branch = post->data;
  count_detached(branch->listener);
}

/* Nothing of the branch is left. */
static void branch_end(struct uv__branch* branch) {
  uvx_listener_t* listener = branch->listener;
  uvx_loops_t* loops = listener->loops;

  branch_remove(branch);
  if (branch != &listener->branches[0]) {
    (void) uvx_post(loops->slots[0].loop, &branch->detach, on_detached);
    return;
  }
  for (unsigned i = 1; i < loops->count; i++)
    branch_detach(&listener->branches[i]);
  count_detached(listener);
}

static int has_open_handle(const uvx_listener_t* listener) {
  for (unsigned i = 0; i < listener->loops->count; i++)
    if (listener->branches[i].pending != 0)
      return 1;
  return 0;
}

/* The loops do not run. */
static int close_at_once(uvx_listener_t* listener,
                         void (*closed)(void* arg),
                         void* arg) {
  if (has_open_handle(listener))
    return UV_EBUSY;
  for (unsigned i = 0; i < listener->loops->count; i++)
    branch_remove(&listener->branches[i]);
  listener_remove(listener);
  if (closed != NULL)
    uv__call_closed(closed, arg);
  return 0;
}

int uvx_listener_close(uvx_listener_t* listener,
                       void (*closed)(void* arg),
                       void* arg) {
  if (listener == NULL)
    return UV_EINVAL;
  uvx_loops_t* loops = listener->loops;
  if (uv__loops_is_forked(loops))
    return UV_EPERM;
  enum uv__loops_state state = state_of(loops);
  if (state == UV__LOOPS_NEW || state == UV__LOOPS_ENDED)
    return close_at_once(listener, closed, arg);
  if (!is_on_loop(loops))
    return UV_EPERM;
  if (uv__exchange(&listener->is_closing, 1) != 0)
    return UV_EALREADY;

  listener->closed = closed;
  listener->arg = arg;
  listener->closer = uvx_loop_current();
  branch_detach(&listener->branches[0]);
  return 0;
}

int uv__listener_is_open(const uvx_loops_t* loops) {
  const struct uv__queue* q = uv__queue_first(&loops->listeners);

  for (; q != &loops->listeners; q = uv__queue_next(q))
    if (has_open_handle(uv__queue_entry(q, const uvx_listener_t, link)))
      return 1;
  return 0;
}

void uv__listener_free_all(uvx_loops_t* loops, int is_forked) {
  while (!uv__queue_empty(&loops->listeners)) {
    struct uv__queue* q = uv__queue_pop_front(&loops->listeners);
    uvx_listener_t* listener = uv__queue_entry(q, uvx_listener_t, link);
    listener_free(listener, is_forked ? listener->nservers : 0);
  }
}
