// SPDX-License-Identifier: MIT
// Node's own recursion: time until fs.watch() returns, and until it sees an
// event in the last directory; memory. For bench/trees/run.
'use strict';
const fs = require('fs');
const [root, last] = process.argv.slice(2);
const rss = process.memoryUsage.rss();
const begin = process.hrtime.bigint();
const ms = () => Number((process.hrtime.bigint() - begin) / 1000000n);
let started;
let n = 0;
const watcher = fs.watch(root, { recursive: true }, (type, name) => {
  if (!name || !name.includes('from-node'))
    return;
  const kib = Math.round((process.memoryUsage.rss() - rss) / 1024);
  console.log(`start_ms=${started} complete_ms=${ms()} rss_kib=${kib}`);
  process.exit(0);
});
watcher.on('error', (err) => {
  console.log(`failed: ${err.code}`);
  process.exit(1);
});
started = ms();
// Later files name the event if nothing watched the directory yet.
setInterval(() => fs.writeFileSync(`${last}/from-node-${process.pid}-${n++}`, ''), 20);
