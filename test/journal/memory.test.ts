import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/interface.ts';
import { knownFintech } from '../../src/journal/known-fintech.ts';
import type { Memory } from '../../src/journal/memory.ts';
import { openJournal } from '../../src/journal/open.ts';
import { INTENT, oneProcess, prepared } from '../support/journal-intent.ts';
import { testQueryPlans } from '../support/query-plans.ts';
import { countingIds, fakeClock, temporaryFolder } from '../support/sandbox.ts';

/** A machine with a folder beside its profiles, and any number of state folders. */
function machine(memory: Partial<Memory> = {}) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const warnings: string[] = [];
  let seed = 0;
  return {
    warnings,
    config: folder.file('config'),
    state: (name: string) => folder.file(name),
    /** Opens the journal of a state folder as a command does. */
    open: async (state: string, more: Partial<Memory> = {}): Promise<Journal> => {
      seed += 1;
      const dir = folder.file(state);
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      const known: Memory = {
        ...{ configFolder: folder.file('config'), stateFolder: join(dir, 'journals'), requiredId: undefined },
        ...{ isIndependent: false, isLive: true, onPurpose: (id) => `on purpose: ${id}` },
        ...{ ...memory, ...more },
      };
      const world = { clock: fakeClock(), ids: countingIds(seed), host: oneProcess() };
      const warn = async (text: string) => {
        warnings.push(text);
      };
      const journal = await openJournal(join(dir, 'journal.db'), world, { memory: known, warn });
      onTestFinished(() => journal.close());
      return journal;
    },
  };
}

const ELSEWHERE = { category: 'usage', code: 'JOURNAL_ELSEWHERE' };
const of = (keyFingerprint: string) => ({ account: { ...INTENT.account, keyFingerprint } });

describe('a new journal', () => {
  test('of a live account is warned of once, with its id', async () => {
    const { open, warnings } = machine();
    const journal = await open('one');
    await prepared(journal);
    await prepared(journal, { idempotencyKey: 'k' });
    expect(warnings).toEqual([
      expect.stringContaining('is new, so idempotency keys that an earlier one has do not count'),
    ]);
    expect(warnings[0]).toContain(`on purpose: ${journal.id()}`);
  });

  test.each([
    ['of a sandbox', { isLive: false }],
    ['that is one of several on purpose', { isIndependent: true }],
  ])('%s is not warned of', async (_what, memory) => {
    const { open, warnings } = machine(memory);
    await prepared(await open('one'));
    expect(warnings).toEqual([]);
  });

  test('that has entries of another account is the first journal of an account without a warning', async () => {
    const { open, warnings } = machine();
    const journal = await open('one');
    await prepared(journal);
    await prepared(journal, of('bbbb'));
    expect(warnings).toHaveLength(1);
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

  test('has the head of the journal as each transition leaves it', async () => {
    const { open, config } = machine();
    const journal = await open('one');
    const id = await prepared(journal);
    const head = () => readFileSync(join(config, `journal-${journal.id()}.head`), 'utf8');
    expect(head()).toBe(`4 ${(await journal.head())?.hash}\n`);
    await journal.append(id, 'sent');
    expect(head()).toBe(`5 ${(await journal.head())?.hash}\n`);
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

test('what an earlier version kept beside a journal on a server still counts', async () => {
  const { open, state } = machine();
  mkdirSync(state('one'), { mode: 0o700 });
  writeFileSync(join(state('one'), 'journal-0a1b2c3d.accounts'), 'db.example.com:5432/ops\n0a1b\n', { mode: 0o600 });
  const refused = prepared(await open('one'));
  await expect(refused).rejects.toMatchObject({
    ...ELSEWHERE,
    message: expect.stringContaining('db.example.com:5432'),
  });
  await (await open('one')).accept(INTENT.account);
  await prepared(await open('one'));
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
