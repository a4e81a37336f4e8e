import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import type { Account } from '../../src/engine/account.ts';
import { AlreadyDone, requireFree } from '../../src/engine/guard.ts';
import { guardIn, requireUnused } from '../../src/engine/sending/once.ts';
import type { Conflict } from '../../src/journal/claims.ts';
import { amount } from '../../src/money/amount.ts';
import { fakeWorld } from '../support/world.ts';

const COMMAND = { words: ['fees', 'withdraw'], money: 'guarded' } as const;
const VALUES = { amount: amount('NGN', 50_000n), bankCode: '000013', tag: true };

async function guardOf(input: Readonly<Record<string, unknown>>) {
  const { guard } = await guardIn(COMMAND, input, async () => 0);
  if (!guard) throw new Error('there is no guard');
  return guard;
}

describe('what was typed is the same intent', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['in another order', { tag: true, bankCode: '000013', amount: VALUES.amount }],
    ['with a wait', { ...VALUES, wait: 5_000 }],
    ['with an idempotency key', { ...VALUES, once: 'k' }],
    ['with --again', { ...VALUES, again: true }],
    ['with switches that are off and options that were left out', { ...VALUES, sweep: false, note: undefined }],
  ])('%s', async (_how, input) => {
    expect((await guardOf(input)).input).toBe((await guardOf(VALUES)).input);
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['with another amount', { ...VALUES, amount: amount('NGN', 50_001n) }],
    ['with another asset', { ...VALUES, amount: amount('CNGN', 50_000n) }],
    ['to another bank', { ...VALUES, bankCode: '000014' }],
    ['with a switch more', { ...VALUES, sweep: true }],
  ])('but not %s', async (_how, input) => {
    expect((await guardOf(input)).input).not.toBe((await guardOf(VALUES)).input);
  });
});

test('a dry run asks no journal whether its idempotency key was used', async () => {
  const opened: string[] = [];
  const session = (dryRun: boolean) =>
    ({
      globals: { dryRun },
      accountNames: async () => ({}),
      journal: async () => {
        opened.push(`dry run: ${dryRun}`);
        return { findConflict: async () => undefined };
      },
    }) as unknown as Account;
  const guard = await guardOf({ ...VALUES, once: 'k' });
  for (const dryRun of [true, false]) await requireUnused(session(dryRun), guard);
  expect(opened).toEqual(['dry run: false']);
});

test('a spooled outcome decides an unknown outcome before the service is asked', async () => {
  const operation = { operationId: 'o-1', state: 'sent' };
  const asked: string[] = [];
  let kept = 1;
  const journal = {
    findConflict: async () => ({ kind: kept > 0 ? 'unknown-outcome' : 'done', operation }),
    merge: async () => {
      asked.push('merge');
      return { count: kept--, warnings: [] };
    },
  };
  const session = { globals: { dryRun: false }, accountNames: async () => ({}), journal: async () => journal };
  const guard = await guardOf({ ...VALUES, once: 'k' });
  await expect(requireUnused(session as unknown as Account, guard)).rejects.toBeInstanceOf(AlreadyDone);
  expect(asked).toEqual(['merge']);
});

test.each<[Conflict['kind'], string | undefined]>([
  ['other-input', 'ONCE_KEY_TAKEN'],
  ['unknown-outcome', 'OUTCOME_UNKNOWN'],
  ['equal-unknown', 'OUTCOME_UNKNOWN'],
  ['repeated', 'REPEATED'],
  ['done', undefined],
])('a conflict that is %s ends the command with %s', async (kind, code) => {
  const operation = {
    operationId: 'o-1',
    idempotencyKey: 'k',
    summary: 'withdraw',
    createdAt: '2026-01-05T09:00:00.000Z',
    state: 'accepted',
    searchState: {},
  };
  const thrown = await requireFree({ world: fakeWorld() }, { kind, operation } as Conflict).catch((error) => error);
  if (code === undefined) expect(thrown).toBeInstanceOf(AlreadyDone);
  else expect(thrown).toBeInstanceOf(CliError);
  expect(thrown.code).toBe(code);
});
