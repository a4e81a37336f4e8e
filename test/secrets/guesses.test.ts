import { createHash, createHmac, scryptSync } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { fixedText, hashOf } from '../../src/journal/chain.ts';
import { main } from '../../src/main.ts';
import { temporaryFolder } from '../support/built.ts';
import { writeEarlier } from '../support/earlier-journal.ts';
import { journalRows } from '../support/journal.ts';
import { testJournal } from '../support/journal-intent.ts';
import { useSlowHash } from '../support/quick-hash.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';

useSlowHash();

const BVN = '22987650345';
const COMMAND = 'fiatrail users onboard';

/** The BVNs that somebody tries who knows most of the digits. */
const CANDIDATES = Array.from({ length: 100 }, (_, index) => String(22_987_650_300 + index));

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
  await run(world, 'users', 'onboarding', 'start', BVN);
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

/** Writes a journal of version 6 with an onboarding of each BVN, as that version recorded it. Returns the key of its input digests. */
function writeOnboardings(path: string, bvns: readonly string[]): string {
  writeEarlier(path, 6);
  const database = new DatabaseSync(path);
  const digestKey = String(database.prepare(`SELECT value FROM setting WHERE name = 'digest-key'`).get()?.['value']);
  const last = database.prepare('SELECT max(sequence) AS sequence FROM transition').get();
  const insert = (table: string, row: Readonly<Record<string, string | number | bigint | null>>) =>
    database
      .prepare(
        `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
      )
      .run(...Object.values(row));
  let [sequence, previous] = [BigInt(Number(last?.['sequence'])), ''];
  const end = { request_id: null, verdict: null, detail: null, result: null };
  for (const [index, bvn] of bvns.entries()) {
    const id = `0197ffff-0000-7000-8000-${String(index).padStart(12, '0')}`;
    const input_digest = createHmac('sha256', digestKey)
      .update(JSON.stringify([COMMAND, { bvn }]))
      .digest('base64url');
    const row = {
      ...{ id, kind: 'onboarding', account: 'a', profile: 'main', mode: 'live', base_url: 'https://service.test/v1' },
      ...{ endpoint: 'users.onboard', effect: 'write', command: COMMAND, summary: 'Onboard a user by BVN' },
      ...{ request: '{"bvn":"[redacted]"}', input_digest, once_key: null, tag: null, operator: 'ada', host: 'host-3' },
      created_at: 1_780_000_000_000n,
    };
    insert('operation', { ...row, process: 1, state: 'prepared', updated_at: row.created_at, busy_until: 0, ...end });
    sequence += 1n;
    const link = { sequence, operationId: id, host: 'host-3', state: 'prepared', at: row.created_at };
    const said = {
      requestId: null,
      verdict: null,
      detail: null,
      result: null,
      busyUntil: null,
      subject: null,
      value: null,
    };
    previous = hashOf(previous, { ...link, ...said, operation: fixedText(row, 'earlier') }, 'earlier');
    insert('transition', {
      sequence,
      operation_id: id,
      host: 'host-3',
      state: 'prepared',
      at: row.created_at,
      ...end,
      hash: previous,
    });
  }
  database.close();
  return digestKey;
}

test('a BVN that an earlier version recorded can be recovered, until the upgrade removes its digest', async () => {
  const folder = temporaryFolder(onTestFinished);
  const path = join(folder, 'journal.db');
  // So many that their rows fill pages of the file, from which removed text does not go by itself.
  const bvns = CANDIDATES.filter((_, index) => index % 20 === 0);
  const digestKey = writeOnboardings(path, bvns);
  expect(recovered(filesIn(folder), digestKey)).toEqual(bvns);
  const journal = await testJournal({ path });
  expect((await journal.verify()).problem).toBeUndefined();
  await journal.close();
  // The copy that the upgrade made still has them, and so has every other backup.
  expect(recovered([readFileSync(`${path}.v6`, 'latin1')], digestKey)).toEqual(bvns);
  expect(recovered([readFileSync(path, 'latin1')], digestKey)).toEqual([]);
});

/** Returns the BVNs that the hashes of the chain confirm: each covers the digest of its operation. */
function recoveredByChain(path: string, digestKey: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const entries = database.prepare(
    `SELECT * FROM entry WHERE host = 'host-3' AND state = 'prepared' ORDER BY sequence`,
  );
  let previous = '';
  const found: string[] = [];
  for (const entry of entries.all()) {
    const row = database.prepare('SELECT * FROM operation WHERE id = ?').get(entry['operation_id'] ?? null) ?? {};
    const link = {
      sequence: BigInt(Number(entry['sequence'])),
      operationId: String(row['id']),
      host: 'host-3',
      state: 'prepared',
      at: BigInt(Number(entry['at'])),
    };
    const said = {
      requestId: null,
      verdict: null,
      detail: null,
      result: null,
      busyUntil: null,
      subject: null,
      value: null,
    };
    const isRight = (bvn: string) => {
      const input_digest = createHmac('sha256', digestKey)
        .update(JSON.stringify([COMMAND, { bvn }]))
        .digest('base64url');
      const operation = fixedText({ ...row, created_at: BigInt(Number(row['created_at'])), input_digest }, 'earlier');
      return hashOf(previous, { ...link, ...said, operation }, 'earlier') === entry['hash'];
    };
    found.push(...CANDIDATES.filter(isRight));
    previous = String(entry['hash']);
  }
  database.close();
  return found;
}

test('no BVN can be recovered from the hashes of the chain after the upgrade', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  const digestKey = writeOnboardings(path, CANDIDATES.slice(0, 3));
  await (await testJournal({ path })).close();
  expect(recoveredByChain(path, digestKey)).toEqual([]);
});

test('a journal whose hashes were computed again is whole, with the head that was kept of it before', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  writeOnboardings(path, CANDIDATES.slice(0, 3));
  const database = new DatabaseSync(path);
  const { sequence, hash } =
    database.prepare('SELECT sequence, hash FROM transition ORDER BY sequence DESC').get() ?? {};
  database.close();
  const keep = (head: string) => writeFileSync(`${path}.head`, `${head}\n`, { mode: 0o600 });
  keep(`${sequence} ${hash}`);
  const journal = await testJournal({ path });
  onTestFinished(() => journal.close());
  expect((await journal.verify()).problem).toBeUndefined();
  await journal.requireLastLink();
  for (const wrong of [`${Number(sequence) + 900} ${hash}`, `1 ${hash}`]) {
    keep(wrong);
    await expect(journal.requireLastLink()).rejects.toThrow('is missing entries that it had');
  }
});

test('hashes that are computed again do not hide a change from before', async () => {
  const path = join(temporaryFolder(onTestFinished), 'journal.db');
  writeOnboardings(path, CANDIDATES.slice(0, 3));
  const database = new DatabaseSync(path);
  // Somebody who does not compute hashes adds that the first one was sent.
  database.exec(`INSERT INTO transition SELECT sequence + 3, operation_id, host, 'sent', at, NULL, NULL, NULL, NULL, hash FROM transition
    WHERE host = 'host-3' ORDER BY sequence LIMIT 1`);
  database.exec(`UPDATE operation SET state = 'sent' WHERE id = '0197ffff-0000-7000-8000-000000000000'`);
  database.close();
  const journal = await testJournal({ path });
  onTestFinished(() => journal.close());
  expect((await journal.verify()).problem?.what).toContain('was changed, or is out of order');
});
