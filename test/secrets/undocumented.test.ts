import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newHome } from '../support/built.ts';
import { fiatrail, must } from '../support/in-process.ts';

/** Where a secret is that a request repeats in fields which the contract does not know. */

const BVN = '22345678901';
const SECRET = 'whsec-9fK2sd9dkf';

/** The bytes of every file below a folder. */
const filesBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');

const forms = (secret: string) => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];

test('a BVN that a request repeats in undocumented fields is in no file of the journal, no list, no export and no backup', async () => {
  const home = newHome(onTestFinished);
  const body = {
    bvn: BVN,
    note: BVN,
    deep: { list: [Number(BVN), `of ${BVN}`] },
    coded: Buffer.from(BVN).toString('base64'),
  };
  const ran = await fiatrail(home, ['api', 'POST', '/onboarduser', '-d', JSON.stringify(body), '--yes', '-v']);
  const copy = join(home.path, 'backup.db');
  const listed = await must(home, ['ops', 'list', '-o', 'json']);
  expect(JSON.parse(listed.stdout).operations).toHaveLength(1);
  expect(JSON.parse(listed.stdout).operations[0].request).toEqual({
    bvn: '[redacted]',
    note: '[redacted]',
    deep: { list: ['[redacted]', 'of [redacted]'] },
    coded: '[redacted]',
  });
  const exported = await must(home, ['ops', 'journal', 'export', '-q']);
  expect(exported.stdout).toContain('[redacted]');
  await must(home, ['ops', 'journal', 'backup', copy]);
  const journal = readdirSync(home.stateDir).filter((name) => name.startsWith('journal'));
  expect(journal).not.toEqual([]);
  const kept = journal.map((name) => join(home.stateDir, name)).filter((path) => statSync(path).isFile());
  const texts = [
    ran.stdout,
    ran.stderr,
    listed.stdout,
    exported.stdout,
    ...[...kept, copy].map((path) => readFileSync(path, 'latin1')),
  ];
  for (const form of forms(BVN)) for (const text of texts) expect(text).not.toContain(form);
});

test('a secret under a misspelled name is not in what a dry run, a trace or the journal says', async () => {
  const home = newHome(onTestFinished);
  const body = JSON.stringify({
    webhookUrl: 'https://hooks.example/a',
    enabled: true,
    sekret: SECRET,
    said: `is ${SECRET}`,
  });
  for (const more of [['--dry-run'], ['--yes', '-v']]) {
    const { stdout, stderr } = await fiatrail(home, ['api', 'POST', '/setwebhook', '-d', body, ...more]);
    expect(stdout + stderr).toContain('[redacted]');
    for (const form of forms(SECRET)) expect(stdout + stderr).not.toContain(form);
  }
  expect(filesBelow(home.stateDir)).not.toContain(`is ${SECRET}`);
});
