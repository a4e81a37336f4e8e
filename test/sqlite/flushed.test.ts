import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openInbox } from '../../src/webhooks/inbox/inbox.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';

/** What `PRAGMA synchronous` says of a database whose commits are on the disk when they return. */
const FULL = 2;

/** Opens databases, and returns how each of their connections flushes its commits. */
async function synchronousOf(open: () => Promise<{ close(): void | Promise<void> }>): Promise<unknown[]> {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  onTestFinished(() => exec.mockRestore());
  const opened = await open();
  const connections = [...new Set(exec.mock.contexts as DatabaseSync[])].filter(({ isOpen }) => isOpen);
  const found = connections.map((connection) => connection.prepare('PRAGMA synchronous').get()?.['synchronous']);
  await opened.close();
  return found;
}

const newPath = (name: string) => join(temporaryFolder(onTestFinished), name);

const DATABASES = [
  ['the journal', (path: string) => testJournal({ path })],
  ['the inbox of webhooks', (path: string) => openInbox(path, { clock: fakeClock(), host: oneProcess() })],
] as const;

describe.each(DATABASES)('each commit is on the disk when it returns, in %s', (_what, open) => {
  test('when its file is new', async () => {
    const path = newPath('new.db');
    expect(await synchronousOf(() => open(path))).toEqual([FULL]);
  });

  test('when its file is opened again', async () => {
    const path = newPath('again.db');
    await (await open(path)).close();
    expect(await synchronousOf(() => open(path))).toEqual([FULL]);
  });

  test('when its file is a copy that SQLite made', async () => {
    const [path, copy] = [newPath('whole.db'), newPath('copy.db')];
    await (await open(path)).close();
    const database = new DatabaseSync(path);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
    expect(await synchronousOf(() => open(copy))).toEqual([FULL]);
  });
});
