import { DECIMALS } from '../money/amount.ts';
import type { Database } from '../sqlite/database.ts';
import type { Ids } from '../world.ts';
import { type Context, hex } from './context.ts';
import { collectFees } from './fees.ts';
import { BANK, chain, post, RESERVE, SUPPLY, walletAccount } from './ledger.ts';
import { PACES, type PaceName } from './pace.ts';
import { DROP_ALL, SCHEMA } from './schema.ts';
import { createSettings, type Settings } from './settings.ts';
import { accountHolder } from './values.ts';

/** How a sandbox begins. */
export interface SeedOptions {
  readonly pace: PaceName;
  readonly rateLimits: boolean;
}

export const DEFAULT_SEED: SeedOptions = { pace: 'quick', rateLimits: true };

const FINTECH_NAME = 'Harmattan Pay';
const tokens = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.CNGN);
const naira = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.NGN);

/** Makes the tables and what the sandbox starts with: a fintech with a key, funds, withdrawable fees and a bank account. */
export function seed(store: Database, nowMs: number, ids: Ids, options: SeedOptions, apiKey = newApiKey(ids)): void {
  store.exec(SCHEMA);
  const settings: Settings = {
    clockOffsetMs: 0,
    pace: options.pace,
    rateLimits: options.rateLimits,
    bvnDigestKey: hex(ids.bytes(32)),
    embeddedApiKey: apiKey,
  };
  createSettings(store, settings);
  const context: Context = { store, nowMs, ids, pace: PACES[options.pace], settings };
  const fintech = seedFintech(context);
  seedFunds(context, fintech);
  seedFees(context, fintech);
  seedBankAccount(context, fintech);
}

/**
 * Drops everything and seeds anew, in the transaction that is open: other processes see the old state or the new one.
 * The key stays, so that who was let in can go on.
 */
export function reseed(store: Database, nowMs: number, ids: Ids, options: SeedOptions, apiKey: string): void {
  store.exec('PRAGMA defer_foreign_keys = ON');
  for (const { type, name } of store.all<{ type: string; name: string }>(DROP_ALL)) store.exec(`DROP ${type} ${name}`);
  seed(store, nowMs, ids, options, apiKey);
}

/** `sandbox_` and 21 hexadecimal digits. Source: public. */
function newApiKey(ids: Ids): string {
  return `sandbox_${hex(ids.bytes(11)).slice(0, 21)}`;
}

function seedFintech({ store, nowMs, ids, settings }: Context): bigint {
  const fintech = store.insert(
    'INSERT INTO fintech (fintech_id, name, created_at, updated_at) VALUES (?, ?, ?, ?)',
    ids.uuid(),
    FINTECH_NAME,
    nowMs,
    nowMs,
  );
  store.run('INSERT INTO api_key (key, fintech, created_at) VALUES (?, ?, ?)', settings.embeddedApiKey, fintech, nowMs);
  for (const direction of ['onramp', 'offramp']) {
    store.run(
      'INSERT INTO fee_setting (fintech, direction, percent_millionths, cap_kobo, enabled, created_at, updated_at) VALUES (?, ?, ?, ?, 1, ?, ?)',
      fintech,
      direction,
      500_000n,
      naira(500n),
      nowMs,
      nowMs,
    );
  }
  return fintech;
}

function seedFunds(context: Context, fintech: bigint): void {
  const { store, ids, nowMs } = context;
  const wallet = store.insert(
    `INSERT INTO wallet (address, fintech, kind, blockchain, custom_owner, token_buy, created_at) VALUES (?, ?, 'fintech', 'base', ?, 'CNGN', ?)`,
    `0x${hex(ids.bytes(20))}`,
    fintech,
    `0x${hex(ids.bytes(20))}`,
    nowMs,
  );
  const cngn = [
    ['base', tokens(5_000_000n)],
    ['bsc', tokens(250_000n)],
  ] as const;
  const total = cngn.reduce((sum, [, minor]) => sum + minor, 0n);
  post(context, 'seed.funds', 'seed', [
    { account: BANK, minor: -naira(5_250_000n) },
    { account: RESERVE, minor: naira(5_250_000n) },
    { account: SUPPLY, minor: -total },
    ...cngn.map(([network, minor]) => ({ account: walletAccount(wallet, network, 'CNGN'), minor })),
    ...(['USDC', 'USDT'] as const).flatMap((asset) => [
      { account: chain(asset), minor: -tokens(2_000n) },
      { account: walletAccount(wallet, 'base', asset), minor: tokens(2_000n) },
    ]),
  ]);
}

function seedFees(context: Context, fintech: bigint): void {
  const onrampKobo = naira(200_000n);
  const offrampKobo = naira(50_000n);
  post(context, 'seed.fees', 'seed', [
    { account: BANK, minor: -(onrampKobo + offrampKobo) },
    ...collectFees(context, fintech, 'onramp', 0n, onrampKobo),
    ...collectFees(context, fintech, 'offramp', 0n, offrampKobo),
  ]);
}

function seedBankAccount({ store, ids, nowMs }: Context, fintech: bigint): void {
  const [number, bankCode] = ['0123456789', '000013'];
  store.run(
    `INSERT INTO bank_account (account_id, fintech, number, bank_code, verified_name, label, is_default, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, 'settlement', 1, ?, ?)`,
    ids.uuid(),
    fintech,
    number,
    bankCode,
    accountHolder(number, bankCode) ?? '',
    nowMs,
    nowMs,
  );
}
