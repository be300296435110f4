# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck source=test/clients/node.bash
. "$here/node.bash"
about="Node 20's tests of fs.watch(), whole trees watched by the library"
release=trixie
limit=600
modes=full
areas=fs-watch others=

# On stock, Node watches each file of a tree in JavaScript. On ours,
# node20-watch.js has it pass UV_FS_EVENT_RECURSIVE.
workload() {
  cd /data || return
  if stock; then
    node_tests /usr/bin/node "$@"
    return
  fi
  node_args=(--expose-internals --require /clients/node20-watch.js)
  check recursion-is-native node_is_native
  node_tests /usr/bin/node "$@"
}

# One inotify descriptor has a watch for each directory, and none for a file.
node_is_native() {
  mkdir -p /tmp/native/a/b
  touch /tmp/native/a/{1,2,3}
  /usr/bin/node "${node_args[@]}" -e '
    const fs = require("fs");
    const watcher = fs.watch("/tmp/native", { recursive: true });
    const watches = fs.readdirSync("/proc/self/fd").flatMap((fd) => {
      try {
        return fs.readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")
          .match(/^inotify wd:.*$/mg) || [];
      } catch { return []; }
    });
    watcher.close();
    console.log(watches.length);
    process.exit(watches.length === 3 ? 0 : 1)'
}
