/* SPDX-License-Identifier: MIT */
/* A list of directory entries without an allocation for each.
 *
 * The entries are records in one growing block: a byte for the type, the name,
 * a NUL. Pointers are computed only when all records are complete.
 * Context: one thread at a time.
 */
#ifndef UV_OS_FS_ENTRIES_H_
#define UV_OS_FS_ENTRIES_H_

#include "util/base.h"

struct uv__entries {
  char* records;       /* the block, or NULL while there is no entry */
  size_t used;         /* bytes of it in use */
  size_t size;         /* bytes of it allocated */
  size_t count;        /* number of records */
  const char** sorted; /* the records in order of their names, or NULL */
  size_t next;         /* index in `sorted` of the next entry to return */
};

/* Appends an entry with copies: 0 or UV_ENOMEM. "." and ".." are left out. */
int uv__entries_add(struct uv__entries* entries,
                    const char* name,
                    uv_dirent_type_t type);

/* Stores the next entry: 0 or UV_EOF. The name lives until free. */
int uv__entries_next(struct uv__entries* entries, uv_dirent_t* out);

/* Stores all `count` entries as they came. The names live in the block. */
void uv__entries_list(const struct uv__entries* entries, uv_dirent_t* out);

/* Ends a scan with result `err`: sorts the entries and passes them on as *ptr,
 * which the caller closes and frees. Returns their number (*ptr is untouched if
 * that is 0) or UV_E*, with nothing left. */
ssize_t uv__entries_finish(struct uv__entries* entries, int err, void** ptr);

/* Frees the members, not the structure. */
void uv__entries_close(struct uv__entries* entries);

#endif /* UV_OS_FS_ENTRIES_H_ */
