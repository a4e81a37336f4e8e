import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LIST_FILES } from '../../scripts/lists.ts';
import { groups } from '../../src/contract/endpoints/index.ts';
import { MACHINES } from '../../src/service/machines.ts';
import { loadOperations } from '../../src/service/operations.ts';
import { RECORDS } from '../../src/things/records.ts';
import { ROOT } from '../support/built.ts';

const formatted = (path: string, text: string) =>
  execFileSync('biome', ['check', '--write', `--stdin-file-path=${path}`], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  });

describe.each(LIST_FILES.map((each) => [each.path, each] as const))('%s', (path, { text }) => {
  test('has what the folders have: npm run lists', async () => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(formatted(path, await text()));
  });
});

test('the lists are not empty, and every group of endpoints has operations', () => {
  expect(MACHINES.length).toBeGreaterThan(10);
  expect(RECORDS.length).toBeGreaterThan(15);
  expect(Object.keys(loadOperations).sort()).toEqual(Object.keys(groups).sort());
});
