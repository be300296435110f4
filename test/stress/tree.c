/* SPDX-License-Identifier: MIT */
/* A watched tree against a model. A thread makes, writes, moves, exchanges and
 * removes files and directories at random, also out of the tree and back, while
 * the loop watches and a second handle on the same tree comes and goes. Then
 * all is quiet, and
 *
 *   - each file that exists was named by one of the paths that it had since,
 *   - and so was each file that did not live that long, if its directory was
 *     watched when it was made, in rounds in which nothing is exchanged;
 *   - the kernel watches exactly the directories that a fresh walk finds.
 *
 * Names of files are unique; those of directories come from a small set, so
 * that they are used again and again. */
#include "stress.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_SIZE 512 /* more than any path here */
#define NODES_MAX 400
#define DEPTH_MAX 6
#define DIR_NAMES 12
#define OPS_MAX 300
#define SERIALS_MAX 4000000u
#define HASHES (1u << 22)
#define WATCHES_MAX 4096

struct node {
  struct node* parent; /* NULL: the root, or outside of the tree */
  unsigned serial;     /* of a file; 0: a directory */
  unsigned since;      /* the round in which it was made or came back */
  unsigned doubt;      /* the round in which it was last exchanged */
  int is_alive;
  int is_outside;
  char name[16];
};

/* The mutator's; the loop's thread looks between rounds. */
static struct node nodes[NODES_MAX]; /* [0] is the root */
static unsigned round_now;
static int has_exchanges; /* in this round */
static unsigned rng;
static unsigned last_serial;
static unsigned char* must; /* by serial: is to be named */

/* Both threads'. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t* valid;      /* hashes of all paths that files had */
static unsigned char* named; /* by serial */

static uv_loop_t loop;
static uv_fs_event_t watch;
static uv_fs_event_t second;
static size_t (*unscanned)(const uv_fs_event_t* handle);
static unsigned marker_seen;
static unsigned wrong; /* names that were never right */
static unsigned loop_rng;

/* ---- paths that are right ---- */

static uint64_t hash_path(const char* path) {
  uint64_t hash = UINT64_C(14695981039346656037);

  for (; *path != '\0'; path++)
    hash = (hash ^ (unsigned char) *path) * UINT64_C(1099511628211);
  return hash != 0 ? hash : 1;
}

static uint64_t* find_hash(uint64_t hash) {
  size_t i = (size_t) hash % HASHES;

  while (valid[i] != 0 && valid[i] != hash)
    i = (i + 1) % HASHES;
  return &valid[i];
}

static void append(char* path, const char* text) {
  size_t len = strlen(path);

  CHECK(len + strlen(text) < PATH_SIZE);
  memcpy(path + len, text, strlen(text) + 1);
}

/* Relative to the root; returns the depth. */
static int path_of(const struct node* node, char buf[PATH_SIZE]) {
  const struct node* chain[DEPTH_MAX * 4];
  int depth = 0;

  for (; node->parent != NULL; node = node->parent)
    chain[depth++] = node;
  buf[0] = '\0';
  for (int i = depth - 1; i >= 0; i--) {
    append(buf, chain[i]->name);
    append(buf, i == 0 ? "" : "/");
  }
  return depth;
}

static void full_path(const struct node* node, char buf[PATH_SIZE]) {
  char path[PATH_SIZE];
  const struct node* top = node;

  while (top->parent != NULL)
    top = top->parent;
  buf[0] = '\0';
  append(buf, top->is_outside ? "outside/" : "root");
  append(buf, top->name);
  if (path_of(node, path) != 0)
    append(buf, "/");
  append(buf, path);
}

static int is_below(const struct node* node, const struct node* top) {
  while (node != NULL && node != top)
    node = node->parent;
  return node == top;
}

/* All files below now have these paths, too. Called before it becomes true. */
static void paths_become_valid(const struct node* top) {
  char path[PATH_SIZE];

  pthread_mutex_lock(&lock);
  for (int i = 1; i < NODES_MAX; i++) {
    const struct node* node = &nodes[i];
    if (node->is_alive && node->serial != 0 && is_below(node, top)) {
      path_of(node, path);
      uint64_t hash = hash_path(path);
      *find_hash(hash) = hash;
    }
  }
  pthread_mutex_unlock(&lock);
}

/* ---- what the thread does ---- */

static int is_in_tree(const struct node* node) {
  while (node->parent != NULL)
    node = node->parent;
  return node == &nodes[0];
}

static struct node* pick(int want_dir) {
  unsigned first = stress_random(&rng, NODES_MAX);

  for (unsigned i = 0; i < NODES_MAX; i++) {
    struct node* node = &nodes[(first + i) % NODES_MAX];
    if (node->is_alive && (node->serial == 0) == want_dir &&
        !node->is_outside && is_in_tree(node))
      return node;
  }
  return &nodes[0];
}

static struct node* find_child(const struct node* parent, const char* name) {
  for (int i = 1; i < NODES_MAX; i++)
    if (nodes[i].is_alive && nodes[i].parent == parent &&
        strcmp(nodes[i].name, name) == 0)
      return &nodes[i];
  return NULL;
}

static int is_empty(const struct node* dir) {
  for (int i = 1; i < NODES_MAX; i++)
    if (nodes[i].is_alive && nodes[i].parent == dir)
      return 0;
  return 1;
}

static struct node* new_node(struct node* parent) {
  char path[PATH_SIZE];

  if (path_of(parent, path) >= DEPTH_MAX)
    return NULL;
  for (int i = 1; i < NODES_MAX; i++) {
    if (!nodes[i].is_alive) {
      memset(&nodes[i], 0, sizeof(nodes[i]));
      nodes[i].parent = parent;
      nodes[i].since = round_now;
      return &nodes[i];
    }
  }
  return NULL;
}

static void make_dir(void) {
  struct node* node = new_node(pick(1));
  char path[PATH_SIZE];

  if (node == NULL)
    return;
  snprintf(node->name, sizeof(node->name), "d%u",
           stress_random(&rng, DIR_NAMES));
  if (find_child(node->parent, node->name) != NULL)
    return;
  node->is_alive = 1;
  full_path(node, path);
  CHECK(mkdir(path, 0700) == 0);
}

/* Watched since the end of an earlier round, under a name without doubt? */
static int is_surely_watched(const struct node* dir) {
  for (; dir->parent != NULL; dir = dir->parent)
    if (dir->since == round_now || dir->doubt == round_now)
      return 0;
  return 1;
}

static void make_file(void) {
  struct node* node = new_node(pick(1));
  char path[PATH_SIZE];

  if (node == NULL || last_serial + 1 == SERIALS_MAX)
    return;
  node->serial = ++last_serial;
  node->is_alive = 1;
  snprintf(node->name, sizeof(node->name), "f%u", node->serial);
  must[node->serial] =
      (unsigned char) (!has_exchanges && is_surely_watched(node->parent));
  paths_become_valid(node);
  full_path(node, path);
  int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  CHECK(fd >= 0);
  close(fd);
}

static void write_file(void) {
  struct node* node = pick(0);
  char path[PATH_SIZE];

  if (node->serial == 0)
    return;
  full_path(node, path);
  int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  CHECK(fd >= 0);
  CHECK(write(fd, "x", 1) == 1);
  close(fd);
}

static void remove_one(void) {
  struct node* node = pick((int) stress_random(&rng, 2));
  char path[PATH_SIZE];

  if (node == &nodes[0] || (node->serial == 0 && !is_empty(node)))
    return;
  full_path(node, path);
  CHECK((node->serial == 0 ? rmdir(path) : unlink(path)) == 0);
  node->is_alive = 0;
}

/* The height of what is below. */
static int height_of(const struct node* top) {
  char path[PATH_SIZE];
  int least = path_of(top, path);
  int most = least;

  for (int i = 1; i < NODES_MAX; i++)
    if (nodes[i].is_alive && is_below(&nodes[i], top)) {
      int depth = path_of(&nodes[i], path);
      most = depth > most ? depth : most;
    }
  return most - least;
}

static void move_one(void) {
  struct node* node = pick((int) stress_random(&rng, 2));
  struct node* parent = pick(1);
  char from[PATH_SIZE];
  char to[PATH_SIZE];

  if (node == &nodes[0] || is_below(parent, node) ||
      path_of(parent, from) + 1 + height_of(node) > DEPTH_MAX)
    return;
  struct node moved = *node;
  moved.parent = parent;
  if (node->serial == 0)
    snprintf(moved.name, sizeof(moved.name), "d%u",
             stress_random(&rng, DIR_NAMES));
  struct node* there = find_child(parent, moved.name);
  if (there == node || (there != NULL && !is_empty(there)))
    return;
  full_path(node, from);
  *node = moved;
  paths_become_valid(node);
  full_path(node, to);
  CHECK(rename(from, to) == 0);
  if (there != NULL)
    there->is_alive = 0;
}

static void exchange(void) {
  struct node* one = pick(1);
  struct node* other = pick(1);
  char from[PATH_SIZE];
  char to[PATH_SIZE];

  if (!has_exchanges || one == &nodes[0] || other == &nodes[0] ||
      is_below(one, other) || is_below(other, one) ||
      path_of(one, from) + height_of(other) > DEPTH_MAX ||
      path_of(other, to) + height_of(one) > DEPTH_MAX)
    return;
  full_path(one, from);
  full_path(other, to);
  struct node was = *one;
  one->parent = other->parent;
  memcpy(one->name, other->name, sizeof(one->name));
  other->parent = was.parent;
  memcpy(other->name, was.name, sizeof(other->name));
  one->doubt = round_now;
  other->doubt = round_now;
  paths_become_valid(one);
  paths_become_valid(other);
  CHECK(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 2) == 0);
}

/* Out of the tree, or back into it. */
static void move_out_or_in(void) {
  static struct node* outside;
  char from[PATH_SIZE];
  char to[PATH_SIZE];

  if (outside == NULL) {
    struct node* node = pick(1);
    if (node == &nodes[0])
      return;
    full_path(node, from);
    node->parent = NULL;
    node->is_outside = 1;
    full_path(node, to);
    CHECK(rename(from, to) == 0);
    outside = node;
    return;
  }
  struct node* parent = pick(1);
  if (find_child(parent, outside->name) != NULL ||
      path_of(parent, from) + 1 + height_of(outside) > DEPTH_MAX)
    return;
  full_path(outside, from);
  outside->parent = parent;
  outside->is_outside = 0;
  outside->since = round_now;
  paths_become_valid(outside);
  full_path(outside, to);
  CHECK(rename(from, to) == 0);
  outside = NULL;
}

static void change_tree(void* arg) {
  static void (*const ops[])(void) = {
    make_dir,   make_dir,   make_dir,       make_file, make_file, make_file,
    make_file,  make_file,  write_file,     move_one,  move_one,  move_one,
    remove_one, remove_one, move_out_or_in, exchange,
  };
  unsigned count = 1 + stress_random(&rng, OPS_MAX);
  unsigned pause = stress_random(&rng, 4);

  has_exchanges = stress_random(&rng, 3) == 0;
  (void) arg;
  for (unsigned i = 0; i < count; i++) {
    ops[stress_random(&rng, sizeof(ops) / sizeof(ops[0]))]();
    if (pause != 0 && stress_random(&rng, 20 * pause) == 0)
      usleep(stress_random(&rng, 500));
  }
}

/* ---- the loop ---- */

static void on_second(uv_fs_event_t* handle,
                      const char* path,
                      int events,
                      int status) {
  (void) path;
  (void) events;
  CHECK(status == 0);
  if (stress_random(&loop_rng, 50) == 0)
    CHECK(uv_fs_event_stop(handle) == 0);
}

static void toggle_second(void) {
  if (uv_is_active((uv_handle_t*) &second))
    CHECK(uv_fs_event_stop(&second) == 0);
  else
    CHECK(uv_fs_event_start(&second, on_second, "root",
                            UV_FS_EVENT_RECURSIVE) == 0);
}

static void on_event(uv_fs_event_t* handle,
                     const char* path,
                     int events,
                     int status) {
  unsigned number;

  (void) handle;
  (void) events;
  CHECK(status == 0);
  CHECK(path != NULL); /* no overflow: there are not so many */
  const char* name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  if (sscanf(name, "marker%u", &number) == 1)
    marker_seen = number;
  if (sscanf(name, "f%u", &number) == 1) {
    pthread_mutex_lock(&lock);
    if (*find_hash(hash_path(path)) != 0)
      named[number] = 1;
    else
      wrong++;
    pthread_mutex_unlock(&lock);
  }
  if (stress_random(&loop_rng, 100) == 0)
    toggle_second();
}

/* Until everything that has happened is reported. */
static void settle(void) {
  static unsigned marker;

  for (int i = 0; i < 2 || unscanned(&watch) != 0; i++) {
    char path[64];
    snprintf(path, sizeof(path), "root/marker%u", ++marker);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK(fd >= 0);
    close(fd);
    while (marker_seen != marker || unscanned(&watch) != 0 ||
           (uv_is_active((uv_handle_t*) &second) && unscanned(&second) != 0))
      CHECK(uv_run(&loop, UV_RUN_ONCE) != 0);
    CHECK(unlink(path) == 0);
  }
  /* Watches that nobody uses stay until no scan is out. */
  while (loop.active_reqs.count != 0)
    CHECK(uv_run(&loop, UV_RUN_ONCE) != 0);
}

static unsigned long inodes[WATCHES_MAX];
static int ninodes;
static int nfound;

/* Each once: a scan that is out has a copy of the descriptor. */
static void add_inode(unsigned long inode) {
  for (int i = 0; i < ninodes; i++)
    if (inodes[i] == inode)
      return;
  CHECK(ninodes < WATCHES_MAX);
  inodes[ninodes++] = inode;
}

static void read_watches(void) {
  DIR* fds = opendir("/proc/self/fd");
  const struct dirent* entry;
  unsigned long inode;
  char line[512];

  CHECK(fds != NULL);
  ninodes = 0;
  while ((entry = readdir(fds)) != NULL) {
    snprintf(line, sizeof(line), "/proc/self/fdinfo/%.20s", entry->d_name);
    FILE* file = fopen(line, "r");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
      if (sscanf(line, "inotify wd:%*x ino:%lx", &inode) == 1)
        add_inode(inode);
    if (file != NULL)
      fclose(file);
  }
  closedir(fds);
}

static int check_entry(const char* path,
                       const struct stat* st,
                       int type,
                       struct FTW* ftw) {
  unsigned serial;

  if (type == FTW_F && sscanf(path + ftw->base, "f%u", &serial) == 1 &&
      !named[serial]) {
    fprintf(stderr, "# never named: %s\n", path);
    return 1;
  }
  if (type != FTW_D)
    return 0;
  for (int i = 0; i < ninodes; i++) {
    if (inodes[i] == st->st_ino) {
      nfound++;
      return 0;
    }
  }
  fprintf(stderr, "# not watched: %s\n", path);
  return 1;
}

static void check_round(void) {
  static unsigned checked;

  read_watches();
  nfound = 0;
  CHECK(nftw("root", check_entry, 16, FTW_PHYS) == 0);
  if (nfound != ninodes)
    fprintf(stderr, "# %d watches for %d directories\n", ninodes, nfound);
  CHECK(nfound == ninodes);
  for (; checked < last_serial; checked++) {
    if (must[checked + 1] && !named[checked + 1])
      fprintf(stderr, "# lived and was never named: f%u\n", checked + 1);
    CHECK(!must[checked + 1] || named[checked + 1]);
  }
}

static int remove_entry(const char* path,
                        const struct stat* st,
                        int type,
                        struct FTW* ftw) {
  (void) st;
  (void) type;
  (void) ftw;
  return remove(path);
}

static void run_round(void) {
  uv_thread_t thread;

  round_now++;
  CHECK(uv_thread_create(&thread, change_tree, NULL) == 0);
  for (unsigned i = stress_random(&loop_rng, 200); i > 0; i--)
    uv_run(&loop, UV_RUN_NOWAIT);
  CHECK(uv_thread_join(&thread) == 0);
  settle();
  check_round();
  stress_progress();
}

static void find_unscanned(void) {
  void* symbol = dlsym(RTLD_DEFAULT, "uvx_fs_event_unscanned");

  memcpy(&unscanned, &symbol, sizeof(unscanned));
}

static void tree(void) {
  char dir[] = "/tmp/uv-stress-XXXXXX";

  find_unscanned();
  if (unscanned == NULL) {
    stress_progress(); /* libuv: there is nothing to be compared */
    return;
  }
  must = calloc(SERIALS_MAX, 1);
  named = calloc(SERIALS_MAX, 1);
  valid = calloc(HASHES, sizeof(*valid));
  CHECK(must != NULL && named != NULL && valid != NULL);
  CHECK(mkdtemp(dir) != NULL && chdir(dir) == 0);
  CHECK(mkdir("root", 0700) == 0 && mkdir("outside", 0700) == 0);
  rng = stress_seed() | 1;
  loop_rng = rng;
  nodes[0].is_alive = 1;

  CHECK(uv_loop_init(&loop) == 0);
  CHECK(uv_fs_event_init(&loop, &watch) == 0);
  CHECK(uv_fs_event_init(&loop, &second) == 0);
  CHECK(uv_fs_event_start(&watch, on_event, "root", UV_FS_EVENT_RECURSIVE) ==
        0);
  do /* once at least: the preparations may have taken all of the time */
    run_round();
  while (stress_goes_on());
  fprintf(stderr, "# tree: %u files, %u reports with a path that was not\n",
          last_serial, wrong);
  uv_close((uv_handle_t*) &watch, NULL);
  uv_close((uv_handle_t*) &second, NULL);
  CHECK(uv_run(&loop, UV_RUN_DEFAULT) == 0);
  CHECK(uv_loop_close(&loop) == 0);
  CHECK(chdir("/") == 0);
  CHECK(nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0);
  free(must);
  free(named);
  free(valid);
}

const struct scenario tree_scenarios[] = {
  { "tree", tree, ALONE },
  { NULL, NULL, 0 },
};
