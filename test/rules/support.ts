import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Exchange, Prompter } from '../../src/base/world.ts';
import { main } from '../../src/main.ts';
import { decimalText } from '../../src/money/decimal.ts';
import { BOX, LIVE, newMachine } from '../commands/profiles/support.ts';
import { success } from '../support/exchange.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { copyOf, type Restore } from '../support/folder-copy.ts';
import { firstPlace, type IdPlace, idsFrom } from '../support/ids.ts';
import { journalRows } from '../support/journal.ts';
import { type FakeClock, fakeClock, fakeWorld, type WorldOptions } from '../support/world.ts';

/** The bank account of `TO`. */
export const ACCOUNT = '000013/0123456789';
export const SAVED = '0198c1f2-5d0e-7cc3-98a1-0a54b2f0b1de';
export const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const OTHER_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

/** A fee withdrawal of an amount. */
export const pay = (amount: string, ...more: readonly string[]) => [
  'fees',
  'withdraw',
  '--amount',
  amount,
  ...TO,
  '--yes',
  '--no-tag',
  '--again',
  ...more,
];

/** The same request through `fiatrail api`, in kobo. */
export const payByApi = (kobo: string, ...more: readonly string[]) => [
  'api',
  'POST',
  '/feewithdrawal',
  '-f',
  `amount=${kobo}`,
  '-f',
  'bankCode=000013',
  '-f',
  'bankAccountNumber=0123456789',
  '-f',
  'accountName=ADA',
  '--yes',
  '--again',
  ...more,
];

/** Options of one command; `prompter` answers prompts whose text is not known before. */
export interface RunOptions extends WorldOptions {
  readonly prompter?: () => Promise<Prompter>;
  /** Whether the command line names no profile. */
  readonly isBare?: boolean;
}

/** What the service says to any request, beside its id and amount. */
const DATA = {
  message: 'ok',
  stage: 'x',
  publicKey: 'a'.repeat(64),
  transactionHash: '0xabc',
  success: true,
};

/** What the service says of a trade, beside what was asked for. */
const TRADE = {
  price: '1400.000000',
  status: 'pending',
  lockId: 'l-1',
  orderId: null,
  platformFeePercentage: 0,
  usdcAmount: '1.000000',
  expiresAt: '2026-01-05T09:05:00Z',
  createdAt: '2026-01-05T09:00:00Z',
};

/** What the service says of the default wallets of users; others have none. */
const DEFAULT_WALLETS: Readonly<Record<string, object>> = {
  'listed-wallet': { defaultWallet: { address: ADDRESS, blockchain: 'base' } },
  'other-wallet': { defaultWallet: { address: OTHER_ADDRESS, blockchain: 'base' } },
  'unknown-wallet': { defaultWallet: {} },
  'anothers-wallet': { userId: 'u-1', defaultWallet: { address: ADDRESS, blockchain: 'base' } },
};

/** Monday, January 5 2026, 10:00 in Lagos. */
export const MONDAY_MS = Date.UTC(2026, 0, 5, 9);

/** What the commands left that a machine begins with, by the rules, the key and the time. They run once. */
const begun = new Map<string, { readonly restore: Restore; readonly place: IdPlace; readonly nowMs: number }>();

/** A machine with the profile `main`, whose account takes every request and has earned `earnedKobo`. */
export async function ruledMachine(
  rules: readonly string[] = [],
  key: 'live' | 'sandbox' = 'sandbox',
  startMs = MONDAY_MS,
  earnedKobo = 10_000_000_000,
) {
  const begins = JSON.stringify([rules, key, startMs]);
  const known = begun.get(begins);
  const machine = newMachine();
  const state = join(machine.folder, 'state');
  const asked: string[] = [];
  let clock: FakeClock = fakeClock(known?.nowMs ?? startMs);
  let serviceMs: number | undefined;
  const answer: Exchange = async ({ method, url, body }) => {
    const path = new URL(url).pathname.replace('/v1', '');
    asked.push(`${method} ${path}`);
    if (path.startsWith('/getbankaccounts') || path.startsWith('/listbankaccounts'))
      return success({
        accounts: [{ accountId: SAVED, bankCode: '000013', accountNumber: '0123456789', accountName: 'ADA' }],
      });
    if (path === '/getuserdefaultwallet') {
      const { userId } = JSON.parse(body ?? '{}') as { readonly userId: string };
      return success({ userId, defaultWallet: null, ...DEFAULT_WALLETS[userId] });
    }
    if (path === '/getaccumulatedfees')
      return success({
        summary: { availableForWithdrawal: earnedKobo },
        details: { minimumWithdrawal: 1, maximumWithdrawal: 20_000 },
      });
    // Each request starts work of its own, about what it says.
    const said = JSON.parse(body ?? '{}') as Readonly<Record<string, unknown>>;
    const { amount = 50_000, userId = 'u-1', status = 'pending' } = said;
    if (path === '/fx/trade') return success({ trade: { ...TRADE, ...said, tradeId: `t-${asked.length}` } });
    return success({
      ...DATA,
      userId,
      status,
      requestId: `r-${asked.length}`,
      withdrawalId: `w-${asked.length}`,
      // The amount of a payout is answered in cNGN.
      amount: path === '/initiateofframp' ? decimalText(BigInt(String(amount)), 6) : amount,
    });
  };
  const network: Exchange = async (...request) => {
    const answered = await answer(...request);
    if (serviceMs === undefined) return answered;
    return { ...answered, headers: { ...answered.headers, date: new Date(serviceMs).toUTCString() } };
  };
  // One source for all commands, so that no two operations have one id.
  const place = known ? { ...known.place } : firstPlace();
  const ids = idsFrom(place);
  if (known) known.restore(machine.folder);
  else expect((await machine.add('main', key === 'live' ? LIVE : BOX)).code).toBe(0);
  const run = async (argv: readonly string[], options: RunOptions = {}) => {
    const { prompter, isBare, ...more } = options;
    // The journal that the ids of this machine make; a live account has no other one to confirm.
    const journal = key === 'live' ? { FIATRAIL_JOURNAL_ID: '8e0d72cd' } : {};
    const env = { FIATRAIL_CONFIG_DIR: machine.config, FIATRAIL_STATE_DIR: state, ...journal, ...options.env };
    const world = fakeWorld({ cwd: machine.folder, network, clock, ...more, env });
    const code = await main([...(isBare ? [] : ['--profile', 'main']), ...argv], {
      ...world,
      ids,
      ...(prompter ? { prompter } : {}),
    });
    return { code, stdout: world.stdout.text(), stderr: world.stderr.text(), world };
  };
  const set = (flags: readonly string[], options: RunOptions = {}) =>
    run(
      ['profiles', 'rules', 'set', 'main', ...flags],
      key === 'live'
        ? { isTerminal: true, answers: [{ kind: 'confirm', asks: 'hange the rules', says: true }], ...options }
        : { ...options },
    );
  const setYes = (flags: readonly string[]) => set(key === 'live' ? flags : [...flags, '--yes']);
  if (!known) {
    if (rules.length > 0) expect((await setYes(rules)).stderr).not.toContain('error');
    begun.set(begins, { restore: copyOf(machine.folder), place: { ...place }, nowMs: clock.now() });
  }
  /** The recorded operations that are not changes of rules. */
  const recorded = () =>
    existsSync(join(state, 'journal.db'))
      ? journalRows(state).filter(({ endpoint }) => endpoint !== 'profiles.rules')
      : [];
  /** The requests that could change something. */
  const sent = () => asked.filter((each) => !each.startsWith('GET') && !READS.some((read) => each.endsWith(read)));
  return {
    ...machine,
    run,
    set: setYes,
    setWith: set,
    asked,
    sent,
    recorded,
    state,
    /** Sets the clock of the machine, and that of the service if it is another. */
    at: (timeMs: number, serviceAtMs?: number) => {
      clock = fakeClock(timeMs);
      serviceMs = serviceAtMs;
    },
    /** Runs a command that a rule must stop: exit code 9, nothing sent and nothing recorded. */
    stops: async (argv: readonly string[], code: string, detail: string, options: RunOptions = {}) => {
      const before = { sent: sent().length, recorded: recorded().length };
      const ran = await run([...argv, '-o', 'json'], options);
      const { error } = JSON.parse(ran.stderr.slice(ran.stderr.indexOf('{'))) as {
        error: { code: string; message: string };
      };
      expect({ exit: ran.code, code: error.code, message: error.message }).toEqual({
        exit: 9,
        code,
        message: expect.stringContaining(detail),
      });
      expect(error.message).toMatch(/; nothing was sent$/);
      expect({ sent: sent().length, recorded: recorded().length }).toEqual(before);
      return ran;
    },
    /** Runs a command that must be sent. */
    sends: async (argv: readonly string[], options: RunOptions = {}) => {
      const before = sent().length;
      const ran = await run([...argv, '-q'], options);
      expect({ exit: ran.code, sent: sent().length, stderr: ran.stderr }).toEqual({
        exit: 0,
        sent: before + 1,
        stderr: expect.any(String),
      });
      return ran;
    },
    /** Tests a command line, and returns the exit code and the rows of the rules. */
    tests: async (argv: readonly string[], options: RunOptions = {}) => {
      const before = { sent: sent().length, recorded: recorded().length };
      const ran = await run(['profiles', 'rules', 'test', '-o', 'json', '--', ...argv], options);
      expect({ sent: sent().length, recorded: recorded().length }).toEqual(before);
      const { rules } = (ran.stdout === '' ? { rules: [] } : JSON.parse(ran.stdout)) as { rules: TestedRow[] };
      return { code: ran.code, rules, stderr: ran.stderr };
    },
  };
}

const READS = [
  '/getvirtualaccount',
  '/getuserdefaultwallet',
  '/fx/quote',
  '/fees/platform/preview',
  '/bridge/quote',
  '/getbankaccount',
  '/previewfees',
  '/listuserwallets',
  '/getuserdetails',
  '/balance/address',
  '/getbankscode',
];

interface TestedRow {
  readonly rule: string;
  readonly setting: string;
  readonly source: string;
  readonly result: string;
  readonly left: { readonly value: string; readonly asset: string } | null;
  readonly detail: string | null;
}
