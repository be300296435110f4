// SPDX-License-Identifier: MIT
// Walks /work/tree: readdir of every directory, stat of every file, and with the
// argument "read" its contents, 64 files at once.
'use strict';
const fs = require('fs/promises');
const path = require('path');
const lanes = require('./lanes');
const timed = require('./timed');
const isRead = process.argv[2] === 'read';
const PASSES = isRead ? 4 : 10;

async function files(dir) {
  const found = [];
  for (const entry of await fs.readdir(dir, { withFileTypes: true })) {
    const name = path.join(dir, entry.name);
    if (entry.isDirectory()) found.push(...await files(name));
    else found.push(name);
  }
  return found;
}

async function visit(name) {
  const { size } = await fs.stat(name);
  if (isRead && (await fs.readFile(name)).length !== size)
    throw new Error('short file: ' + name);
}

timed(11000 * PASSES, async () => {
  for (let pass = 0; pass < PASSES; pass++) {
    const all = await files('/work/tree');
    if (all.length !== 11000) throw new Error(all.length + ' files');
    await lanes(all, 64, visit);
  }
});
