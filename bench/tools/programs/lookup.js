// SPDX-License-Identifier: MIT
// dns.lookup of localhost, argv[3] times, argv[2] of them at once.
'use strict';
const dns = require('dns').promises;
const lanes = require('./lanes');
const timed = require('./timed');
const [atOnce, count] = process.argv.slice(2).map(Number);

timed(count, () => lanes(Array(count).fill('localhost'), atOnce, dns.lookup));
