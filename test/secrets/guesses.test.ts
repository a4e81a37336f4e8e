import { createHash, createHmac, scryptSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { useSlowHash } from '../support/quick-hash.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

useSlowHash();

const BVN = '22987650345';
const COMMAND = 'fiatrail users onboard';

/** The BVNs that someone tries who knows most of the digits. */
const CANDIDATES = Array.from({ length: 100 }, (_, index) => String(22_987_650_300 + index));

const sha256 = (text: string) => createHash('sha256').update(text);
const fast = (text: string) => [text, sha256(text).digest('hex'), sha256(text).digest('base64url')];

/** What a BVN, or a fast hash of it, may have been digested as. */
function inputsOf(bvn: string): string[] {
  return fast(bvn).flatMap((text) => [
    text,
    JSON.stringify(text),
    JSON.stringify([text]),
    JSON.stringify({ bvn: text }),
    ...[
      [COMMAND, { bvn: text }],
      [COMMAND, { bvn: '[redacted]' }, text],
    ].map((input) => JSON.stringify(input)),
  ]);
}

/** Everything that a guess may leave in the copies, with or without the key of the input digests. */
function tracesOf(bvn: string, keys: readonly string[]): string[] {
  return inputsOf(bvn).flatMap((input) => [
    ...fast(input),
    ...keys.flatMap((key) => {
      const digest = createHmac('sha256', key).update(input).digest();
      return [digest.toString('base64url'), digest.toString('hex')];
    }),
  ]);
}

/** The keys of the input digests that copies contain. */
const keysIn = (copies: readonly string[]) => [...new Set(copies.flatMap((copy) => copy.match(/[\w-]{43}/g) ?? []))];

/** Returns the BVNs that the copies confirm. */
function recovered(copies: readonly string[], digestKey: string): string[] {
  return CANDIDATES.filter((bvn) =>
    tracesOf(bvn, [digestKey]).some((trace) => copies.some((copy) => copy.includes(trace))),
  );
}

const digestKeyOf = (lines: string): string =>
  (JSON.parse(lines.split('\n')[0] ?? '') as { digestKey: string }).digestKey;

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('journal'))
    .map((name) => readFileSync(join(folder, name), 'latin1'));

async function run(world: FakeWorld, ...argv: string[]): Promise<string> {
  const from = world.stdout.text().length;
  expect({ argv, code: await main([...argv, '-q'], world), stderr: world.stderr.text() }).toMatchObject({
    argv,
    code: 0,
  });
  return world.stdout.text().slice(from);
}

test('no BVN can be recovered from the journal, a backup or an export, with the key of the input digests', async () => {
  const world = fakeWorld();
  await run(world, 'users', 'onboard', BVN);
  const backup = join(world.homeDir, 'copy.db');
  await run(world, 'ops', 'journal', 'backup', backup);
  const withKey = await run(world, 'ops', 'journal', 'export', '--with-digest-key');
  const copies = [
    ...filesIn(world.stateDir),
    readFileSync(backup, 'latin1'),
    await run(world, 'ops', 'journal', 'export'),
    withKey,
  ];
  expect(recovered(copies, digestKeyOf(withKey))).toEqual([]);
  // A slow hash under anything that the copies contain would be as good as none.
  const [{ input_digest: digest = '' } = {}] = journalRows(world.stateDir);
  const marked = (key: string) => {
    const mark = scryptSync(JSON.stringify([BVN]), key, 32, { N: 65_536, r: 8, p: 1, maxmem: 2 ** 28 });
    const input = JSON.stringify([COMMAND, { bvn: '[redacted]' }, mark.toString('base64url')]);
    return createHmac('sha256', digestKeyOf(withKey)).update(input).digest('base64url');
  };
  expect(keysIn([withKey]).length).toBeGreaterThan(1);
  expect(keysIn([withKey]).map(marked)).not.toContain(digest);
  // With the profile's own key, a guess costs this scrypt.
  const ownKey = readFileSync(join(world.homeDir, 'config', 'secrets', 'sandbox.recognition-key'), 'utf8').trim();
  expect(marked(ownKey)).toBe(digest);
  expect(copies.filter((copy) => copy.includes(ownKey))).toEqual([]);
});
