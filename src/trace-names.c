/* SPDX-License-Identifier: MIT */
#include "trace-names.h"

static const char* const phase_names[] = {
  [UV__PHASE_TIMERS] = "timers", [UV__PHASE_PENDING] = "pending",
  [UV__PHASE_IDLE] = "idle",     [UV__PHASE_PREPARE] = "prepare",
  [UV__PHASE_POLL] = "poll",     [UV__PHASE_EVENTS] = "events",
  [UV__PHASE_CHECK] = "check",   [UV__PHASE_CLOSING] = "closing",
};
static_assert(ARRAY_SIZE(phase_names) == UV__PHASE_MAX, "one per phase");

static const char* const fs_types[] = {
  [UV_FS_CUSTOM] = "custom",       [UV_FS_OPEN] = "open",
  [UV_FS_CLOSE] = "close",         [UV_FS_READ] = "read",
  [UV_FS_WRITE] = "write",         [UV_FS_SENDFILE] = "sendfile",
  [UV_FS_STAT] = "stat",           [UV_FS_LSTAT] = "lstat",
  [UV_FS_FSTAT] = "fstat",         [UV_FS_FTRUNCATE] = "ftruncate",
  [UV_FS_UTIME] = "utime",         [UV_FS_FUTIME] = "futime",
  [UV_FS_ACCESS] = "access",       [UV_FS_CHMOD] = "chmod",
  [UV_FS_FCHMOD] = "fchmod",       [UV_FS_FSYNC] = "fsync",
  [UV_FS_FDATASYNC] = "fdatasync", [UV_FS_UNLINK] = "unlink",
  [UV_FS_RMDIR] = "rmdir",         [UV_FS_MKDIR] = "mkdir",
  [UV_FS_MKDTEMP] = "mkdtemp",     [UV_FS_RENAME] = "rename",
  [UV_FS_SCANDIR] = "scandir",     [UV_FS_LINK] = "link",
  [UV_FS_SYMLINK] = "symlink",     [UV_FS_READLINK] = "readlink",
  [UV_FS_CHOWN] = "chown",         [UV_FS_FCHOWN] = "fchown",
  [UV_FS_REALPATH] = "realpath",   [UV_FS_COPYFILE] = "copyfile",
  [UV_FS_LCHOWN] = "lchown",       [UV_FS_OPENDIR] = "opendir",
  [UV_FS_READDIR] = "readdir",     [UV_FS_CLOSEDIR] = "closedir",
  [UV_FS_STATFS] = "statfs",       [UV_FS_MKSTEMP] = "mkstemp",
  [UV_FS_LUTIME] = "lutime",
};

const char* uv__phase_name(enum uv__phase phase) {
  return phase < UV__PHASE_MAX ? phase_names[phase] : "unknown";
}

const char* uv__fs_type_name(unsigned type) {
  return type < ARRAY_SIZE(fs_types) ? fs_types[type] : "unknown";
}

const char* uv__record_type_name(unsigned type) {
  const char* name =
      type < UV__RECORD_REQ
          ? uv_handle_type_name((uv_handle_type) type)
          : uv_req_type_name((uv_req_type) (type - UV__RECORD_REQ));
  return name != NULL ? name : "unknown";
}
