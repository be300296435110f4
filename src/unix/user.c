/* SPDX-License-Identifier: MIT */
/* Users, groups and their directories.
 *
 * A record of the user database is read into a scratch buffer that grows until
 * it fits; the caller gets one block with everything. Context: any.
 */
#include "os/system.h"
#include "unix/os.h"
#include "util/alloc.h"
#include "util/out-string.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Scratch for one record. Groups may list thousands of members, but a directory
 * service that needs more than the maximum is broken. */
#define RECORD_SIZE_MIN ((size_t) 2 << 10)
#define RECORD_SIZE_MAX ((size_t) 16 << 20)

/* A looked-up record: `pw` or `gr`, whose strings lie in `scratch`. */
struct record {
  struct passwd pw;
  struct group gr;
  char* scratch; /* owned */
};

/* One attempt: 0, UV_ENOENT if there is no such id, or UV_E*. */
typedef int (*record_lookup)(struct record* record, id_t id, size_t size);

/* No record is a NULL result with 0. Some name services return an error instead
 * (see ERRORS in getpwnam(3)), which the caller gets as it is. */
static int lookup_result(int err, const void* found) {
  if (err == 0 && found == NULL)
    return UV_ENOENT;
  return -err;
}

static int lookup_user(struct record* record, id_t id, size_t size) {
  struct passwd* found = NULL;
  int err = getpwuid_r((uid_t) id, &record->pw, record->scratch, size, &found);
  return lookup_result(err, found);
}

static int lookup_group(struct record* record, id_t id, size_t size) {
  struct group* found = NULL;
  int err = getgrgid_r((gid_t) id, &record->gr, record->scratch, size, &found);
  return lookup_result(err, found);
}

/* On success the caller frees record->scratch. */
static int record_get(struct record* record, id_t id, record_lookup lookup) {
  for (size_t size = RECORD_SIZE_MIN; size <= RECORD_SIZE_MAX; size *= 2) {
    record->scratch = uv__malloc(size);
    if (record->scratch == NULL)
      return UV_ENOMEM;

    int err = lookup(record, id, size);
    while (err == UV_EINTR)
      err = lookup(record, id, size);
    if (err == 0)
      return 0;

    uv__free(record->scratch);
    if (err != -ERANGE)
      return err;
  }
  return UV_ENOMEM;
}

/* Appends `text` at *to and advances it; returns where the copy starts. */
static char* text_append(char** to, const char* text) {
  char* at = *to;
  size_t size = strlen(text) + 1;
  memcpy(at, text, size);
  *to += size;
  return at;
}

static const char* text_or_empty(const char* text) {
  return text == NULL ? "" : text;
}

int uv_os_get_passwd2(uv_passwd_t* pwd, uv_uid_t uid) {
  if (pwd == NULL)
    return UV_EINVAL;

  struct record record;
  int err = record_get(&record, (id_t) uid, lookup_user);
  if (err != 0)
    return err;

  const char* name = text_or_empty(record.pw.pw_name);
  const char* home = text_or_empty(record.pw.pw_dir);
  const char* shell = text_or_empty(record.pw.pw_shell);
  char* text = uv__malloc(strlen(name) + strlen(home) + strlen(shell) + 3);
  if (text != NULL) {
    /* The user name comes first: freeing it frees all three. */
    pwd->username = text_append(&text, name);
    pwd->homedir = text_append(&text, home);
    pwd->shell = text_append(&text, shell);
    pwd->uid = record.pw.pw_uid;
    pwd->gid = record.pw.pw_gid;
  } else {
    err = UV_ENOMEM;
  }
  uv__free(record.scratch);
  return err;
}

int uv_os_get_passwd(uv_passwd_t* pwd) {
  return uv_os_get_passwd2(pwd, geteuid());
}

void uv_os_free_passwd(uv_passwd_t* pwd) {
  if (pwd == NULL)
    return;
  uv__free(pwd->username);
  pwd->username = NULL;
  pwd->homedir = NULL;
  pwd->shell = NULL;
}

/* The block of a group: the member table with its NULL, the members, the
 * group's name. */
static int group_copy(uv_group_t* grp, const struct group* from) {
  static char* nobody[] = { NULL };
  char** members = from->gr_mem == NULL ? nobody : from->gr_mem;
  const char* name = text_or_empty(from->gr_name);

  size_t count = 0;
  size_t bytes = strlen(name) + 1;
  for (; members[count] != NULL; count++)
    bytes += strlen(members[count]) + 1;

  size_t table = (count + 1) * sizeof(char*);
  char** block = uv__malloc(table + bytes);
  if (block == NULL)
    return UV_ENOMEM;

  char* text = (char*) block + table;
  for (size_t i = 0; i < count; i++)
    block[i] = text_append(&text, members[i]);
  block[count] = NULL;
  grp->members = block;
  grp->groupname = text_append(&text, name);
  grp->gid = from->gr_gid;
  return 0;
}

int uv_os_get_group(uv_group_t* grp, uv_uid_t gid) {
  if (grp == NULL)
    return UV_EINVAL;

  struct record record;
  int err = record_get(&record, (id_t) gid, lookup_group);
  if (err != 0)
    return err;
  err = group_copy(grp, &record.gr);
  uv__free(record.scratch);
  return err;
}

void uv_os_free_group(uv_group_t* grp) {
  if (grp == NULL)
    return;
  uv__free(grp->members);
  grp->members = NULL;
  grp->groupname = NULL;
}

int uv_os_homedir(char* buffer, size_t* size) {
  int err = uv_os_getenv("HOME", buffer, size);
  if (err != UV_ENOENT)
    return err;

  uv_passwd_t pwd;
  err = uv_os_get_passwd(&pwd);
  if (err != 0)
    return err;
  err = uv__out_string_put(pwd.homedir, strlen(pwd.homedir), buffer, size);
  uv_os_free_passwd(&pwd);
  return err;
}

int uv__os_tmpdir(char* buffer, size_t* size) {
  static const char* const names[] = { "TMPDIR", "TMP", "TEMP", "TEMPDIR" };

  const char* dir = NULL;
  for (size_t i = 0; i < ARRAY_SIZE(names) && dir == NULL; i++)
    dir = getenv(names[i]);
  if (dir == NULL)
    dir = UV__DEFAULT_TMPDIR;

  /* As in libuv, the buffer must have room for the trailing slash too. */
  size_t len = strlen(dir);
  if (len < *size && len > 1 && dir[len - 1] == '/')
    len--;
  return uv__out_string_put(dir, len, buffer, size);
}
