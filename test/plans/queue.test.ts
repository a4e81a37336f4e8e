import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/built.ts';
import { FILE_ENGINE } from './file-engine.ts';
import { queueCases } from './queue-cases.ts';

queueCases('a file', FILE_ENGINE);

test('each end in the documentation of the queue is that of a test', () => {
  const textOf = (...names: readonly string[]) => readFileSync(join(ROOT, ...names), 'utf8');
  const [, section = ''] = textOf('docs', 'contributing', 'approvals.md').split('## Plans in the journal');
  const [table = ''] = section.split('\n## ');
  const codes = [...table.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
  const tests =
    textOf('test', 'plans', 'queue-cases.ts') +
    textOf('test', 'plans', 'file-cases.ts') +
    textOf('test', 'plans', 'of-files.test.ts') +
    textOf('test', 'postgres', 'plans.test.ts');
  expect(new Set(codes).size).toBeGreaterThan(10);
  expect(codes.filter((code) => !tests.includes(`'${code}'`))).toEqual([]);
});
