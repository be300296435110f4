// SPDX-License-Identifier: MIT
// gzip of 64 KiB, 1,000 times, 8 at once.
'use strict';
const { promisify } = require('util');
const gzip = promisify(require('zlib').gzip);
const lanes = require('./lanes');
const timed = require('./timed');
const text = Buffer.from(require('crypto').createHash('sha256').update('text')
  .digest('hex').repeat(1024));

timed(1000, () => lanes(Array(1000).fill(text), 8, gzip));
