// SPDX-License-Identifier: MIT
// Says hello over HTTP.
'use strict';
require('http').createServer((req, res) => {
  res.setHeader('Content-Type', 'text/plain');
  res.end('Hello, world\n');
}).listen(8000, '127.0.0.1');
