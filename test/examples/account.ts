import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROTATION_PROCESS } from '../../src/account/paths.ts';
import type { Exchange, HttpRequest, ProgramEnd, Prompter, World } from '../../src/base/world.ts';
import { runRotationProcess } from '../../src/engine/rotation/process.ts';
import { main } from '../../src/main.ts';
import { productionKey } from '../service/steps.ts';
import { copyOf, type Restore } from '../support/folder-copy.ts';
import { openSandbox, START_MS } from '../support/sandbox.ts';
import { countingIds, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';

export const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
/** More ids than the account was made with; a copy goes on behind them, and each line behind the one before. */
const IDS_OF_THE_ACCOUNT = 10_000;
const KEY = 'live-key-of-the-examples';
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE2r1 signer';
const PRIVATE_KEY = ['BEGIN', 'END'].map((end) => `-----${end} OPENSSH PRIVATE KEY-----`).join('\nabcd\n');

/** The ids of everything that an example may be about. */
export interface Ids {
  readonly user: string;
  readonly otherUser: string;
  readonly userWallet: string;
  readonly smartWallet: string;
  readonly rampWallet: string;
  readonly bankAccount: string;
  readonly onboarding: string;
  /** An operation of the journal: an onboarding of the BVN in bvn.txt that never arrived. */
  readonly lostOnboarding: string;
  readonly onramp: string;
  readonly unpaidOnramp: string;
  readonly offramp: string;
  readonly payout: string;
  readonly swap: string;
  readonly bridge: string;
  readonly bridgeAddress: string;
  readonly fingerprint: string;
  readonly withdrawal: string;
  readonly userWithdrawal: string;
  readonly quote: string;
  readonly order: string;
  readonly makersOrder: string;
  readonly trade: string;
  /** Operations of the journal: accepted, and with an unknown outcome. */
  readonly accepted: string;
  readonly unknown: string;
  readonly unknownOrder: string;
  readonly checkpoint: string;
  /** An event of the sandbox. */
  readonly event: string;
}

/** An account on the embedded sandbox with one of everything, and a second one at https://host/v1. */
export interface Account {
  readonly ids: Ids;
  /** A new world with a copy of the account's files, or of those of an account that went on. */
  open(options?: Opening, later?: Left): FakeWorld & OtherPrograms;
}

interface Opening {
  readonly interrupted?: AbortSignal;
  readonly isTerminal?: boolean;
}

/** What commands left: the files, when they ended, and what they printed. */
export interface Left {
  /** How many of them ran one after the other, each with ids of its own. */
  readonly lines: number;
  readonly restore: Restore;
  readonly nowMs: number;
  readonly printed: string;
}

/** The programs besides fiatrail. */
export interface OtherPrograms {
  readonly programs: { areBroken: boolean };
}

type Json = Record<string, never> & { [name: string]: Json };

async function json(world: FakeWorld, ...argv: string[]): Promise<Json> {
  const before = world.stdout.text().length;
  const exit = await main([...argv, '--yes', '-q', '-o', 'json'], world);
  if (exit !== 0) throw new Error(`${argv.join(' ')}: ${exit}: ${world.stderr.text()}`);
  return JSON.parse(world.stdout.text().slice(before)) as Json;
}

const text = (value: unknown) => String(value);

/** A webhook handler, which takes everything. */
const HANDLER = 'http://127.0.0.1:3000/';

/** A service at any address: a new sandbox that accepts every key. */
function anyService(): Exchange {
  let opened: ReturnType<typeof openSandbox> | undefined;
  return async ({ method, url, body }: HttpRequest) => {
    if (url.startsWith(HANDLER)) return { status: 200, headers: {}, body: 'taken' };
    if (!opened) onTestFinished(async () => (await opened)?.close());
    opened ??= openSandbox();
    const box = await opened;
    const apiKey = url.endsWith('/createsandboxapikey') ? await productionKey(box) : box.apiKey;
    return box.fetch(method, url.replace(/^https:\/\/[^/]+/, ''), body, { apiKey, address: '127.0.0.1' });
  };
}

const ended = (stdout = ''): ProgramEnd => ({ kind: 'ended', code: 0, stdout });

/** Runs the rotation process of a rotation in this process; any other program prints a key. */
async function runIn(world: World & OtherPrograms, words: readonly string[], input: string): Promise<ProgramEnd> {
  if (words.at(-1) !== ROTATION_PROCESS)
    return world.programs.areBroken ? { kind: 'ended', code: 1, stdout: '' } : ended(`${KEY}-2\n`);
  let stdout = '';
  const write = async (written: string) => {
    stdout += written;
  };
  const own = {
    ...world,
    stdin: { isTerminal: false, readAll: async () => input },
    stdout: { ...world.stdout, write },
  };
  return { kind: 'ended', code: await runRotationProcess(own), stdout };
}

async function fill(world: FakeWorld, other: FakeWorld): Promise<Ids> {
  const on = (...argv: string[]) => json(world, ...argv);
  await on('sandbox', 'reset', '--rate-limits', 'off', '--pace', 'instant');
  const onboarded = await on('users', 'onboard', '22222222221', '--wait');
  const second = await on('users', 'onboard', '22222222222', '--wait');
  const user = text(onboarded['userId']);
  const ramp = await on('onramp', 'create', user, '--amount', '9000', '--auto-swap', 'USDC');
  const account = await on('onramp', 'account', text(ramp['requestId']));
  const shown = await on('users', 'show', user);
  const permanent = shown['virtualAccounts']?.['0'];
  const payIn = (to: unknown, amount: unknown) =>
    on('sandbox', 'pay', text(to), '--amount', text(amount), '--sender', text(permanent?.['accountName']));
  await payIn(permanent?.['accountNumber'], '90000');
  await payIn(account['accountNumber'], account['totalAmountWithFee']?.['value']);
  await on('sandbox', 'settle');
  const unpaid = await on('onramp', 'create', user, '--amount', '700');
  const banks = await on('bank-accounts', 'list');
  const bankAccount = text(banks['accounts']?.['0']?.['accountId']);
  await on('wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes');
  const toBank = ['--bank-code', '000013', '--account-number', '0123456789'];
  const offramp = await on('offramp', 'create', user, '--amount', '1000', ...toBank);
  const payout = await on('payout', 'create', '--amount', '1000', '--to', bankAccount);
  const swap = await on('swaps', 'create', user, '--sell', 'CNGN', '--buy', 'USDT', '--amount', '20000');
  const route = ['--from', text(shown['walletDetails']?.['evmWallet']), '--to', ADDRESS];
  const userWithdrawal = await on('withdrawals', 'create', user, '--amount', '10', '--token', 'CNGN', ...route);
  const networks = ['--from-network', 'base', '--to-network', 'bsc'];
  const bridge = await on('bridge', 'create', ...networks, '--amount', '500', '--from', ADDRESS, '--to', ADDRESS);
  const terms = ['--price', '1390', '--min', '1000', '--max', '500000'];
  const order = await on('fx', 'orders', 'create', '--pair', 'CNGN-USDC', '--side', 'buy', ...terms);
  const buying = ['--pair', 'CNGN-USDC', '--side', 'buy'];
  const trade = await on('fx', 'trade', ...buying, '--amount', '2000');
  const quote = await on('fx', 'quote', ...buying, '--amount', '3000');
  const paid = ['fees', 'withdraw', '--amount', '500', ...toBank, '--account-name', 'ADA'];
  const withdrawal = await on(...paid, '--once', 'fees-2026-11');
  await on('sandbox', 'settle');
  await on('sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'lost-response');
  // To another bank account: while it is unknown, nothing equal is sent, and "max" and "all" are equal to all that goes to the same account.
  await main([...paid.map((word) => (word === '0123456789' ? '0123456790' : word)), '--yes', '-q'], world);
  // No trade: what a quote stands for may be equal to any trade that is unknown.
  await on('sandbox', 'fault', 'add', '--on', 'fx.market-order', '--fault', 'lost-response');
  await main(['fx', 'trade', '--market', ...buying, '--amount', '1500', '--once', 'lost', '--yes', '-q'], world);
  await on('sandbox', 'fault', 'add', '--on', 'users.onboard', '--fault', 'lost-request');
  await main(['users', 'onboard', '12345678901', '-q'], world);
  const makers = text(quote['matchedOrders']?.['0']?.['orderId']);
  for (const name of ['main', 'old'])
    await json(other, 'profiles', 'add', name, '--base-url', 'https://host/v1', '--mode', 'live', '--key-stdin');
  await json(other, 'profiles', 'use', 'sandbox');
  const operations = (await on('ops', 'list', '--limit', '100'))['operations'] as unknown as {
    operationId: string;
    state: string;
    endpoint: string;
  }[];
  const operation = (state: string, endpoint: string) =>
    operations.find((each) => each.state === state && each.endpoint === endpoint)?.operationId ?? '';
  const lostOnboarding = operation('unknown', 'users.onboard');
  await on('ops', 'resolve', lostOnboarding, '--not-done', '--reason', 'nobody was onboarded');
  const { hash: checkpoint } = (await on('ops', 'journal', 'verify'))['checkpoint'] as unknown as {
    readonly hash: string;
  };
  return {
    user,
    otherUser: text(second['userId']),
    userWallet: text(shown['walletDetails']?.['evmWallet']),
    smartWallet: text((await on('wallets', 'show'))['smartWallet']?.['address']),
    rampWallet: text(ramp['walletAddress']),
    bankAccount,
    onboarding: text(onboarded['requestId']),
    lostOnboarding,
    onramp: text(ramp['requestId']),
    unpaidOnramp: text(unpaid['requestId']),
    offramp: text(offramp['requestId']),
    payout: text(payout['requestId']),
    swap: text(swap['requestId']),
    bridge: text(bridge['requestId']),
    bridgeAddress: text(bridge['receivableAddress']),
    fingerprint: text((await on('keys', 'platform', 'show'))['fingerprint']),
    withdrawal: text(withdrawal['withdrawalId']),
    userWithdrawal: text(userWithdrawal['requestId']),
    quote: text(quote['quoteId']),
    order: text(order['orderId']),
    makersOrder: makers,
    trade: text(trade['tradeId']),
    accepted: operation('accepted', 'transactions.offramp'),
    unknown: operation('unknown', 'fees.withdraw'),
    unknownOrder: operation('unknown', 'fx.market-order'),
    checkpoint,
    event: text((await on('sandbox', 'events', 'list'))['events']?.['0']?.['eventId']),
  };
}

/** Makes the account. */
export async function newAccount(): Promise<Account> {
  const clock = fakeClock(START_MS);
  const make = (options: Opening, from = 0, nowMs = clock.now()) => {
    const runProgram: World['runProgram'] = (words, { input = '' }) => runIn(world, words, input);
    const probe = { lookUp: async () => ['203.0.113.1'], certificate: async () => TRUSTED };
    const plain = fakeWorld({
      ...options,
      env: ENV,
      clock: fakeClock(nowMs),
      network: anyService(),
      runProgram,
      probe,
    });
    const ids = countingIds(from);
    const world = { ...plain, ids, prompter: async () => agreeable, programs: { areBroken: false } };
    return world;
  };
  const first = { ...make({}), clock };
  const ids = await fill(first, { ...first, stdin: { isTerminal: false, readAll: async () => KEY } });
  const restore = copyOf(first.homeDir);
  return {
    ids,
    open: (options = {}, later = undefined) => {
      const world = make(options, IDS_OF_THE_ACCOUNT * (1 + (later?.lines ?? 0)), later?.nowMs);
      (later?.restore ?? restore)(world.homeDir);
      writeFileSync(join(world.homeDir, 'signer.pub'), PUBLIC_KEY);
      writeFileSync(join(world.homeDir, 'client'), PRIVATE_KEY, { mode: 0o600 });
      return world;
    },
  };
}

const TRUSTED = { distrust: undefined, validToMs: START_MS + 365 * 86_400_000, issuer: 'an authority' };

/** The secrets with which events are verified and signed again. */
export const WEBHOOK_SECRET = 'a-webhook-secret-of-the-examples';
const ENV = { FIATRAIL_WEBHOOK_SECRET: WEBHOOK_SECRET, FIATRAIL_FORWARD_SECRET: 'a-secret-of-a-handler' };

/** Takes what each prompt offers, or the first text that it accepts. */
const agreeable: Prompter = {
  confirm: async () => true,
  secret: async () => KEY,
  text: async (_question, check, asking) =>
    [asking?.preset ?? '', 'another', 'https://host/v1'].find((each) => check(each) === true) ?? '',
  select: async (_question, choices) => choices[0]?.value as never,
  search: async (_question, find) => (await find('', new AbortController().signal))[0]?.value as never,
};
