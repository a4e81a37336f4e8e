import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openInbox } from '../../src/webhooks/inbox/inbox.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';

/** What SQLite says of a database whose commits are on the disk when they return: `fullfsync` also empties the cache of the disk, on macOS. */
const FULL = { synchronous: 2, fullfsync: 1 };

/** Opens databases, and returns how each of their connections flushes its commits. */
async function flushesOf(open: () => Promise<{ close(): void | Promise<void> }>): Promise<unknown[]> {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  onTestFinished(() => exec.mockRestore());
  const opened = await open();
  const connections = [...new Set(exec.mock.contexts as DatabaseSync[])].filter(({ isOpen }) => isOpen);
  const pragmas = 'SELECT synchronous, fullfsync FROM pragma_synchronous, pragma_fullfsync';
  const found = connections.map((connection) => connection.prepare(pragmas).get());
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
    expect(await flushesOf(() => open(path))).toEqual([FULL]);
  });

  test('when its file is opened again', async () => {
    const path = newPath('again.db');
    await (await open(path)).close();
    expect(await flushesOf(() => open(path))).toEqual([FULL]);
  });

  test('when its file is a copy that SQLite made', async () => {
    const [path, copy] = [newPath('whole.db'), newPath('copy.db')];
    await (await open(path)).close();
    const database = new DatabaseSync(path);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
    expect(await flushesOf(() => open(copy))).toEqual([FULL]);
  });
});
