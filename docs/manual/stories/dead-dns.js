// SPDX-License-Identifier: MIT
// A name server that never answers: many requests for one name, then an exit
// while a lookup is under way.
const dns = require('dns');

const silent = require('dgram').createSocket('udp4');
silent.bind(53, '127.0.0.1', () => {
  const begin = Date.now();
  let left = 50;
  for (let i = 0; i < 50; i++)
    dns.lookup('peer.example.org', () => {
      if (--left > 0) return;
      console.log('50 requests for one name: ' + (Date.now() - begin) + ' ms');
      dns.lookup('other.example.org', () => {});
      setTimeout(() => {
        const exit = Date.now();
        process.on('exit', () => process.stdout.write('exit begins\n'));
        process.exit();
      }, 100);
    });
});
