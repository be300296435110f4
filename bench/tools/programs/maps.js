// SPDX-License-Identifier: MIT
// Prints the libuv that node has in memory.
'use strict';
const maps = require('fs').readFileSync('/proc/self/maps', 'utf8');
const files = maps.split('\n').map((line) => line.split(/ +/)[5])
  .filter((name) => /libuv/.test(name));
console.log([...new Set(files)].join());
