// SPDX-License-Identifier: MIT
// `call(item)` for every item, `count` of them at the same time.
'use strict';

module.exports = async function lanes(items, count, call) {
  let next = 0;
  const lane = async () => {
    while (next < items.length) await call(items[next++]);
  };
  await Promise.all(Array.from({ length: count }, lane));
};
