import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { knownFintech } from '../../src/journal/known-fintech.ts';
import { type Memory, rememberingOf } from '../../src/journal/memory.ts';
import { openJournal } from '../../src/journal/open.ts';
import type { Queries } from '../../src/journal/store.ts';
import { INTENT, oneProcess, prepared } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';

/** A machine with a folder beside its profiles, and any number of state folders. */
function machine(memory: Partial<Memory> = {}, firstSeed = 1) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const warnings: string[] = [];
  const notes: string[] = [];
  const asked: string[] = [];
  let seed = firstSeed - 1;
  return {
    warnings,
    notes,
    asked,
    config: folder.file('config'),
    state: (name: string) => folder.file(name),
    /** Opens the journal of a state folder as a command does. */
    open: async (state: string, more: Partial<Memory> = {}, answer?: 'yes' | 'no'): Promise<Journal> => {
      seed += 1;
      const dir = folder.file(state);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const known: Memory = {
        configFolder: folder.file('config'),
        stateFolder: join(dir, 'journals'),
        requiredId: undefined,
        isIndependent: false,
        isLive: false,
        profile: 'main',
        earlier: undefined,
        ...memory,
        ...more,
      };
      const world = { clock: fakeClock(), ids: countingIds(seed), host: oneProcess() };
      const warn = async (text: string) => {
        warnings.push(text);
      };
      const askCode = async (summary: string) => {
        asked.push(summary);
        if (answer === 'no') throw new Error('declined');
      };
      const note = async (text: string) => void notes.push(text);
      const how = { memory: known, warn, note, askCode: answer && askCode };
      const journal = await openJournal(join(dir, 'journal.db'), world, how);
      onTestFinished(() => journal.close());
      return journal;
    },
  };
}

const ELSEWHERE = { category: 'usage', code: 'JOURNAL_ELSEWHERE' };
const of = (keyFingerprint: string) => ({ account: { ...INTENT.account, keyFingerprint } });

const NEW = { category: 'usage', code: 'JOURNAL_NEW' };
const UNNAMED = { category: 'usage', code: 'JOURNAL_UNNAMED' };
const LIVE = { isLive: true };
const KEYED = { idempotencyKey: 'k' };
/** A folder in which nothing can be created, even by root. */
const UNWRITABLE = { configFolder: '/proc/fiatrail/journals' };

describe('the first journal of a live account', () => {
  test.each([
    ['with an idempotency key', KEYED],
    ['without one', {}],
  ])('is rejected %s, until it is accepted', async (_what, intent) => {
    const { open } = machine(LIVE);
    const refused = prepared(await open('one'), intent);
    await expect(refused).rejects.toMatchObject(NEW);
    await expect(refused).rejects.toThrow(/nothing was sent$/);
    expect(await (await open('one')).count()).toBe(0);
    expect(await (await open('one')).wrong(INTENT.account)).toMatchObject(NEW);
    await (await open('one')).accept(INTENT.account);
    await prepared(await open('one'), intent);
    await expect(prepared(await open('two'), intent)).rejects.toMatchObject(ELSEWHERE);
  });

  test('is confirmed once by a person, before anything is recorded', async () => {
    const { open, asked } = machine(LIVE);
    const journal = await open('one', {}, 'yes');
    await journal.confirm(INTENT.account, true);
    expect(await journal.count()).toBe(0);
    await prepared(await open('one'), KEYED);
    expect(asked).toEqual([expect.stringContaining('for this LIVE account')]);
    await expect(prepared(await open('two'), KEYED)).rejects.toMatchObject(ELSEWHERE);
  });

  test('that a person does not confirm stays rejected', async () => {
    const { open } = machine(LIVE);
    await expect(prepared(await open('one', {}, 'no'))).rejects.toThrow('declined');
    await expect(prepared(await open('one'))).rejects.toMatchObject(NEW);
  });

  test('is used if each state folder has one on purpose, also in a configuration that cannot be written', async () => {
    const { open } = machine({ ...LIVE, ...UNWRITABLE, isIndependent: true });
    await prepared(await open('one'), KEYED);
    await prepared(await open('two'), KEYED);
  });

  test('is not confirmed by a change of settings', async () => {
    const { open } = machine(LIVE);
    await prepared(await open('one'), { isSetting: true, idempotencyKey: 'set' });
    await expect(prepared(await open('one'), KEYED)).rejects.toMatchObject(NEW);
  });

  test('is rejected for another account of the same journal too', async () => {
    const { open } = machine(LIVE);
    await (await open('one')).accept(INTENT.account);
    await prepared(await open('one'));
    await expect(prepared(await open('one'), of('bbbb'))).rejects.toMatchObject(NEW);
  });
});

describe.each([
  ['an account from variables', { profile: undefined }, /export FIATRAIL_JOURNAL_URL=.*export FIATRAIL_JOURNAL_ID=/],
  ['a configuration that cannot be written', UNWRITABLE, /export FIATRAIL_JOURNAL_URL=.*export FIATRAIL_JOURNAL_ID=/],
])('an idempotency key of %s', (_what, more, hint) => {
  test('is rejected on a live account whose journal nobody named, also by a person', async () => {
    const { open } = machine({ ...LIVE, ...more });
    for (const state of ['one', 'two']) {
      const refused = prepared(await open(state, {}, 'yes'), KEYED);
      await expect(refused).rejects.toMatchObject({ ...UNNAMED, hint: expect.stringMatching(hint) });
    }
  });

  test('is taken by the journal that is named, and by no other', async () => {
    const { open } = machine({ ...LIVE, ...more });
    const requiredId = (await open('one')).id();
    await prepared(await open('one', { requiredId }), KEYED);
    await expect(prepared(await open('two', { requiredId }), KEYED)).rejects.toMatchObject({
      code: 'OTHER_JOURNAL_ID',
    });
  });

  test('is taken in a sandbox, with a notice of what a live account would do until the journal is remembered', async () => {
    const { open, notes, warnings } = machine(more);
    for (const idempotencyKey of ['k', 'l']) await prepared(await open('one'), { idempotencyKey });
    expect(notes).toEqual([expect.stringContaining('a LIVE account would stop here')]);
    expect(warnings).toEqual([]);
  });

  test('is the only thing that needs a name: a person may confirm a payment without one', async () => {
    const { open } = machine({ ...LIVE, ...more });
    await prepared(await open('one', {}, 'yes'));
    await prepared(await open('one'), { input: 'other' });
  });
});

test('a configuration that cannot be written but names the journal is enough', async () => {
  const { open, config } = machine(LIVE);
  await (await open('one')).accept(INTENT.account);
  chmodSync(config, 0o500);
  await prepared(await open('one'), KEYED);
  await expect(prepared(await open('two'), KEYED)).rejects.toMatchObject(ELSEWHERE);
});

describe('the journal that a profile had where it was exported', () => {
  const exportedFrom = async (journal: Journal): Promise<Memory['earlier']> => {
    const head = await journal.head();
    return { id: journal.id(), kind: 'file', location: '/there/journal.db on laptop-1', heads: head ? [head] : [] };
  };

  test.each([{}, LIVE])('is not a new one here: %j', async (mode) => {
    const { open } = machine();
    const there = await open('one');
    await prepared(there, KEYED);
    const earlier = await exportedFrom(there);
    const { open: openHere } = machine({ ...mode, earlier }, 100);
    await expect(prepared(await openHere('one'), KEYED)).rejects.toMatchObject({
      ...ELSEWHERE,
      message: expect.stringContaining('/there/journal.db on laptop-1'),
    });
    await (await openHere('one')).accept(INTENT.account);
    await prepared(await openHere('one'), KEYED);
  });

  test.each([
    ['with its digest key', true, 'done'],
    ['without it', false, 'other-input'],
  ])('is the one that was moved here %s', async (_what, withDigestKey, kind) => {
    const { open } = machine();
    const there = await open('one');
    const id = await prepared(there, KEYED);
    for (const state of ['sent', 'accepted'] as const) await there.append(id, state);
    const lines: string[] = [];
    for await (const page of there.exported(withDigestKey)) lines.push(...page.map((line) => JSON.stringify(line)));
    const { open: openHere } = machine({ ...LIVE, earlier: await exportedFrom(there) }, 100);
    await (await openHere('one')).importFrom(lines, [INTENT.account]);
    expect((await (await openHere('one')).claim({ ...INTENT, ...KEYED })).kind).toBe(kind);
  });
});

test('a new key of an account whose other key has this journal is no new account, if the journal knows both', async () => {
  const { open } = machine(LIVE);
  const fintech = { id: 'e1080560-02a0-424a-ace1-28385ea1c5e5', isLive: true };
  for (const key of ['aaaa', 'bbbb']) await (await open('one')).learnFintech(of(key).account, fintech);
  await expect(prepared(await open('one'), of('aaaa'))).rejects.toMatchObject(NEW);
  await (await open('one')).accept(of('aaaa').account);
  await prepared(await open('one'), of('bbbb'));
  await expect(prepared(await open('one'), of('cccc'))).rejects.toMatchObject(NEW);
});

describe('a journal on a server', () => {
  const serverStore = (id: string, path: string) => ({
    id,
    path,
    server: { name: `db.test/${id}`, localPath: `${path}.local` },
    read: <T>(work: (queries: Queries) => Promise<T>) =>
      work({ get: async () => undefined, all: async () => [] } as unknown as Queries),
  });
  const remembering = (more: Partial<Memory>) => {
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    const memory: Memory = {
      configFolder: folder.file('config'),
      stateFolder: folder.file('state'),
      requiredId: undefined,
      isIndependent: false,
      isLive: true,
      profile: 'main',
      earlier: undefined,
      ...more,
    };
    const options = { memory, unique: () => 'unique', warn: async () => {}, note: async () => {} };
    return (id: string) => rememberingOf(serverStore(id, folder.file('journal')), options);
  };

  test.each(['require', 'confirm', 'claim'] as const)(
    'is the known one also if state folders may have journals of their own: %s',
    async (method) => {
      const on = remembering({ isIndependent: true });
      await on('aaaaaaaa').claim(INTENT.account, true);
      await on('aaaaaaaa')[method](INTENT.account, true);
      await expect(on('bbbbbbbb')[method](INTENT.account, true)).rejects.toMatchObject(ELSEWHERE);
    },
  );

  test('is named by its URL, so that a live account need not confirm it', async () => {
    const on = remembering({ profile: undefined });
    await on('aaaaaaaa').claim(INTENT.account, true);
    await expect(on('bbbbbbbb').claim(INTENT.account, true)).rejects.toMatchObject(ELSEWHERE);
  });

  test.each([
    ['server', true],
    ['file', false],
  ] as const)('takes the place of the one that an imported profile had in a %s: %s', async (kind, isTaken) => {
    const on = remembering({ earlier: { id: '', kind, location: 'there', heads: [] } });
    const claimed = on('aaaaaaaa').claim(INTENT.account, true);
    if (isTaken) await claimed;
    else await expect(claimed).rejects.toMatchObject({ code: 'JOURNAL_NOT_MOVED' });
  });
});

describe('a new journal', () => {
  test('of a sandbox is used without a word', async () => {
    const { open, warnings } = machine();
    await prepared(await open('one'), KEYED);
    expect(warnings).toEqual([]);
  });

  test('of another account does not stop the journal of this one', async () => {
    const { open } = machine();
    await prepared(await open('one'));
    await prepared(await open('two'), of('bbbb'));
    await expect(prepared(await open('two'))).rejects.toMatchObject(ELSEWHERE);
    await expect(prepared(await open('one'), of('bbbb'))).rejects.toMatchObject(ELSEWHERE);
    await prepared(await open('one'), { idempotencyKey: 'k' });
  });
});

describe('what is remembered', () => {
  test('beside the journal is enough if the folder beside the profiles is lost', async () => {
    const { open, config, state } = machine();
    await prepared(await open('one'));
    mkdirSync(state('two'), { mode: 0o700 });
    mkdirSync(join(state('two'), 'journals'), { mode: 0o700 });
    for (const name of readdirSync(join(state('one'), 'journals')))
      copyFileSync(join(state('one'), 'journals', name), join(state('two'), 'journals', name));
    rmSync(config, { recursive: true });
    await expect(prepared(await open('two'))).rejects.toMatchObject(ELSEWHERE);
  });

  test('is carried over to the key that a rotation brings', async () => {
    const { open } = machine();
    const journal = await open('one');
    await journal.prepareRotation(
      { ...INTENT, ...of('aaaa') },
      { operationId: 'r', keyLocation: 'f', oldFingerprint: 'aaaa', pushes: [] },
    );
    await journal.moveRotation('r', 'prepared', 'sending');
    await journal.moveRotation('r', 'sending', 'answered', { newFingerprint: 'bbbb' });
    await expect(prepared(await open('two'), of('bbbb'))).rejects.toMatchObject(ELSEWHERE);
  });

  test('does not stop a rotation whose key has arrived if it is damaged', async () => {
    const { open, config } = machine();
    const journal = await open('one');
    const intent = { ...INTENT, ...of('aaaa') };
    await journal.prepareRotation(intent, { operationId: 'r', keyLocation: 'f', oldFingerprint: 'aaaa', pushes: [] });
    await journal.moveRotation('r', 'prepared', 'sending');
    writeFileSync(join(config, 'account-bbbb'), 'noise', { mode: 0o600 });
    expect(await journal.moveRotation('r', 'sending', 'answered', { newFingerprint: 'bbbb' })).toBe(true);
  });

  test('has the checkpoint of the journal as each transition leaves it', async () => {
    const { open, config } = machine();
    const journal = await open('one');
    const id = await prepared(journal);
    const head = () => readFileSync(join(config, `journal-${journal.id()}.head`), 'utf8');
    expect(head()).toBe(`3 ${(await journal.head())?.hash}\n`);
    await journal.append(id, 'sent');
    expect(head()).toBe(`4 ${(await journal.head())?.hash}\n`);
  });

  test('is not written by accepting a journal on purpose, nor by looking', async () => {
    const { open, config } = machine();
    const journal = await open('one');
    expect(await journal.wrong(INTENT.account)).toBeUndefined();
    expect(existsSync(config)).toBe(false);
    const named = await open('two', { requiredId: (await open('two')).id() });
    await prepared(named);
    expect(readdirSync(config).filter((name) => name.startsWith('account-'))).toEqual([]);
  });
});

describe('that the journal has the fintech of a key', () => {
  test.each<[when: string, forget: (journal: Journal) => Promise<unknown>]>([
    ['a sandbox was reset', (journal) => journal.destroyed({ mode: 'sandbox', profile: 'sandbox' }, INTENT.account)],
    ['the journal is first used for money of an account', (journal) => prepared(journal)],
    ['the journal is accepted', (journal) => journal.accept(INTENT.account)],
    ['the journal is accepted for another key', (journal) => journal.accept(of('bbbb').account)],
  ])('is forgotten when %s', async (_when, forget) => {
    const { open, state } = machine();
    const journal = await open('one');
    const memory = { stateFolder: join(state('one'), 'journals'), requiredId: undefined };
    const place = { path: join(state('one'), 'journal.db'), server: undefined, memory };
    const known = knownFintech(place, INTENT.account, { id: 'f', isLive: true });
    known.save('unique');
    expect(known.isKnown()).toBe(true);
    await forget(journal);
    expect(known.isKnown()).toBe(false);
    known.save('unique');
    await prepared(journal, { idempotencyKey: 'k' });
    await prepared(journal, { idempotencyKey: 'l' });
    known.save('unique');
    await prepared(journal, { idempotencyKey: 'm' });
    expect(known.isKnown()).toBe(true);
  });
});

test('accepting a journal is for one account', async () => {
  const { open } = machine();
  const first = await open('one');
  await prepared(first);
  await prepared(first, of('bbbb'));
  await (await open('two')).accept(INTENT.account);
  await prepared(await open('two'));
  await expect(prepared(await open('two'), of('bbbb'))).rejects.toMatchObject(ELSEWHERE);
});

testQueryPlans();
