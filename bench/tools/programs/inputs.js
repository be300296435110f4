// SPDX-License-Identifier: MIT
// What the tools work on, in /work: trees of files, sources to bundle and to
// check, tests to run, a project for CMake.
'use strict';
const fs = require('fs');
const path = require('path');
const modules = '/work/project/node_modules/';

function write(name, text) {
  const file = path.join('/work', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

function numbers(count) {
  return Array.from({ length: count }, (_, n) => n);
}

for (const d of numbers(110))
  for (const f of numbers(100)) write(`tree/d${d}/f${f}`, 'x'.repeat(1024));

write('www/32k.bin', Buffer.alloc(32 * 1024, 'x'));
write('www/16k.bin', Buffer.alloc(16 * 1024, 'x'));

for (const name of ['package.json', 'package-lock.json'])
  write('install/' + name, fs.readFileSync('/work/project/' + name));

// Sources, next to the modules that they import.
const imports = ['lodash-es', 'date-fns', 'rxjs'].map((name, index) =>
  `import * as m${index} from '${name}';`).join('\n');
write('project/imports.mjs', `${imports}
if (Object.keys({ ...m0, ...m1, ...m2 }).length < 500) process.exit(1);
globalThis.kept = [m0, m1, m2];
`);

write('project/bundle.mjs', `import * as lodash from 'lodash-es';
import * as rxjs from 'rxjs';
export default [lodash, rxjs];
`);

for (const name of fs.readdirSync(modules + 'lodash'))
  if (/^[a-z]+\.js$/i.test(name) && name !== 'lodash.js')
    write('lint/' + name, fs.readFileSync(modules + 'lodash/' + name));
write('lint/eslint.config.mjs', `
import js from '${modules}@eslint/js/src/index.js';
const rules = Object.fromEntries(
  Object.keys(js.configs.recommended.rules).map((name) => [name, 'warn']));
export default [{ files: ['**/*.js'], rules }];
`);

fs.cpSync(modules + 'rxjs/src', '/work/rxjs/src', { recursive: true });
write('rxjs/tsconfig.json', JSON.stringify({
  compilerOptions: { target: 'es2019', module: 'es2015', strict: true,
                     moduleResolution: 'node', outDir: '/work/rxjs-out',
                     lib: ['es2019', 'dom'], skipLibCheck: true, types: [] },
  files: ['src/index.ts'],
}));

// Tests, the same for every runner; fs-extra works on files.
for (const n of numbers(30)) {
  const body = numbers(20).map((t) => `
  test('adds ${t}', () => {
    if (_.sum(_.range(${t + 1})) !== ${t} * ${t + 1} / 2) throw new Error();
  });`).join('');
  write(`project/jest/t${n}.test.js`, `const _ = require('lodash');${body}\n`);
  write(`project/node-tests/t${n}.test.js`,
        `const test = require('node:test');
const _ = require('lodash');${body}\n`);
}
write('project/jest.config.js',
      `module.exports = { roots: ['<rootDir>/jest'], haste: {} };\n`);
write('project/mocha/fs-extra.js', `
const fs = require('fs-extra');
const assert = require('assert');
describe('fs-extra', () => {
  const dir = '/tmp/mocha-fs-extra';
  beforeEach(() => fs.emptyDir(dir));
  after(() => fs.remove(dir));
  for (let n = 0; n < 60; n++) {
    it('copies, moves and removes a directory ' + n, async () => {
      await fs.copy('/work/tree/d' + n, dir + '/a');
      await fs.move(dir + '/a', dir + '/b');
      assert.strictEqual((await fs.readdir(dir + '/b')).length, 100);
      await fs.remove(dir + '/b');
      assert(!await fs.pathExists(dir + '/b'));
    });
    it('writes and reads JSON ' + n, async () => {
      for (let i = 0; i < 20; i++)
        await fs.outputJson(dir + '/deep/' + i + '/x.json', { n, i });
      assert.strictEqual((await fs.readJson(dir + '/deep/7/x.json')).i, 7);
    });
  }
});
`);

write('cmake/CMakeLists.txt', `cmake_minimum_required(VERSION 3.25)
project(tools C)
enable_testing()
foreach(n RANGE 1 500)
  add_executable(target-\${n} main.c)
  add_test(NAME test-\${n} COMMAND true)
endforeach()
foreach(n RANGE 1 100)
  execute_process(COMMAND true RESULT_VARIABLE status)
  if(status)
    message(FATAL_ERROR "true fails")
  endif()
endforeach()
`);
write('cmake/main.c', 'int main(void) { return 0; }\n');
