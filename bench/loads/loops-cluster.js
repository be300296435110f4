// SPDX-License-Identifier: MIT
// examples/loops-http.c with Node's cluster: loops-cluster.js WORKERS
'use strict';
const cluster = require('cluster');
const http = require('http');

if (cluster.isPrimary) {
  for (let i = 0; i < Number(process.argv[2]); i++)
    cluster.fork();
  let ready = 0;
  cluster.on('listening', (worker, address) => {
    if (++ready === Number(process.argv[2]))
      console.log('port ' + address.port);
  });
} else {
  http.createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain' });
    response.end('hello\n');
  }).listen(0, '127.0.0.1');
}
