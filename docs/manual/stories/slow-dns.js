// SPDX-License-Identifier: MIT
// Names that nobody answers for, and one from /etc/hosts that has to wait.
const dns = require('dns');

function lookup(name) {
  const begin = Date.now();
  dns.lookup(name, (err) => console.log(name + ': ' +
    (err ? err.code : 'found') + ' after ' + (Date.now() - begin) + ' ms'));
}

// The name server of /etc/resolv.conf: it never answers.
const silent = require('dgram').createSocket('udp4');
silent.bind(53, '127.0.0.1', () => {
  for (let i = 1; i <= 6; i++) lookup('peer' + i + '.example.org');
  setTimeout(lookup, 100, 'localhost');
  setTimeout(() => silent.close(), 7000);
});
