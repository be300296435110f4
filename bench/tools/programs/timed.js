// SPDX-License-Identifier: MIT
// Runs `call` and prints what it cost as a line of JSON: time, processor time
// of all threads, context switches.
'use strict';

module.exports = async function timed(ops, call) {
  const before = process.resourceUsage();
  const began = process.hrtime.bigint();
  await call();
  const wall = Number(process.hrtime.bigint() - began) / 1e9;
  const after = process.resourceUsage();
  const used = (key) => after[key] - before[key];
  console.log(JSON.stringify({
    ops,
    wall,
    cpu: (used('userCPUTime') + used('systemCPUTime')) / 1e6,
    switches: used('voluntaryContextSwitches') +
              used('involuntaryContextSwitches'),
  }));
};
