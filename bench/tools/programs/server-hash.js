// SPDX-License-Identifier: MIT
// Hashes a password for one half of its clients and reads a file for the other,
// both in the thread pool.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

const handlers = {
  '/hash': (done) => crypto.pbkdf2('secret', 'salt', 1000, 32, 'sha256', done),
  '/file': (done) => fs.readFile('/work/www/16k.bin', done),
};

http.createServer((req, res) => {
  handlers[req.url]((error, data) => {
    res.statusCode = error ? 500 : 200;
    res.end(data);
  });
}).listen(8000, '127.0.0.1');
