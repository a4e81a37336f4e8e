import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/base/world.ts';
import { NEVER_SENT } from '../../src/journal/claims.ts';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { INTENT, journals, oneProcess, prepared, testJournal } from '../support/journal-intent.ts';

const FINTECH = { id: 'e1080560-02a0-424a-ace1-28385ea1c5e5', isLive: true };
const OTHER = { id: 'f1080560-02a0-424a-ace1-28385ea1c5e5', isLive: true };

/** A machine where every process that wrote to the journal has ended. */
const idleHost: Host = { ...oneProcess(), isRunning: () => false };
const open = () => testJournal({ host: idleHost });

const names = (keyFingerprint: string) => ({ ...INTENT.account, keyFingerprint });
const by = (keyFingerprint: string, change: Partial<Intent> = {}): Intent => ({
  ...INTENT,
  account: names(keyFingerprint),
  idempotencyKey: 'k',
  ...change,
});

const found = async (journal: Journal, intent: Intent) => {
  const claim = await journal.claim(intent);
  return claim.kind === 'ours' ? 'ours' : claim.kind;
};

/** Records a payment that the service accepted, and returns its id. */
async function paid(journal: Journal, intent: Intent): Promise<string> {
  const id = await prepared(journal, intent);
  await journal.append(id, 'sent');
  await journal.append(id, 'accepted');
  return id;
}

describe('two keys of one fintech', () => {
  test.each<[what: string, learn: (journal: Journal, pay: () => Promise<unknown>) => Promise<void>]>([
    [
      'before the payment',
      async (journal, pay) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('b'), FINTECH);
        await pay();
      },
    ],
    [
      'after the payment',
      async (journal, pay) => {
        await pay();
        await journal.learnFintech(names('b'), FINTECH);
        await journal.learnFintech(names('a'), FINTECH);
      },
    ],
    [
      'in another spelling',
      async (journal, pay) => {
        await pay();
        await journal.learnFintech(names('b'), { ...FINTECH, id: FINTECH.id.toUpperCase() });
        await journal.learnFintech(names('a'), FINTECH);
      },
    ],
  ])('share idempotency keys when they are learned %s', async (_what, learn) => {
    const journal = await open();
    await learn(journal, () => paid(journal, by('a')));
    expect(await found(journal, by('b'))).toBe('done');
    expect((await journal.findConflict(by('b')))?.kind).toBe('done');
    expect((await journal.verify()).problem).toBeUndefined();
    journal.close();
  });

  test('share idempotency keys if one of them was used at the base URLs of both', async () => {
    const journal = await open();
    await paid(journal, by('a'));
    const elsewhere = (key: string) => ({ ...names(key), baseUrl: 'https://other-name/v1' });
    for (const account of [names('a'), elsewhere('a'), elsewhere('b')]) await journal.learnFintech(account, FINTECH);
    expect(await found(journal, by('b'))).toBe('done');
    journal.close();
  });

  test('share the guard', async () => {
    const journal = await open();
    const guarded = (key: string) => by(key, { idempotencyKey: undefined, isGuarded: true });
    await paid(journal, guarded('a'));
    expect(await found(journal, guarded('b'))).toBe('ours');
    for (const key of ['a', 'b']) await journal.learnFintech(names(key), FINTECH);
    expect(await found(journal, guarded('b'))).toBe('repeated');
    journal.close();
  });

  test('that both paid under one idempotency key have its newer payment', async () => {
    const journal = await open();
    await paid(journal, by('a'));
    const newer = await paid(journal, by('b'));
    for (const key of ['a', 'b']) await journal.learnFintech(names(key), FINTECH);
    for (const key of ['a', 'b', 'a'])
      expect(await journal.claim(by(key))).toMatchObject({ kind: 'done', operation: { operationId: newer } });
    expect(await journal.count()).toBe(2);
    journal.close();
  });

  test('have the older payment if the newer one was never sent', async () => {
    const journal = await open();
    const older = await paid(journal, by('a'));
    const abandoned = await prepared(journal, by('b'));
    for (const key of ['a', 'b']) await journal.learnFintech(names(key), FINTECH);
    expect(await journal.claim(by('b'))).toMatchObject({ kind: 'done', operation: { operationId: older } });
    expect((await journal.find(abandoned))[0]).toMatchObject({ state: 'rejected', detail: NEVER_SENT });
    expect(await journal.count()).toBe(2);
    journal.close();
  });

  test('are one account with the keys that replaced them', async () => {
    const journal = await open();
    await paid(journal, by('a'));
    await rotate(journal, 'b', 'c');
    await rotate(journal, 'c', 'd');
    for (const key of ['a', 'd']) await journal.learnFintech(names(key), FINTECH);
    await rotate(journal, 'a', 'e');
    for (const key of ['a', 'b', 'c', 'd', 'e']) expect(await found(journal, by(key))).toBe('done');
    journal.close();
  });
});

let rotations = 0;

/** Records that one key replaced another. */
async function rotate(journal: Journal, from: string, to: string): Promise<void> {
  rotations += 1;
  const id = `r-${rotations}`;
  const plan = { operationId: id, keyLocation: 'its file', oldFingerprint: from, pushes: [] };
  await journal.prepareRotation(by(from, { idempotencyKey: undefined }), plan);
  await journal.moveRotation(id, 'prepared', 'sending');
  await journal.moveRotation(id, 'sending', 'answered', { newFingerprint: to });
  for (const [at, next] of [
    ['answered', 'stored'],
    ['stored', 'proven'],
    ['proven', 'done'],
  ] as const)
    await journal.moveRotation(id, at, next);
}

describe('an unknown key while a rotation of its profile is under way', () => {
  /** A journal in which the key a paid, and is being replaced. */
  async function rotating(to: 'prepared' | 'sending' | 'lost' | 'rejected') {
    const journal = await open();
    const old = await paid(journal, by('a'));
    const plan = { operationId: 'r-0', keyLocation: 'its file', oldFingerprint: 'a', pushes: [] };
    await journal.prepareRotation(by('a', { idempotencyKey: undefined }), plan);
    if (to !== 'prepared') await journal.moveRotation('r-0', 'prepared', 'sending');
    if (to === 'lost' || to === 'rejected') await journal.moveRotation('r-0', 'sending', to);
    return { journal, old };
  }

  test.each(['sending', 'lost'] as const)('is the new one (%s)', async (stage) => {
    const { journal, old } = await rotating(stage);
    expect(await found(journal, by('b'))).toBe('done');
    expect(await journal.claim(by('b'))).toMatchObject({ kind: 'done', operation: { operationId: old } });
    journal.close();
  });

  test.each(['sending', 'lost'] as const)(
    'has what the old key did, before anything is claimed (%s)',
    async (stage) => {
      const { journal, old } = await rotating(stage);
      const paying = (key: string) => by(key, { idempotencyKey: undefined, moves: { asset: 'NGN', minor: 5n } });
      const other = await paid(journal, paying('a'));
      expect(await journal.findConflict(by('b'))).toMatchObject({ kind: 'done', operation: { operationId: old } });
      expect(await journal.accountIds(names('b'))).toEqual(await journal.accountIds(names('a')));
      expect(await journal.spent(names('b'), { asset: 'NGN', period: 'day' })).toBe(50_000n);
      const listed = await journal.list({ account: await journal.accountIds(names('b')), limit: 10 });
      expect(listed.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining([old, other]));
      journal.close();
    },
  );

  test('has nothing of a key that is replaced at another service', async () => {
    const { journal } = await rotating('sending');
    const elsewhere = { ...names('b'), baseUrl: 'https://other/v1' };
    expect(await journal.findConflict(by('b', { account: elsewhere }))).toBeUndefined();
    expect(await journal.accountIds(elsewhere)).toEqual([]);
    journal.close();
  });

  test.each(['prepared', 'rejected'] as const)('is another account if no key was replaced (%s)', async (stage) => {
    const { journal } = await rotating(stage);
    expect(await journal.claim(by('b'))).toMatchObject({ kind: 'ours' });
    journal.close();
  });
});

test('a new key that was used before its rotation was recorded joins the account', async () => {
  const journal = await open();
  const old = await paid(journal, by('a'));
  await paid(journal, by('b', { idempotencyKey: 'another' }));
  await rotate(journal, 'a', 'b');
  expect(await journal.claim(by('b'))).toMatchObject({ kind: 'done', operation: { operationId: old } });
  expect(await found(journal, by('a', { idempotencyKey: 'another' }))).toBe('done');
  journal.close();
});

test('a new key that was used before its rotation was recorded shares the sum of its day', async () => {
  const journal = await open();
  const paying = (key: string) => by(key, { idempotencyKey: undefined, moves: { asset: 'NGN', minor: 5n } });
  await paid(journal, paying('a'));
  await paid(journal, paying('b'));
  await rotate(journal, 'a', 'b');
  for (const key of ['a', 'b']) expect(await journal.spent(names(key), { asset: 'NGN', period: 'day' })).toBe(100_000n);
  journal.close();
});

describe('accounts stay apart', () => {
  test.each<[what: string, learn: (journal: Journal) => Promise<void>]>([
    ['if nothing is known of one key', (journal) => journal.learnFintech(names('a'), FINTECH)],
    [
      'if their fintechs differ',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('b'), OTHER);
      },
    ],
    [
      'if one is live and the other a sandbox of the same fintech',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('b'), { ...FINTECH, isLive: false });
      },
    ],
    [
      'if another service claims the same fintech',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech({ ...names('b'), baseUrl: 'https://impostor/v1' }, FINTECH);
      },
    ],
    [
      'if a key seems to change its fintech',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('b'), OTHER);
        await journal.learnFintech(names('b'), FINTECH);
      },
    ],
    [
      'if the other key has the fintech id that a reset gave to the first one',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('a'), OTHER);
        await journal.learnFintech(names('b'), OTHER);
      },
    ],
    [
      'if a rotation leads to the key of another fintech',
      async (journal) => {
        await journal.learnFintech(names('a'), FINTECH);
        await journal.learnFintech(names('b'), OTHER);
        await rotate(journal, 'a', 'b');
      },
    ],
  ])('%s', async (_what, learn) => {
    const journal = await open();
    await paid(journal, by('a'));
    await learn(journal);
    expect(await found(journal, by('b'))).toBe('ours');
    expect(await found(journal, by('a'))).toBe('done');
    journal.close();
  });
});

/** A step of a story: a payment under an idempotency key, a response that names the fintech, or a rotation. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('pay'), key: fc.nat(3), idempotencyKey: fc.constantFrom('k', 'l') }),
  fc.record({ kind: fc.constant('learn'), key: fc.nat(3) }),
  fc.record({ kind: fc.constant('rotate'), key: fc.nat(3) }),
);

test('in every story, an idempotency key pays once among the keys that are known to be one account', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (story) => {
      const journal = await open();
      // The keys 0 to 3 belong to two fintechs; a rotation gives the next free name to the new key.
      const current = ['0', '1', '2', '3'];
      const groups: Set<string>[] = current.map((name) => new Set([name]));
      const groupOf = (name: string) => groups.find((group) => group.has(name)) ?? new Set<string>();
      const join = (one: string, other: string) => {
        const [into, from] = [groupOf(one), groupOf(other)];
        if (into === from) return;
        for (const name of from) into.add(name);
        groups.splice(groups.indexOf(from), 1);
      };
      const learned = new Map<number, string>();
      const payments: { readonly key: string; readonly idempotencyKey: string }[] = [];
      for (const [index, { kind, key, ...more }] of story.entries()) {
        const name = current[key] ?? '';
        const owner = key % 2;
        if (kind === 'learn') {
          await journal.learnFintech(names(name), { id: `${owner}1080560-02a0-424a-ace1-28385ea1c5e5`, isLive: true });
          join(learned.get(owner) ?? name, name);
          learned.set(owner, name);
        } else if (kind === 'rotate') {
          const next = `${key}-${index}`;
          await rotate(journal, name, next);
          groups.push(new Set([next]));
          join(name, next);
          current[key] = next;
        } else {
          const idempotencyKey = 'idempotencyKey' in more ? more.idempotencyKey : '';
          const isPaid = payments.some((each) => each.idempotencyKey === idempotencyKey && groupOf(name).has(each.key));
          const claim = await journal.claim(by(name, { idempotencyKey }));
          expect(claim.kind).toBe(isPaid ? 'done' : 'ours');
          if (claim.kind !== 'ours') continue;
          await journal.append(claim.operationId, 'sent');
          await journal.append(claim.operationId, 'accepted');
          payments.push({ key: name, idempotencyKey });
        }
      }
      expect((await journal.verify()).problem).toBeUndefined();
      journal.close();
    }),
    // A server takes its time for each of them.
    { numRuns: journals.engine === 'sqlite' ? Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 25) : 6 },
  );
});
