import { createHash, createHmac, scryptSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import { removedText, SECRET_ENDPOINTS, withoutSecretDigests } from '../../src/journal/secret-digests.ts';
import { openSqliteStore } from '../../src/journal/sqlite-store.ts';
import { main } from '../../src/main.ts';
import { journalRows } from '../support/journal.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

const BVN = '22987651234';
const COMMAND = 'fiatrail users onboard';

/** The BVNs that somebody tries who knows most of the digits. */
const CANDIDATES = Array.from({ length: 2_000 }, (_, index) => String(22_987_650_000 + index));

const sha256 = (text: string) => createHash('sha256').update(text);
const fast = (text: string) => [text, sha256(text).digest('hex'), sha256(text).digest('base64url')];

/** What a BVN, or a fast hash of it, may have been digested as. */
function inputsOf(bvn: string): string[] {
  return fast(bvn).flatMap((text) => [
    ...[text, JSON.stringify(text), JSON.stringify([text]), JSON.stringify({ bvn: text })],
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
  await run(world, 'ops', 'backup', backup);
  const withKey = await run(world, 'ops', 'export', '--with-digest-key');
  const copies = [
    ...filesIn(world.stateDir),
    readFileSync(backup, 'latin1'),
    await run(world, 'ops', 'export'),
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

test('a BVN that an earlier version recorded can be recovered, until the upgrade removes its digest', async () => {
  const { stateDir } = fakeWorld();
  const world = { clock: fakeClock(), ids: countingIds(), host: oneProcess() };
  const folder = join(stateDir, '..');
  const path = join(folder, 'journal.db');
  const journal = await testJournal({ path });
  const onboarding = { kind: 'onboarding', endpoint: 'users.onboard', effect: 'write', command: COMMAND } as const;
  // So many that their rows fill pages of the file, from which removed text does not go by itself.
  const bvns = CANDIDATES.filter((_, index) => index % 20 === 0);
  for (const bvn of bvns) await prepared(journal, { ...onboarding, input: JSON.stringify([COMMAND, { bvn }]) });
  const payment = await prepared(journal, INTENT);
  await journal.close();
  const store = await openSqliteStore(path, world);
  expect(recovered(filesIn(folder), store.digestKey)).toEqual(bvns);
  expect(await store.write((queries) => withoutSecretDigests(queries.run))).toBe(bvns.length);
  const sql = `SELECT id FROM operation WHERE input_digest <> ''`;
  expect(await store.read((queries) => queries.all(sql))).toEqual([{ id: payment }]);
  await store.close();
  const database = new DatabaseSync(path);
  database.exec('VACUUM');
  database.close();
  expect(recovered(filesIn(folder), store.digestKey)).toEqual([]);
});

test('the upgrade removes the digests of every endpoint with a secret that the journal records', () => {
  const recorded = endpoints.filter(({ effect, starts }) => effect === 'money' || effect === 'destructive' || starts);
  const secret = recorded.filter(({ request }) => rowsOf(request()).some((row) => row.secret));
  expect(secret.map(({ id }) => id)).toEqual(SECRET_ENDPOINTS);
  expect(removedText(1)).toContain('the BVN of 1 onboarding can be computed');
  expect(removedText(2)).toContain('the BVNs of 2 onboardings can be computed');
});
