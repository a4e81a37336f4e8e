import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { type AnswerFormName, answerFormsOf } from '../../src/contract/answer-forms.ts';
import { main } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/app.ts';
import { GROUPS, type Place } from '../faults/money-groups.ts';
import { journalRows } from '../support/journal.ts';
import { openSandbox } from '../support/sandbox.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';
import { furnished } from './furnished.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const OTHER = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const BANK = '--bank-code 000013 --account-number 0123456789';
const OTHER_BANK = '--bank-code 000014 --account-number 0123456789';
const FROM_TO = `--from ${WALLET} --to ${OTHER}`;

/** A command that moves money, and one of another program that is like it but for one thing. */
interface Kind {
  readonly what: string;
  readonly endpoint: string;
  readonly amount: number;
  line(place: Place, amount: number): string;
  other(place: Place, amount: number): string;
}

const KINDS: readonly Kind[] = [
  {
    what: 'an onramp',
    endpoint: 'transactions.onramp',
    amount: 100,
    line: ({ userId }, amount) => `onramp create ${userId} --amount ${amount}`,
    other: ({ userId }, amount) => `onramp create ${userId} --amount ${amount} --sweep`,
  },
  {
    what: 'an offramp',
    endpoint: 'transactions.offramp',
    amount: 10,
    line: ({ userId }, amount) => `offramp create ${userId} --amount ${amount} ${BANK}`,
    other: ({ userId }, amount) => `offramp create ${userId} --amount ${amount} ${OTHER_BANK}`,
  },
  {
    what: 'a payout',
    endpoint: 'transactions.fintech-offramp',
    amount: 10,
    line: ({ bankAccountId }, amount) => `payout create --amount ${amount} --to ${bankAccountId}`,
    other: ({ bankAccountId }, amount) => `payout create --amount ${amount + 0.01} --to ${bankAccountId}`,
  },
  {
    what: 'a withdrawal',
    endpoint: 'transactions.withdraw-asset',
    amount: 10,
    line: ({ userId, managedWallet }, amount) =>
      `withdrawals create ${userId} --amount ${amount} --token CNGN --from ${managedWallet} --to ${OTHER}`,
    other: ({ userId, onrampWallet }, amount) =>
      `withdrawals create ${userId} --amount ${amount} --token CNGN --from ${onrampWallet} --to ${OTHER}`,
  },
  {
    what: 'a transfer',
    endpoint: 'transactions.fintech-transfer',
    amount: 10,
    line: (_place, amount) => `transfers create --amount ${amount} --to ${WALLET}`,
    other: (_place, amount) => `transfers create --amount ${amount} --to ${OTHER}`,
  },
  {
    what: 'a swap',
    endpoint: 'swaps.create',
    amount: 2000,
    line: ({ userId, managedWallet }, amount) =>
      `swaps create ${userId} --sell CNGN --buy USDC --amount ${amount} --from ${managedWallet}`,
    other: ({ userId, onrampWallet }, amount) =>
      `swaps create ${userId} --sell CNGN --buy USDC --amount ${amount} --from ${onrampWallet}`,
  },
  {
    what: 'a triggered swap',
    endpoint: 'swaps.trigger',
    amount: 3000,
    line: ({ onrampWallet }, amount) =>
      `swaps create --wallet ${onrampWallet} --sell CNGN --buy USDC --amount ${amount}`,
    other: ({ userId, onrampWallet }, amount) =>
      `swaps create ${userId} --sell CNGN --buy USDC --amount ${amount} --from ${onrampWallet}`,
  },
  {
    what: 'a bridge',
    endpoint: 'bridge.initiate',
    amount: 500,
    line: (_place, amount) => `bridge create --from-network base --to-network bsc --amount ${amount} ${FROM_TO}`,
    other: (_place, amount) => `bridge create --from-network base --to-network eth --amount ${amount} ${FROM_TO}`,
  },
  {
    what: 'a fee withdrawal',
    endpoint: 'fees.withdraw',
    amount: 500,
    line: (_place, amount) => `fees withdraw --amount ${amount} ${BANK} --account-name ADA --no-tag`,
    other: (_place, amount) => `fees withdraw --amount ${amount} ${OTHER_BANK} --account-name ADA --no-tag`,
  },
  {
    what: 'a trade',
    endpoint: 'fx.trade',
    amount: 1000,
    line: (_place, amount) => `fx trade --pair CNGN-USDC --side buy --amount ${amount}`,
    other: (_place, amount) => `fx trade --pair CNGN-USDC --side sell --amount ${amount}`,
  },
  {
    what: 'a trade with a price limit',
    endpoint: 'fx.trade',
    amount: 1000,
    line: (_place, amount) => `fx trade --pair CNGN-USDC --side buy --amount ${amount} --max-price 9999`,
    other: (_place, amount) => `fx trade --pair CNGN-USDT --side buy --amount ${amount}`,
  },
  {
    what: 'a market order',
    endpoint: 'fx.market-order',
    amount: 1000,
    line: (_place, amount) => `fx trade --market --pair CNGN-USDT --side sell --amount ${amount}`,
    other: (_place, amount) => `fx trade --market --pair CNGN-USDC --side sell --amount ${amount}`,
  },
  {
    what: 'an order',
    endpoint: 'fx.create-order',
    amount: 5000,
    line: (_place, amount) => `fx orders create --pair CNGN-USDC --side buy --price 1300 --min 1000 --max ${amount}`,
    other: (_place, amount) => `fx orders create --pair CNGN-USDC --side buy --price 1301 --min 1000 --max ${amount}`,
  },
];

/** Selects the ids of all work. */
const WORK = GROUPS.map(({ work }) => work).join(' UNION ALL ');
const ADD_FAULT = 'INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, ?)';
const MINUTE_MS = 60_000;

/** Two programs of one account, each with a journal of its own. The sandbox answers the first in a form. */
async function openRig(form: AnswerFormName) {
  const { place, beginning } = await furnished();
  const box = await openSandbox({ beginning });
  onTestFinished(() => box.close());
  const formed = createSandbox(box.service, { forms: answerFormsOf(form) });
  const networkTo =
    (sandbox: Sandbox): Exchange =>
    async (request) => {
      const answer = await sandbox.fetch(request, { apiKey: request.headers['x-api-key'], address: '127.0.0.1' });
      return { ...answer, headers: { ...answer.headers, ...sandbox.timeHeaders() } };
    };
  const env = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: box.apiKey };
  const program = (sandbox: Sandbox) => fakeWorld({ clock: box.clock, network: networkTo(sandbox), env });
  const [own, other] = [program(formed), program(box.sandbox)];
  const run = (line: string, world: FakeWorld) => main([...line.split(' '), '--yes', '-q'], world);
  const work = () => box.inside(({ store }) => store.all<{ id: string }>(WORK).map(({ id }) => id), 'read');
  const runOther = async (line: string) => {
    if ((await run(line, other)) !== 0) throw new Error(`${line}: ${other.stderr.text()}`);
  };
  await runOther(`wallets external add ${OTHER} --network base`);
  return {
    place,
    /** Loses the request or the response of a command, and returns the ids of the work that it started. */
    lose: async (endpoint: string, kind: 'lost-request' | 'lost-response', line: string) => {
      box.clock.pass(MINUTE_MS);
      await box.inside(({ store, nowMs }) => void store.run(ADD_FAULT, endpoint, kind, nowMs));
      const before = await work();
      if ((await run(line, own)) !== 6) throw new Error(`${line}: ${own.stderr.text()}`);
      return (await work()).filter((id) => !before.includes(id));
    },
    runOther,
    /** Looks for the newest operation, and returns it. */
    reconcile: async () => {
      await run(`ops reconcile ${journalRows(own.stateDir).at(-1)?.id}`, own);
      return journalRows(own.stateDir).at(-1);
    },
    run: (line: string) => run(line, own),
    own,
  };
}

describe.each<AnswerFormName>(['interface', 'public', 'public-older'])('in the form of answers %s', (form) => {
  test('a request that was lost is not another program’s that is like it but for one thing', async () => {
    const { place, lose, run, runOther, reconcile } = await openRig(form);
    for (const { what, endpoint, amount, line, other } of KINDS) {
      expect(await lose(endpoint, 'lost-request', line(place, amount))).toEqual([]);
      await runOther(other(place, amount));
      const { id, state, request_id } = (await reconcile()) ?? {};
      expect({ what, state, request_id }).toEqual({ what, state: 'unknown', request_id: null });
      // An equal one of the next kind would wait for it.
      expect(await run(`ops resolve ${id} --not-done --reason lost`)).toBe(0);
    }
  });
});

describe('a trade on a quote', () => {
  /** Gets a quote, and loses the request or the response of the trade on it. */
  async function lost(kind: 'lost-request' | 'lost-response', forgets = false) {
    const rig = await openRig('interface');
    const before = rig.own.stdout.text().length;
    await rig.run('fx quote --pair CNGN-USDC --side buy --amount 1500 -o json --query quoteId');
    const quote = rig.own.stdout.text().slice(before).trim().replaceAll('"', '');
    if (forgets) rmSync(join(rig.own.stateDir, 'quotes.json'));
    const ids = await rig.lose('fx.trade', kind, `fx trade --quote ${quote}`);
    return { ...rig, ids };
  }

  test('is found by what the quote said', async () => {
    const { ids, reconcile } = await lost('lost-response');
    expect(await reconcile()).toMatchObject({ state: 'accepted', request_id: ids[0] });
  });

  test.each([
    'fx trade --pair CNGN-USDC --side sell --amount 1500',
    'fx trade --pair CNGN-USDT --side buy --amount 1500',
    'fx trade --pair CNGN-USDC --side buy --amount 1501',
  ])('that was lost is not another program’s: %s', async (other) => {
    const { runOther, reconcile } = await lost('lost-request');
    await runOther(other);
    expect(await reconcile()).toMatchObject({ state: 'unknown', request_id: null });
  });

  test('is left to a person if this machine did not fetch the quote', async () => {
    const { reconcile } = await lost('lost-response', true);
    expect(await reconcile()).toMatchObject({ state: 'unknown', request_id: null });
  });
});
