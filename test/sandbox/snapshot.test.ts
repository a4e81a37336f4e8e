import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  sandboxAdvance,
  sandboxReset,
  sandboxRestore,
  sandboxSeed,
  sandboxSnapshot,
  sandboxStatus,
} from '../../src/contract/control.ts';
import { getFees } from '../../src/contract/endpoints/fees.ts';
import { listTransactions } from '../../src/contract/endpoints/history.ts';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import { packState, UnpackError, unpackState } from '../../src/contract/state-content.ts';
import { restoreState } from '../../src/service/state-file.ts';
import { expectSettledLedger, fund, keyOf, onboardUser, secondKey } from '../service/steps.ts';
import { countingIds, fakeClock, openSandbox, type TestSandbox, temporaryFolder } from '../support/sandbox.ts';

/** Returns every row of every table, so that no change goes unnoticed. */
function contentOf(box: TestSandbox): Promise<unknown> {
  return box.inside(
    ({ store }) =>
      store
        .all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
        .map(({ name }) => [name, store.all(`SELECT * FROM ${name}`)]),
    'read',
  );
}

function schemaOf(box: TestSandbox): Promise<unknown> {
  return box.inside(({ store }) => store.all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'), 'read');
}

/** Changes a database file behind the sandbox's back. */
function alter(path: string, sql: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(sql);
  connection.close();
}

async function unpacked(content: string, maxBytes?: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of unpackState(content, maxBytes)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function snapshotTo(box: TestSandbox, path: string, key?: string): Promise<void> {
  const { content } = await box.ask(sandboxSnapshot, {}, key);
  writeFileSync(path, await unpacked(content));
}

async function restoreFrom(box: TestSandbox, path: string, key?: string): Promise<void> {
  await box.ask(sandboxRestore, { content: packState(readFileSync(path)) }, key);
}

/** Restores and returns why that is refused. */
async function refusalOf(box: TestSandbox, content: unknown): Promise<string | undefined> {
  const { status, envelope } = await box.call('POST', '/_sandbox/restore', { content });
  expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
  return envelope.error;
}

describe('a snapshot', () => {
  test('is a whole database, and leaves no copy on the machine of the sandbox', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    await fund(box, await onboardUser(box), 1000);
    const files = readdirSync(folder.path);
    const { bytes, content } = await box.ask(sandboxSnapshot, {});
    expect(await unpacked(content)).toHaveLength(bytes);
    await box.ask(sandboxRestore, { content });
    expect(readdirSync(folder.path)).toEqual(files);
  });

  test('is unpacked only as far as its limit', async () => {
    const packed = packState(new Uint8Array(1_000_000));
    expect(packed.length).toBeLessThan(100_000);
    expect(await unpacked(packed, 1_000_000)).toHaveLength(1_000_000);
    const pieces: number[] = [];
    const unpack = async () => {
      for await (const { length } of unpackState(packed, 999_999)) pieces.push(length);
    };
    await expect(unpack()).rejects.toThrow(UnpackError);
    // It never is in memory as a whole.
    expect(Math.max(...pieces)).toBeLessThan(100_000);
    expect(pieces.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(900_000);
  });

  test('restores everything, and nothing else', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    await fund(box, await onboardUser(box), 1000);
    await box.ask(sandboxSeed, { history: 30 });
    const before = await contentOf(box);
    const path = folder.file('snapshot.db');
    await snapshotTo(box, path);
    const schema = await schemaOf(box);
    await fund(box, await onboardUser(box), 500);
    await box.ask(sandboxAdvance, { durationMs: 86_400_000 });
    await restoreFrom(box, path);
    expect(await contentOf(box)).toEqual(before);
    expect(await schemaOf(box)).toEqual(schema);
    expect((await box.ask(listTransactions, {})).total).toBe(31);
  });

  test('restored after a reset accepts both keys', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const [path, old] = [folder.file('snapshot.db'), await secondKey(box)];
    await snapshotTo(box, path);
    await box.ask(sandboxReset, {});
    const fresh = await secondKey(box);
    await restoreFrom(box, path);
    const statuses: number[] = [];
    for (const key of [box.apiKey, old, fresh, 'sandbox_another']) {
      const { status } = await box.send(getFees, {}, key);
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 200, 401]);
  });

  test('restored is a working sandbox', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const user = await onboardUser(box);
    const path = folder.file('snapshot.db');
    await snapshotTo(box, path);
    await restoreFrom(box, path);
    await fund(box, user, 1000);
    await fund(box, await onboardUser(box), 1000);
    await expectSettledLedger(box);
    // The restored database still enforces its constraints.
    const insert = `INSERT INTO posting (posting_set, account, minor) VALUES (99999, 1, 5)`;
    await expect(box.inside(({ store }) => store.run(insert))).rejects.toThrow();
    await expect(box.inside(({ store }) => store.run('UPDATE posting SET minor = 1'))).rejects.toThrow(/final/);
  });

  test('may be a copy of a state file, which is in WAL mode', async () => {
    using folder = temporaryFolder();
    const source = folder.file('other.db');
    const other = await openSandbox({ path: source, ids: countingIds(7) });
    await onboardUser(other);
    await other.close();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const files = readdirSync(folder.path);
    await restoreFrom(box, source);
    expect((await box.ask(listUsers, {})).pagination).toMatchObject({ total: 1 });
    expect(readdirSync(folder.path)).toEqual(files);
  });

  test('of another sandbox keeps the keys in use here', async () => {
    using folder = temporaryFolder();
    await using other = await openSandbox({ path: folder.file('other.db'), ids: countingIds(7) });
    await onboardUser(other);
    const path = folder.file('snapshot.db');
    await snapshotTo(other, path);
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const keys = await Promise.all([1, 2, 3, 4].map((fintech) => keyOf(box, fintech)));
    await restoreFrom(box, path, keys[1]);
    const theirs = await other.ask(sandboxStatus, { values: true });
    for (const [index, key] of keys.entries()) {
      const { fintechId } = await box.ask(sandboxStatus, {}, key);
      expect(fintechId).toBe(theirs.fintechs?.[index]?.fintechId);
    }
    expect(box.sandbox.apiKey()).toBe(keys[0]);
    expect((await box.ask(listUsers, {})).pagination).toMatchObject({ total: 1 });
  });

  test('does not bring back a key that is revoked while the snapshot arrives', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const { content } = await box.ask(sandboxSnapshot, {});
    const { envelope } = await box.call('GET', '/regenerateapikey');
    const key = String(envelope.data?.['apiKey']);
    const { restored } = await box.inside(({ store }) => {
      const restored = restoreState(store, content, 'copy');
      store.run('UPDATE api_key SET revoked_at = 1 WHERE key = ?', key);
      return { restored };
    }, 'write');
    await restored;
    expect((await box.send(getFees, {}, key)).status).toBe(401);
    expect((await box.send(getFees, {}, box.apiKey)).status).toBe(200);
  });

  test('restores a key revoked since, next to the one in use', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const path = folder.file('snapshot.db');
    await snapshotTo(box, path);
    const rotated = await box.call('GET', '/regenerateapikey');
    const key = String(rotated.envelope.data?.['apiKey']);
    expect((await box.call('GET', '/getfees')).status).toBe(401);
    await restoreFrom(box, path, key);
    for (const each of [key, box.apiKey]) expect((await box.call('GET', '/getfees', undefined, each)).status).toBe(200);
  });

  test('restored is seen by another sandbox on the file', async () => {
    using folder = temporaryFolder();
    const clock = fakeClock();
    const path = folder.file('sandbox.db');
    await using first = await openSandbox({ path, clock });
    await using second = await openSandbox({ path, clock, ids: countingIds(2) });
    await onboardUser(first);
    await snapshotTo(first, folder.file('snapshot.db'));
    await onboardUser(first);
    expect(await second.ask(sandboxStatus, {})).toMatchObject({ users: 2 });
    await restoreFrom(second, folder.file('snapshot.db'));
    expect(await first.ask(sandboxStatus, {})).toMatchObject({ users: 1 });
    await fund(first, await onboardUser(first), 10);
    await expectSettledLedger(second);
  });
});

describe('a path in a request', () => {
  test.each(['snapshot', 'restore'])('is rejected by %s', async (control) => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const path = folder.file('there.db');
    const { status, envelope } = await box.call('POST', `/_sandbox/${control}`, { path });
    expect({ status, response_code: envelope.response_code }).toEqual({ status: 400, response_code: '01' });
    expect(envelope.error).toContain('path: unknown field');
    expect(readdirSync(folder.path)).not.toContain('there.db');
  });
});

describe('a restore is rejected and changes nothing', () => {
  const strange: readonly (readonly [what: string, words: RegExp, put: (path: string, good: string) => void])[] = [
    ['for an empty file', /not a sandbox state file/, (path) => writeFileSync(path, '')],
    ['for a short text', /not a sandbox state file/, (path) => writeFileSync(path, 'hello\n')],
    ['for a long text', /not a sandbox state file/, (path) => writeFileSync(path, 'hello\n'.repeat(5000))],
    ['for a database of another program', /not a sandbox state file/, (path) => alter(path, 'CREATE TABLE a (b)')],
    [
      'for a sandbox of a newer fiatrail',
      /written by a newer version/,
      (path, good) => {
        writeFileSync(path, readFileSync(good));
        alter(path, 'PRAGMA user_version = 99');
      },
    ],
    [
      'for a sandbox with other tables',
      /not a sandbox state file of this version/,
      (path, good) => {
        writeFileSync(path, readFileSync(good));
        alter(path, 'ALTER TABLE user ADD COLUMN shoe_size INTEGER');
      },
    ],
    [
      'for a partly corrupt file',
      /not a sandbox state file/,
      (path, good) => {
        const bytes = readFileSync(good);
        bytes.fill(0x5a, 8192, bytes.length - 4096);
        writeFileSync(path, bytes);
      },
    ],
  ];

  test.each(strange)('%s', async (_what, words, put) => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    await fund(box, await onboardUser(box), 1000);
    const good = folder.file('good.db');
    await snapshotTo(box, good);
    const path = folder.file('strange.db');
    put(path, good);
    const [before, schema] = [await contentOf(box), await schemaOf(box)];
    const files = readdirSync(folder.path);
    const detail = await refusalOf(box, packState(readFileSync(path)));
    expect(detail).toMatch(/^content: it /);
    expect(detail).toMatch(words);
    expect(readdirSync(folder.path)).toEqual(files);
    expect(await contentOf(box)).toEqual(before);
    expect(await schemaOf(box)).toEqual(schema);
    // A valid file can still be restored.
    await restoreFrom(box, good);
    await fund(box, await onboardUser(box), 1000);
  });

  test.each(['', 'a b', 'AAAA', 5, null, undefined, '../../etc/passwd'])('for the content %j', async (content) => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    const before = await contentOf(box);
    expect(await refusalOf(box, content)).toMatch(/^content: /);
    expect(await contentOf(box)).toEqual(before);
  });

  test('with an unknown key', async () => {
    using folder = temporaryFolder();
    await using box = await openSandbox({ path: folder.file('sandbox.db') });
    expect((await box.call('POST', '/_sandbox/snapshot', {}, 'sandbox_wrong')).status).toBe(401);
    const { content } = await box.ask(sandboxSnapshot, {});
    expect((await box.call('POST', '/_sandbox/restore', { content }, 'sandbox_wrong')).status).toBe(401);
  });
});

test('a restore skips triggers and views in the file', async () => {
  using folder = temporaryFolder();
  await using box = await openSandbox({ path: folder.file('sandbox.db') });
  const path = folder.file('snapshot.db');
  await snapshotTo(box, path);
  alter(
    path,
    'CREATE TRIGGER rich AFTER INSERT ON user BEGIN UPDATE account SET balance = balance + 1; END; CREATE VIEW v AS SELECT 1',
  );
  const schema = await schemaOf(box);
  await restoreFrom(box, path);
  expect(await schemaOf(box)).toEqual(schema);
  await onboardUser(box);
  await expectSettledLedger(box);
});

test('the second fintech can restore too, and its key stays valid', async () => {
  using folder = temporaryFolder();
  await using box = await openSandbox({ path: folder.file('sandbox.db') });
  const key = await secondKey(box);
  const path = folder.file('snapshot.db');
  await snapshotTo(box, path, key);
  await restoreFrom(box, path, key);
  expect((await box.ask(sandboxStatus, {}, key)).fintechName).toBe('Savanna Remit');
});
