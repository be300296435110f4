/* SPDX-License-Identifier: MIT */
#include "fs-event-tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#if __has_include(<sys/syscall.h>)
# include <sys/syscall.h>
#endif
#include <unistd.h>

static struct tree_name** bucket_of(struct tree* tree, const char* path) {
  unsigned hash = 5381;

  for (const char* p = path; *p != '\0'; p++)
    hash = hash * 33 + (unsigned char) *p;
  return &tree->names[hash % ARRAY_SIZE(tree->names)];
}

static struct tree_name* find_name(struct tree* tree, const char* path) {
  struct tree_name* name = *bucket_of(tree, path);

  while (name != NULL && strcmp(name->path, path) != 0)
    name = name->next;
  return name;
}

static void add_events(struct tree* tree, const char* path, int events) {
  struct tree_name* name = find_name(tree, path);

  if (name == NULL) {
    name = malloc(sizeof(*name) + strlen(path) + 1);
    ASSERT_NOT_NULL(name);
    name->events = 0;
    memcpy(name->path, path, strlen(path) + 1);
    struct tree_name** bucket = bucket_of(tree, path);
    name->next = *bucket;
    *bucket = name;
  }
  name->events |= events;
}

void tree_on_event(uv_fs_event_t* handle,
                   const char* name,
                   int events,
                   int status) {
  struct tree* tree = handle->data;

  tree->ncalls++;
  if (status != 0) {
    ASSERT_NE(0, tree->is_error_expected);
    ASSERT_EQ(0, events);
    ASSERT_NOT_NULL(name);
    tree->nerrors++;
    tree->error = status;
    snprintf(tree->error_path, sizeof(tree->error_path), "%s", name);
  } else if (name == NULL) {
    ASSERT_EQ(UV_CHANGE, events);
    tree->noverflows++;
  } else {
    ASSERT_NE(0, events);
    add_events(tree, name, events);
  }
}

void tree_add(struct tree* tree, uv_loop_t* loop, const char* root) {
  tree->root = root;
  ASSERT_OK(uv_fs_event_init(loop, &tree->handle));
  tree->handle.data = tree;
  ASSERT_OK(uv_fs_event_start(&tree->handle, tree_on_event, root,
                              UV_FS_EVENT_RECURSIVE));
}

void tree_start(struct tree* tree,
                const char* root,
                uvx_fs_event_filter_cb filter) {
  struct stat st;

  tree->root = root;
  ASSERT_OK(uv_loop_init(&tree->loop));
  ASSERT_OK(uv_fs_event_init(&tree->loop, &tree->handle));
  tree->handle.data = tree;
  if (uvx_fs_event_filter(&tree->handle, filter) == UV_ENOTSUP)
    SKIP("kqueue knows no trees: the flag has no effect");
  if (stat(root, &st) != 0)
    test_mkdir(root);
  ASSERT_OK(uv_fs_event_start(&tree->handle, tree_on_event, root,
                              UV_FS_EVENT_RECURSIVE));
}

void tree_end(struct tree* tree) {
  test_close_loop(&tree->loop);
  for (size_t i = 0; i < ARRAY_SIZE(tree->names); i++) {
    while (tree->names[i] != NULL) {
      struct tree_name* name = tree->names[i];
      tree->names[i] = name->next;
      free(name);
    }
  }
}

int tree_events(struct tree* tree, const char* path) {
  const struct tree_name* name = find_name(tree, path);
  return name == NULL ? 0 : name->events;
}

void tree_wait(struct tree* tree, const char* path) {
  while (tree_events(tree, path) == 0)
    ASSERT_NE(0, uv_run(tree->handle.loop, UV_RUN_ONCE));
}

/* An event in a directory of its own comes after all that are queued. */
void tree_settle(struct tree* tree) {
  static struct tree marker;
  static int count;
  uv_loop_t* loop = tree->handle.loop;
  char name[32];

  do {
    memset(&marker, 0, sizeof(marker));
    snprintf(name, sizeof(name), "settle-%d", count++);
    if (count == 1)
      test_mkdir("settle");
    ASSERT_OK(uv_fs_event_init(loop, &marker.handle));
    marker.handle.data = &marker;
    ASSERT_OK(uv_fs_event_start(&marker.handle, tree_on_event, "settle", 0));
    char path[64];
    snprintf(path, sizeof(path), "settle/%s", name);
    test_write_file(path, "");
    tree_wait(&marker, name);
    while (uvx_fs_event_unscanned(&tree->handle) != 0)
      ASSERT_NE(0, uv_run(loop, UV_RUN_ONCE));
    uv_close((uv_handle_t*) &marker.handle, NULL);
    ASSERT_NE(0, uv_run(loop, UV_RUN_NOWAIT));
    for (size_t i = 0; i < ARRAY_SIZE(marker.names); i++) {
      while (marker.names[i] != NULL) {
        struct tree_name* next = marker.names[i]->next;
        free(marker.names[i]);
        marker.names[i] = next;
      }
    }
  } while (uvx_fs_event_unscanned(&tree->handle) != 0);
  /* Watches that nobody uses stay until no scan is out. */
  while (loop->active_reqs.count != 0)
    ASSERT_NE(0, uv_run(loop, UV_RUN_ONCE));
}

/* ---- what the kernel watches ---- */

#define WATCHES_MAX 1024

static unsigned long inodes[WATCHES_MAX];
static int ninodes;
static int nfound;

/* Each once: a scan that is out has a copy of the descriptor. */
static void add_inode(unsigned long inode) {
  for (int i = 0; i < ninodes; i++)
    if (inodes[i] == inode)
      return;
  ASSERT_LT(ninodes, WATCHES_MAX);
  inodes[ninodes++] = inode;
}

static void read_fdinfo(const char* fd) {
  char path[64];
  char line[512];
  unsigned long inode;

  snprintf(path, sizeof(path), "/proc/self/fdinfo/%.20s", fd);
  FILE* file = fopen(path, "r");
  if (file == NULL)
    return;
  while (fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "inotify wd:%*x ino:%lx", &inode) == 1)
      add_inode(inode);
  }
  fclose(file);
}

void tree_exchange(const char* one, const char* other) {
#ifdef SYS_renameat2
  long err = syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other,
                     2 /* RENAME_EXCHANGE */);
  if (err != 0 && (errno == EINVAL || errno == ENOSYS))
    SKIP("the file system cannot exchange names");
  ASSERT_EQ(0, err);
#else
  (void) one;
  (void) other;
  SKIP("this system cannot exchange names");
#endif
}

int tree_count_watches(void) {
  DIR* fds = opendir("/proc/self/fd");
  const struct dirent* entry;

  ninodes = 0;
  if (fds == NULL)
    SKIP("there is no /proc");
  while ((entry = readdir(fds)) != NULL)
    read_fdinfo(entry->d_name);
  closedir(fds);
  return ninodes;
}

static int find_inode(const char* path,
                      const struct stat* st,
                      int type,
                      struct FTW* ftw) {
  (void) ftw;
  if (type != FTW_D && type != FTW_DNR)
    return 0;
  for (int i = 0; i < ninodes; i++) {
    if (inodes[i] == st->st_ino) {
      nfound++;
      return 0;
    }
  }
  fprintf(stderr, "not watched: %s\n", path);
  return 1;
}

void tree_check(struct tree* tree) {
  int count = tree_count_watches();

  nfound = 0;
  ASSERT_EQ(0, nftw(tree->root, find_inode, 16, FTW_PHYS));
  ASSERT_EQ(nfound, count);
}
