import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLUMNS, edit, KEY_EDITS, KEYS } from '../support/journal-edits.ts';
import { INTENT, prepared } from '../support/journal-intent.ts';
import { copiedJournal, startPostgres, type TestServer } from '../support/postgres.ts';
import { claimed, openHost } from './support.ts';

let server: TestServer;
let whole: string | undefined;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

/** Makes a journal with everything that one can have. */
async function filled(): Promise<string> {
  const url = server.newDatabase();
  const host = await openHost(url);
  const moves = { asset: 'NGN', minor: 50_000n } as const;
  const id = await prepared(host, { idempotencyKey: 'k', tag: '[fr-1]', moves });
  await host.append(id, 'sent');
  await host.append(id, 'accepted', { requestId: 'r', result: '{}' });
  const rotation = { operationId: 'rotation-1', keyLocation: 'file', oldFingerprint: '0a1b', pushes: ['push'] };
  await host.prepareRotation({ ...INTENT, kind: 'destructive', endpoint: 'keys.regenerate' }, rotation);
  await host.close();
  return url;
}

/** Returns a copy of the journal in a database of its own. */
async function copy(): Promise<string> {
  whole ??= await filled();
  return server.newDatabase(whole);
}

/** Returns such a copy of which hosts do not notice that it is one. */
async function moved(): Promise<string> {
  whole ??= await filled();
  return copiedJournal(server, whole);
}

const TABLES = Object.keys(COLUMNS);
const tampering = (sql: string) =>
  [
    ...TABLES.map((name) => `ALTER TABLE fiatrail.${name} DISABLE TRIGGER ALL`),
    `SET search_path = fiatrail; ${sql}`,
    ...TABLES.map((name) => `ALTER TABLE fiatrail.${name} ENABLE TRIGGER ALL`),
  ].join('; ');

/** Rows of a file count only with their digest, which is in the chain, and a lease saves work alone: what uses them notices. */
const OF_FILES = /^file_/;

const EDITS = Object.entries(COLUMNS)
  .filter(([table]) => !OF_FILES.test(table))
  .flatMap(([table, columns]) => columns.map((column) => ({ table, column })));

/** What an edit leads to: `verify` finds it, or the journal cannot even be opened. */
async function found(url: string): Promise<string | undefined> {
  try {
    const host = await openHost(url);
    return (await host.verify()).problem?.what;
  } catch (error) {
    return String(error);
  }
}

test('an untouched copy verifies', async () => {
  const url = await copy();
  server.sql(url, tampering('SELECT 1'));
  expect(await found(url)).toBeUndefined();
});

test.each(EDITS)('an edit of $column of $table by the owner is found', async ({ table, column }) => {
  const url = await copy();
  const key = KEYS[table] ?? '';
  const rows = `(${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1)`;
  const sets = edit(table, column);
  const changes = server.sql(
    url,
    `SET search_path = fiatrail; SELECT count(*) FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  server.sql(url, tampering(`UPDATE ${table} SET ${sets} ${table === 'entry' ? '' : `WHERE ${rows}`}`));
  // An entry that is not about a subject cannot be made to be.
  if (changes.endsWith('\n0') && sets.includes('CASE')) return;
  expect(await found(url)).toBeDefined();
});

test.each(KEY_EDITS)('the same idempotency key is not claimed again after %s', async (sets) => {
  const url = await moved();
  server.sql(url, tampering(`UPDATE operation SET ${sets} WHERE once_key = 'k'`));
  const host = await openHost(url);
  await expect(claimed(host, { ...INTENT, idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'JOURNAL_CHANGED' });
});

test.each(COLUMNS['entry'] ?? [])('nor after %s of the entry that has it was edited', async (column) => {
  const url = await moved();
  const rows = `subject LIKE 'idempotency key %' OR operation_id = (SELECT id FROM operation WHERE once_key = 'k')`;
  server.sql(url, tampering(`UPDATE entry SET ${edit('entry', column)} WHERE ${rows}`));
  const host = await openHost(url);
  const kind = claimed(host, { ...INTENT, idempotencyKey: 'k' });
  await expect(kind).rejects.toMatchObject({ code: 'JOURNAL_CHANGED' });
});
