// SPDX-License-Identifier: MIT
// Files of /work/www through serve-handler.
'use strict';
const handler = require('/work/project/node_modules/serve-handler');
require('http').createServer((req, res) => handler(req, res, {
  public: '/work/www',
})).listen(8000, '127.0.0.1');
