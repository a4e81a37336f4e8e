import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { TRIGGERS } from '../../src/journal/sqlite/schema.ts';
import { INTENT, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';
import { countingIds, temporaryFolder } from '../support/sandbox.ts';

function place() {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const path = folder.file('journal.db');
  return { folder, path, head: `${path}.head`, copy: folder.file('copy.db') };
}

const headText = (path: string) => readFileSync(`${path}.head`, 'utf8');

/** Opens a journal, uses it and closes it, so that its file is whole. */
async function using<T>(
  path: string,
  seed: number,
  work: (journal: Journal) => Promise<T>,
  host = oneProcess(),
): Promise<T> {
  const journal = await testJournal({ path, ids: countingIds(seed), host });
  try {
    return await work(journal);
  } finally {
    journal.close();
  }
}

const STOPS = 'is missing entries that it had';

/** A journal that was restored from a copy made two operations ago. */
async function restored() {
  const found = place();
  const { path, copy } = found;
  await using(path, 1, (journal) => prepared(journal));
  copyFileSync(path, copy);
  await using(path, 2, async (journal) => {
    await journal.append(await prepared(journal), 'sent');
    await journal.append(await prepared(journal), 'sent');
  });
  copyFileSync(copy, path);
  return found;
}

/** The key of the digests, and the account’s key. */
const BEGINNING = 2;
const ENTRY_DELETE = TRIGGERS.find((each) => each.includes('entry_delete'));

describe('the checkpoint beside the journal', () => {
  test('is the last transition, in a private file', async () => {
    const { path, head } = place();
    await using(path, 1, async (journal) => {
      const id = await prepared(journal);
      expect(headText(path)).toBe(`3 ${(await journal.head())?.hash}\n`);
      await journal.append(id, 'sent');
      expect(headText(path)).toBe(`4 ${(await journal.head())?.hash}\n`);
      await journal.record(id, 'accepted', { requestId: 'r' });
      await journal.ended({ account: INTENT.account, endpoints: ['fees.withdraw'], requestId: 'r' }, 'settled', {});
      expect(headText(path)).toBe(`6 ${(await journal.head())?.hash}\n`);
      await journal.prepareRotation(INTENT, { operationId: 'r-1', keyLocation: 'f', oldFingerprint: '0a', pushes: [] });
      await journal.moveRotation('r-1', 'prepared', 'sending');
      expect(headText(path)).toBe(`10 ${(await journal.head())?.hash}\n`);
      await journal.destroyed({ mode: 'embedded', profile: 'sandbox' }, INTENT.account);
      expect(headText(path)).toBe(`12 ${(await journal.head())?.hash}\n`);
    });
    expect((statSync(head).mode & 0o777).toString(8)).toBe('600');
  });

  test('leaves no temporary file', async () => {
    const { path, folder } = place();
    await using(path, 1, (journal) => prepared(journal));
    expect(existsSync(folder.file('.head-100-1.tmp'))).toBe(false);
  });

  test.each([
    ['is missing', (head: string) => rmSync(head)],
    ['is empty, as after a power failure', (head: string) => writeFileSync(head, '')],
  ])('is made again if it %s', async (_what, change) => {
    const { path, head } = place();
    await using(path, 1, (journal) => prepared(journal));
    change(head);
    await using(path, 2, async (journal) => {
      await journal.requireLastLink();
      expect((await journal.verify()).problem).toBeUndefined();
      await prepared(journal);
      expect(headText(path)).toBe(`4 ${(await journal.head())?.hash}\n`);
    });
  });

  test('may be older, as when a slower process wrote it last', async () => {
    const { path, head } = place();
    await using(path, 1, (journal) => prepared(journal));
    const older = readFileSync(head);
    await using(path, 2, (journal) => prepared(journal), oneProcess(7, 'host-2'));
    writeFileSync(head, older);
    await using(path, 3, async (journal) => {
      await journal.requireLastLink();
      expect((await journal.verify()).problem).toBeUndefined();
    });
  });

  test.each([1, 4])('of a journal that another one with %d operations replaced stops money commands', async (count) => {
    const { path, copy } = place();
    const fill = (at: string, seed: number) =>
      using(at, seed, async (journal) => {
        for (let made = 0; made < count; made++) await prepared(journal);
      });
    await fill(path, 1);
    await fill(copy, 2);
    copyFileSync(copy, path);
    await using(path, 3, async (journal) => {
      await expect(journal.requireLastLink()).rejects.toMatchObject({ message: expect.stringContaining(STOPS) });
      expect((await journal.verify()).problem).toMatchObject({ sequence: BEGINNING + count });
    });
  });

  test('that is a link stops money commands', async () => {
    const { path, head, folder } = place();
    await using(path, 1, (journal) => prepared(journal));
    rmSync(head);
    symlinkSync(folder.file('elsewhere'), head);
    await using(path, 2, (journal) => expect(journal.requireLastLink()).rejects.toThrow('symbolic link'));
  });

  test('does not stop a transition from being recorded if it cannot be written', async () => {
    const { path, head } = place();
    await using(path, 1, (journal) => prepared(journal));
    rmSync(head);
    mkdirSync(head);
    await using(path, 2, async (journal) => expect(await journal.find(await prepared(journal))).toHaveLength(1));
  });
});

describe('a journal that lacks its last entries', () => {
  test('because an older copy was put in its place stops money commands', async () => {
    const { path } = await restored();
    await using(path, 3, async (journal) => {
      await expect(journal.requireLastLink()).rejects.toThrow(STOPS);
      expect((await journal.verify()).problem).toMatchObject({ sequence: 7 });
    });
  });

  test('because it was deleted stops money commands', async () => {
    const { path } = place();
    await using(path, 1, (journal) => prepared(journal));
    rmSync(path);
    await using(path, 2, (journal) => expect(journal.requireLastLink()).rejects.toThrow(STOPS));
  });

  test('because its end was cut stops money commands', async () => {
    const { path } = place();
    await using(path, 1, async (journal) => {
      await prepared(journal);
      await prepared(journal);
    });
    const database = new DatabaseSync(path);
    database.exec(`DROP TRIGGER entry_delete; DELETE FROM entry WHERE sequence = 4; ${ENTRY_DELETE}`);
    database.close();
    await using(path, 2, (journal) => expect(journal.requireLastLink()).rejects.toThrow(STOPS));
  });

  test('stays so when other commands append to it, even as many entries as it lost', async () => {
    const { path } = await restored();
    await using(path, 3, async (journal) => {
      for (let count = 0; count < 10; count++) await journal.append(await prepared(journal), 'sent');
      await expect(journal.requireLastLink()).rejects.toThrow(STOPS);
    });
  });

  test('is used again once it is accepted, and watched from then on', async () => {
    const { path, copy } = await restored();
    await using(path, 3, async (journal) => {
      expect((await journal.accept()).problem).toBeUndefined();
      await journal.requireLastLink();
      expect((await journal.verify()).problem).toBeUndefined();
      await prepared(journal);
    });
    copyFileSync(copy, path);
    await using(path, 4, (journal) => expect(journal.requireLastLink()).rejects.toThrow(STOPS));
  });

  test('is not accepted if what is left is damaged', async () => {
    const { path } = await restored();
    const database = new DatabaseSync(path);
    database.exec(`DROP TRIGGER entry_update; UPDATE entry SET detail = 'x'`);
    database.close();
    await using(path, 3, async (journal) => {
      expect((await journal.accept()).problem?.what).toContain('entry 1, was changed');
      expect((await journal.verify()).problem?.what).toContain('entry 1, was changed');
    });
    expect(headText(path)).toMatch(/^7 /);
  });
});
