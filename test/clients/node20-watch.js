// SPDX-License-Identifier: MIT
// fs.watch() of whole trees by libuv on Linux, as Node has it on macOS and
// Windows. Node asks for `recursive && !isOSX && !isWindows` where it makes the
// watcher of recursive_watch.js, and that test is compiled into the program; so
// what is made there becomes the native watcher, started with recursive = true.
// For node --expose-internals --require.
'use strict';
const recursive = require('internal/fs/recursive_watch');
const native = require('internal/fs/watchers');
const Own = recursive.FSWatcher;

recursive.FSWatcher = function(options) {
  new Own(options); // checks the options; it is never started
  const watcher = new native.FSWatcher();
  const start = watcher[native.kFSWatchStart];
  let path;

  watcher[native.kFSWatchStart] = (filename) => {
    path = filename;
    start.call(watcher, path, options.persistent, true, options.encoding);
  };
  // fs.promises.watch()
  watcher[Symbol.asyncIterator] = () => {
    watcher.close();
    return native.watch(path, { ...options, recursive: true });
  };
  return watcher;
};
