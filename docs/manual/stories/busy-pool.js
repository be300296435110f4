// SPDX-License-Identifier: MIT
// Passwords are hashed; meanwhile, how long does a small file request take?
const crypto = require('crypto');
const fs = require('fs');

const hashes = Number(process.argv[2] || 60);
const times = [];
const begin = Date.now();
let left = hashes;

function now() { return Number(process.hrtime.bigint()) / 1e6; }

function report() {
  times.sort((a, b) => a - b);
  const p = (share) => times[Math.floor((times.length - 1) * share)].toFixed(2);
  console.log(`${hashes} hashes in ${((Date.now() - begin) / 1000).toFixed(1)} s; ` +
    `${times.length} times fs.stat: half in ${p(0.5)} ms, ` +
    `99 % in ${p(0.99)} ms, the slowest ${p(1)} ms`);
}

function hash() {
  crypto.pbkdf2('secret', 'salt', 300000, 64, 'sha512', () => {
    if (--left === 0) report();
  });
}

function ask() {
  const asked = now();
  fs.stat('/tmp', () => {
    times.push(now() - asked);
    if (left > 0) setTimeout(ask, 10);
  });
}

for (let i = 0; i < hashes; i++) hash();
ask();
