import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getFintechAccount } from '../../../src/contract/endpoints/virtual-accounts.ts';
import type { Context } from '../../../src/service/context.ts';
import { commitments } from '../../../src/service/fx/order-book.ts';
import { balanceOf, checkLedger, walletAccount } from '../../../src/service/ledger.ts';
import { IS_OPEN_PAYOUT } from '../../../src/service/schema/schema.ts';
import { smartWallet } from '../../../src/service/wallets/wallets.ts';
import { openSandbox, type TestSandbox } from '../../support/sandbox.ts';
import { expectSettledLedger, FAILING_ACCOUNT, fund, onboardUser, payIn, type User } from '../steps.ts';
import { addAccount, commit, managedAddress, OUTSIDE, seededAccount } from './steps.ts';

const RUNS = Number(process.env['FIATRAIL_SOAK_RUNS'] ?? 5);
const SECOND = `0x${'cd'.repeat(20)}`;

/** The choices of a run. */
interface Stage {
  readonly box: TestSandbox;
  readonly users: readonly User[];
  readonly accounts: readonly string[];
  readonly fintechAccount: string;
}

/** One action by a fintech or the outside world; `at` picks its subject by number. */
interface Step {
  readonly kind: keyof typeof KINDS;
  readonly at: number;
  /** In base units, with every order of magnitude equally likely. */
  readonly base: number;
  readonly is: boolean;
}

const NETWORKS = ['base', 'base', 'bsc', 'eth', 'lisk'];
const TICKERS = ['CNGN', 'CNGN', 'CNGN', 'USDC'];

function pick<T>(list: readonly T[], at: number): T {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

const withdrawFrom = async ({ box, users }: Stage, { at, base }: Step) => {
  const { userId } = pick(users, at);
  const destinationWallet = at % 3 === 0 ? await managedAddress(box, pick(users, at + 1).userId) : OUTSIDE;
  const internalWallet = await managedAddress(box, userId);
  const amount = base / 1e6;
  const how = { network: pick(NETWORKS, at), ticker: pick(TICKERS, at) };
  return box.call('POST', '/withdrawasset', { userId, internalWallet, destinationWallet, amount, ...how });
};

const KINDS = {
  payout: ({ box, accounts }: Stage, { at, base, is }: Step) => {
    const amount = is ? Math.ceil(base / 10_000) * 10_000 : base;
    return box.call('POST', '/initiateofframp', { amount, bankAccountId: pick(accounts, at) });
  },
  transfer: ({ box }: Stage, { at, base }: Step) =>
    box.call('POST', '/fintechtransfer', {
      destinationAddress: pick([OUTSIDE, SECOND], at),
      amount: base,
      ticker: pick(TICKERS, at),
    }),
  withdraw: withdrawFrom,
  fundUser: ({ box, users }: Stage, { at, base }: Step) => {
    const { accountNumber, name } = pick(users, at);
    return box.call('POST', '/_sandbox/pay', {
      accountNumber,
      amount: Math.ceil(base / 10_000) / 100,
      senderName: name,
    });
  },
  fundFintech: ({ box, fintechAccount }: Stage, { base }: Step) =>
    box.call('POST', '/_sandbox/pay', {
      accountNumber: fintechAccount,
      amount: Math.ceil(base / 10_000) / 100,
      senderName: 'ANY PAYER',
    }),
  defaultWallet: ({ box, users }: Stage, { at, is }: Step) => {
    const { userId } = pick(users, at);
    return is
      ? box.call('POST', '/setuserdefaultwallet', { userId, address: OUTSIDE, blockchain: pick(NETWORKS, at) })
      : box.call('DELETE', '/removeuserdefaultwallet', { userId });
  },
  register: ({ box }: Stage, { at, is }: Step) =>
    box.call('POST', '/addexternalwallet', {
      address: pick([OUTSIDE, SECOND], at),
      blockchain: 'base',
      type: 'hot',
      isDefault: is,
    }),
  registered: ({ box }: Stage, { at, is }: Step) =>
    box.call('PUT', '/updateexternalwalletstatus', {
      address: pick([OUTSIDE, SECOND], at),
      status: is ? 'active' : 'inactive',
    }),
  forget: ({ box }: Stage, { at }: Step) =>
    box.call('DELETE', '/removeexternalwallet', { address: pick([OUTSIDE, SECOND], at) }),
  status: ({ box, users }: Stage, { at, is }: Step) =>
    box.call('POST', '/manageuserstatus', { userId: pick(users, at).userId, active: is, reason: 'a property test' }),
  migrate: ({ box, users }: Stage, { at, is }: Step) =>
    box.call('POST', '/migrateuserwallets', { userId: [pick(users, at).userId], force: is }),
  order: async ({ box }: Stage, { base, is }: Step) => {
    if (is) await commit(box, BigInt(Math.ceil(base / 1e6)));
    else await box.inside(({ store }) => store.run(`UPDATE fx_order SET state = 'paused' WHERE fintech = 1`));
    return box.call('GET', '/getfees');
  },
  wait: ({ box }: Stage, { base }: Step) => box.call('POST', '/_sandbox/advance', { durationMs: 1 + (base % 500) }),
};

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[])),
  at: fc.nat(1000),
  base: fc
    .tuple(fc.nat(10), fc.integer({ min: 1, max: 6_999 }))
    .map(([size, figure]) => Math.ceil((figure * 10 ** size) / 1000)),
  is: fc.boolean(),
});

const sum = ({ store }: Context, sql: string) => store.get<{ n: bigint | null }>(sql)?.n ?? 0n;

/** Differences that must be 0 at any moment, by name. */
function differences(context: Context): Record<string, bigint> {
  const account = (code: string) => sum(context, `SELECT SUM(balance) AS n FROM account WHERE code = '${code}'`);
  const pendingPayouts = `SELECT SUM(amount_kobo + platform_fee_kobo) AS n FROM payout WHERE ${IS_OPEN_PAYOUT}`;
  const pendingWithdrawals = `SELECT SUM(amount_base - fee_base) AS n FROM withdrawal WHERE state = 'pending' AND asset = 'CNGN'`;
  const arriving = `SELECT SUM(amount_kobo) AS n FROM deposit WHERE state = 'processing'`;
  return {
    reserve: account('reserve') * 10_000n + account('supply'),
    vault: account('vault') - sum(context, pendingPayouts) * 10_000n,
    bridging: account('bridging') - sum(context, pendingWithdrawals),
    incoming: account('incoming') - sum(context, arriving),
    defaults: sum(context, 'SELECT MAX(0, SUM(is_default) - 1) AS n FROM external_wallet WHERE fintech = 1'),
    managed: sum(
      context,
      `SELECT COUNT(*) AS n FROM user WHERE 1 <> (SELECT COUNT(*) FROM wallet WHERE user = user.id AND kind = 'managed')`,
    ),
    unbalanced: checkLedger(context.store).balanced ? 0n : 1n,
  };
}

const NONE = { reserve: 0n, vault: 0n, bridging: 0n, incoming: 0n, defaults: 0n, managed: 0n, unbalanced: 0n };

/** Returns the cNGN of the account wallet on Base, and how much of it active orders may take. */
function smartWalletOf({ store }: Context) {
  const held = balanceOf(store, walletAccount(smartWallet(store, 1n).id, 'base', 'CNGN'));
  return { held, committed: commitments(store, 1n, 'CNGN').totalBase };
}

async function openStage(): Promise<Stage> {
  const box = await openSandbox();
  const users = [await onboardUser(box), await onboardUser(box)];
  for (const user of users) await fund(box, user, 500, { sweepToOfframp: true });
  const { virtualAccount } = await box.ask(getFintechAccount, {});
  const accounts = [await seededAccount(box), await addAccount(box, FAILING_ACCOUNT)];
  await payIn(box, virtualAccount.accountNumber, 1n);
  return { box, users, accounts, fintechAccount: virtualAccount.accountNumber };
}

/** What all runs did, as `kind status`: runs that get nowhere would keep every sum too. */
const done = new Set<string>();

async function walk(steps: readonly Step[]): Promise<void> {
  const stage = await openStage();
  await using box = stage.box;
  for (const taken of steps) {
    const before = await box.inside(smartWalletOf, 'read');
    const { status } = await KINDS[taken.kind](stage, taken);
    expect([200, 400, 404]).toContain(status);
    done.add(`${taken.kind} ${status}`);
    expect(await box.inside(differences, 'read')).toEqual(NONE);
    const { held } = await box.inside(smartWalletOf, 'read');
    // A transfer of the fintech must leave on Base what orders may take.
    if (held < before.held) expect(held).toBeGreaterThanOrEqual(before.committed);
  }
  await box.call('POST', '/_sandbox/advance', { durationMs: 86_400_000 });
  expect(await box.inside(differences, 'read')).toEqual(NONE);
  await expectSettledLedger(box);
}

test('no sequence of transfers creates, loses or strands money', async () => {
  const steps = fc.array(step, { minLength: 100, maxLength: 160, size: 'max' });
  await fc.assert(fc.asyncProperty(steps, walk), { numRuns: RUNS });
  const both = ['payout', 'transfer', 'withdraw'].flatMap((kind) => [`${kind} 200`, `${kind} 400`]);
  expect([...done]).toEqual(expect.arrayContaining(both));
});
