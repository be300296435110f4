// SPDX-License-Identifier: MIT
// Files of /work/www through Express.
'use strict';
const express = require('/work/project/node_modules/express');
const app = express();
app.use(express.static('/work/www'));
app.listen(8000, '127.0.0.1');
