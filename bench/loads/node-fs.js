// SPDX-License-Identifier: MIT
// What Node programs do with files and with the pool: prints a line for each
// part, "PART OPERATIONS SECONDS PROCESSOR-SECONDS". Arguments: seconds for
// each part, then the parts, all by default. Works in a directory of its own
// below the current one.
'use strict';
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');
const crypto = require('crypto');
const { promisify } = require('util');

const gzip = promisify(zlib.gzip);
const pbkdf2 = promisify(crypto.pbkdf2);
const dir = fs.mkdtempSync(path.join(process.cwd(), 'load-'));
const FILES = 200;
const name = (n) => path.join(dir, 'file-' + n);
const small = Buffer.alloc(1024, 'x');
const large = crypto.randomBytes(32 * 1024).toString('hex');

// A part: how many at once, what one operation does, and (optionally) what to
// prepare for `count` operations.
const rewrite = (count) => {
  for (let n = 0; n < count; n++) fs.writeFileSync(name(n), small);
};
const stat = (n) => fs.promises.stat(name(n % FILES));
const readFile = async (n) => {
  const data = await fs.promises.readFile(name(n % FILES));
  if (data.length !== small.length) throw new Error('short file');
};
const parts = {
  'stat-1': { at: 1, run: stat },
  'stat-64': { at: 64, run: stat },
  'readFile-1': { at: 1, run: readFile },
  'readFile-64': { at: 64, run: readFile },
  'writeFile-32': { at: 32,
                    run: (n) => fs.promises.writeFile(name(n % FILES), small) },
  'unlink-32': { at: 32, prepare: rewrite,
                 run: (n) => fs.promises.unlink(name(n)) },
  'gzip-8': { at: 8, run: () => gzip(large) },
  'pbkdf2-8': { at: 8, run: () => pbkdf2('secret', 'salt', 500, 32, 'sha256') },
  'cp-10k': { once: copyTree },
};

// `count` operations, `at` of them at the same time.
async function repeat(part, count) {
  let started = 0;
  const lane = async () => {
    while (started < count) await part.run(started++);
  };
  const lanes = [];
  for (let n = 0; n < part.at; n++) lanes.push(lane());
  await Promise.all(lanes);
}

async function timed(call) {
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  await call();
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const used = process.cpuUsage(cpu);
  return [seconds, (used.user + used.system) / 1e6];
}

// Until the code is compiled and the number of operations for `seconds` is
// known; then for the record.
async function measure(part, seconds) {
  let count = 50;
  for (;;) {
    if (part.prepare) part.prepare(count);
    const [wall] = await timed(() => repeat(part, count));
    const factor = seconds / wall;
    if (factor <= 2) break;
    count = Math.ceil(count * Math.min(factor, 8));
  }
  if (part.prepare) part.prepare(count);
  return [count, ...await timed(() => repeat(part, count))];
}

async function copyTree() {
  const from = path.join(dir, 'tree');
  for (let d = 0; d < 100; d++) {
    fs.mkdirSync(path.join(from, 'd' + d), { recursive: true });
    for (let f = 0; f < 100; f++)
      fs.writeFileSync(path.join(from, 'd' + d, 'f' + f), 'small ' + f);
  }
  const to = path.join(dir, 'copy');
  const figures = await timed(
    () => fs.promises.cp(from, to, { recursive: true }));
  if (fs.readFileSync(path.join(to, 'd99', 'f42'), 'utf8') !== 'small 42')
    throw new Error('not a copy');
  return [10000, ...figures];
}

async function main([seconds, ...chosen]) {
  rewrite(FILES);
  for (const key of chosen.length > 0 ? chosen : Object.keys(parts)) {
    const part = parts[key];
    if (!part.prepare) rewrite(FILES);
    const figures = await (part.once ? part.once()
                                     : measure(part, Number(seconds)));
    console.log(key, ...figures);
  }
  fs.rmSync(dir, { recursive: true });
}

main(process.argv.slice(2)).catch((error) => {
  console.error(error);
  process.exit(1);
});
