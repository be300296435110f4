// SPDX-License-Identifier: MIT
// A web server, its clients, and a job that does too much at once.
const http = require('http');
const crypto = require('crypto');
const fs = require('fs');

const server = http.createServer((request, response) => {
  fs.readFile(__filename, (err, text) => response.end(text));
});

// Each second: the mistake.
function rebuildIndex() {
  crypto.pbkdf2Sync('secret', 'salt', 150000, 32, 'sha512');
}

function request() {
  http.get({ port: server.address().port, host: '127.0.0.1', agent: false },
    (response) => {
      response.resume();
      response.on('end', () => setTimeout(request, 5));
    }).on('error', () => {});
}

server.listen(0, '127.0.0.1', () => {
  setInterval(rebuildIndex, 1000);
  for (let i = 0; i < 8; i++) request();
  setTimeout(() => process.exit(), 4500);
});
