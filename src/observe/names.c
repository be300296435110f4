/* SPDX-License-Identifier: MIT */
#include "observe/names.h"

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
  if (type == UV__RECORD_POST)
    return "post";
  const char* name =
      type < UV__RECORD_REQ
          ? uv_handle_type_name((uv_handle_type) type)
          : uv_req_type_name((uv_req_type) (type - UV__RECORD_REQ));
  return name != NULL ? name : "unknown";
}

const struct uv__call_row uv__calls[] = {
  [UV__CALL_AFTER_WORK] = { "after_work", UV__KEY_STATUS, UV__KEY_STATUS,
                            UV__KEY_NONE },
  [UV__CALL_ALLOC] = { "alloc", UV__KEY_BYTES, UV__KEY_NONE, UV__KEY_FD },
  [UV__CALL_ASYNC] = { "async", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_CHECK] = { "check", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_CLOSE] = { "close", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_CONNECT] = { "connect", UV__KEY_STATUS, UV__KEY_STATUS,
                         UV__KEY_FD },
  [UV__CALL_CONNECTION] = { "connection", UV__KEY_STATUS, UV__KEY_STATUS,
                            UV__KEY_FD },
  [UV__CALL_EXIT] = { "exit", UV__KEY_STATUS, UV__KEY_STATUS, UV__KEY_PID },
  [UV__CALL_FS] = { "fs", UV__KEY_STATUS, UV__KEY_STATUS, UV__KEY_FD },
  [UV__CALL_FS_EVENT] = { "fs_event", UV__KEY_STATUS, UV__KEY_STATUS,
                          UV__KEY_NONE },
  [UV__CALL_FS_POLL] = { "fs_poll", UV__KEY_STATUS, UV__KEY_STATUS,
                         UV__KEY_NONE },
  [UV__CALL_GETADDRINFO] = { "getaddrinfo", UV__KEY_STATUS, UV__KEY_STATUS,
                             UV__KEY_NONE },
  [UV__CALL_GETNAMEINFO] = { "getnameinfo", UV__KEY_STATUS, UV__KEY_STATUS,
                             UV__KEY_NONE },
  [UV__CALL_IDLE] = { "idle", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_POLL] = { "poll", UV__KEY_STATUS, UV__KEY_STATUS, UV__KEY_FD },
  [UV__CALL_POST] = { "post", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_PREPARE] = { "prepare", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_RANDOM] = { "random", UV__KEY_STATUS, UV__KEY_STATUS,
                        UV__KEY_NONE },
  [UV__CALL_READ] = { "read", UV__KEY_BYTES, UV__KEY_STATUS, UV__KEY_FD },
  [UV__CALL_RECV] = { "recv", UV__KEY_BYTES, UV__KEY_STATUS, UV__KEY_FD },
  [UV__CALL_SEND] = { "send", UV__KEY_STATUS, UV__KEY_STATUS, UV__KEY_FD },
  [UV__CALL_SHUTDOWN] = { "shutdown", UV__KEY_STATUS, UV__KEY_STATUS,
                          UV__KEY_FD },
  [UV__CALL_SIGNAL] = { "signal", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_SIGNUM },
  [UV__CALL_TIMER] = { "timer", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_WALK] = { "walk", UV__KEY_NONE, UV__KEY_NONE, UV__KEY_NONE },
  [UV__CALL_WRITE] = { "write", UV__KEY_BYTES, UV__KEY_STATUS, UV__KEY_FD },
};
static_assert(ARRAY_SIZE(uv__calls) == UV__CALL_MAX, "one per call");

const struct uv__work_row uv__work_rows[] = {
  [UV__WORK_USER] = { "work", NULL },
  [UV__WORK_RANDOM] = { "work", "random" },
  [UV__WORK_FS] = { "fs", NULL },
  [UV__WORK_SCAN] = { "fs", "scan" },
  [UV__WORK_GETADDRINFO] = { "dns", "getaddrinfo" },
  [UV__WORK_GETNAMEINFO] = { "dns", "getnameinfo" },
};
static_assert(ARRAY_SIZE(uv__work_rows) == UV__WORK_MAX, "one per class");

const char* uv__call_name(enum uv__call call) {
  return call < UV__CALL_MAX ? uv__calls[call].name : "unknown";
}

const char* uv__work_name(enum uv__work_id work_id) {
  return work_id < UV__WORK_MAX ? uv__work_rows[work_id].name : "unknown";
}
