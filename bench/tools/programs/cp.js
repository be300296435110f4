// SPDX-License-Identifier: MIT
// fs.cp of the 11,000 files of /work/tree.
'use strict';
const fs = require('fs');
const timed = require('./timed');
const to = '/work/tree-copy';

fs.rmSync(to, { recursive: true, force: true });
timed(11000, () => fs.promises.cp('/work/tree', to, { recursive: true }))
  .then(() => {
    if (fs.readFileSync(to + '/d109/f99', 'utf8').length !== 1024)
      throw new Error('not a copy');
    fs.rmSync(to, { recursive: true });
  });
