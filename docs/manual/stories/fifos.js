// SPDX-License-Identifier: MIT
// Named pipes without a writer: opening one for reading never ends.
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const count = Number(process.argv[2] || 6);
const dir = fs.mkdtempSync('/tmp/fifos-');

function end(text) {
  console.log(text);
  fs.rmSync(dir, { recursive: true });
  process.kill(process.pid, 'SIGKILL'); // exit() would wait for the opens
}

for (let i = 0; i < count; i++) {
  const name = path.join(dir, 'fifo' + i);
  execFileSync('mkfifo', [name]);
  fs.open(name, 'r', () => {});
}
const begin = Date.now();
fs.stat('/tmp', () => end(`fs.stat after ${Date.now() - begin} ms`));
setTimeout(() => end('fs.stat: no answer in 5 s'), 5000);
