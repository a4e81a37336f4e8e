import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATEGORIES } from '../../src/base/errors.ts';
import { homeForRows } from '../bulk/payouts.ts';
import { ROOT } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';
import { wordsOf } from '../transcripts/session.ts';

const page = readFileSync(join(ROOT, 'docs/bulk.md'), 'utf8');

test('the lines of the page run in their order', async () => {
  const lines = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => block.trimEnd().split('\n'));
  expect(lines.length).toBe(10);
  const home = await homeForRows();
  for (const line of lines) {
    const [, argv = '', file] = /^fiatrail (.*?)(?: > (\S+))?$/.exec(line) ?? [];
    const { code, stdout, stderr } = await fiatrail(home, wordsOf(argv));
    expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: expect.any(String) });
    if (file) writeFileSync(join(home.path, file), stdout);
  }
  const report = readFileSync(join(home.path, 'suppliers-report.csv'), 'utf8');
  const titles = 'reference,line,amount,to,account number,bank code,status,';
  expect(report).toMatch(new RegExp(`^${titles}.*\\r?\\nINV-1001,\\d+,5000.00,[\\w-]+,0123456789,000013,done,`));
});

test('the exit codes of the page are those of fiatrail', () => {
  const [, night = ''] = page.split('\n## Every night, from cron\n');
  const named = [...(night.split('\n## ')[0] ?? '').matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code));
  const { usage, failed, network, unknown, pending, declined } = CATEGORIES;
  expect(named).toEqual([0, ...[usage, failed, network, unknown, pending, declined].map(({ exit }) => exit)]);
});
