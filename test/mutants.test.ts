import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants.ts';
import { ROOT } from './support/built.ts';

test('each change that tests must notice is of a line that is there once, and names tests that are there', () => {
  const stale = MUTANTS.filter(({ file, line, tests }) => {
    const path = join(ROOT, file);
    const isOnce = existsSync(path) && readFileSync(path, 'utf8').split(line).length === 2;
    return !isOnce || tests.some((test) => !existsSync(join(ROOT, test)));
  });
  expect(stale.map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
});
