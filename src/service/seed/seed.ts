import type { Ids } from '../../base/world.ts';
import { DIRECTIONS } from '../../contract/values.ts';
import { DECIMALS } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { type Context, hex, newSandboxKey } from '../context.ts';
import { openVirtualAccount } from '../deposits/virtual-accounts.ts';
import { collectFees } from '../fees/fees.ts';
import { insertOrder } from '../fx/orders.ts';
import { BANK, chain, post, RESERVE, SUPPLY, walletAccount } from '../ledger.ts';
import { DROP_ALL, SCHEMA } from '../schema/schema.ts';
import { createSettings, PACES, type PaceName, type Settings } from '../settings.ts';
import { accountHolder, EXPIRED_KEY } from '../values.ts';

/** A seeded fintech and its opening balances in whole tokens. */
interface SeededFintech {
  readonly name: string;
  readonly cngn: readonly (readonly [network: string, whole: bigint])[];
  /** The balance of USDC and of USDT, in the smart wallet and in the vault. */
  readonly stablecoins: bigint;
  readonly vaulted: bigint;
  /** The fintech's orders on the book. */
  readonly orders?: readonly SeededOrder[];
}

/** An order, placed for both pairs. `gives` is cNGN or stablecoin; the price is cNGN for one stablecoin. */
interface SeededOrder {
  readonly gives: 'CNGN' | 'stablecoin';
  readonly price: bigint;
  readonly minimum: bigint;
  readonly maximum: bigint;
}

/** The caller's fintech, a second one for tests that need two, and two market makers. */
const FINTECHS: readonly [SeededFintech, ...SeededFintech[]] = [
  {
    name: 'Harmattan Pay',
    cngn: [
      ['base', 5_000_000n],
      ['bsc', 250_000n],
    ],
    stablecoins: 2_000n,
    vaulted: 20_000n,
  },
  { name: 'Savanna Remit', cngn: [['base', 2_000_000n]], stablecoins: 1_000n, vaulted: 10_000n },
  {
    name: 'Lagoon Markets',
    cngn: [['base', 200_000_000n]],
    stablecoins: 0n,
    vaulted: 150_000n,
    orders: [
      { gives: 'stablecoin', price: 1_400n, minimum: 500n, maximum: 20_000_000n },
      { gives: 'stablecoin', price: 1_410n, minimum: 500n, maximum: 60_000_000n },
      { gives: 'CNGN', price: 1_390n, minimum: 500n, maximum: 20_000_000n },
    ],
  },
  {
    name: 'Delta Liquidity',
    cngn: [['base', 150_000_000n]],
    stablecoins: 0n,
    vaulted: 100_000n,
    orders: [
      { gives: 'stablecoin', price: 1_405n, minimum: 1_000n, maximum: 30_000_000n },
      { gives: 'CNGN', price: 1_388n, minimum: 1_000n, maximum: 30_000_000n },
      { gives: 'CNGN', price: 1_380n, minimum: 1_000n, maximum: 30_000_000n },
    ],
  },
];

/** Settings of a new sandbox. */
export interface SeedOptions {
  readonly pace: PaceName;
  readonly rateLimits: boolean;
}

export const DEFAULT_SEED: SeedOptions = { pace: 'quick', rateLimits: true };

const tokens = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.CNGN);
const naira = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.NGN);

interface VaultWallets {
  readonly USDC: bigint;
  readonly USDT: bigint;
}

const SPREAD_MILLIONTHS = 500_000n;

/** Creates the tables and the seed data. The first fintech gets the key that the embedded client uses. */
export function seed(
  store: Database,
  nowMs: number,
  ids: Ids,
  options: SeedOptions,
  apiKey = newSandboxKey(ids),
): void {
  store.exec(SCHEMA);
  const settings: Settings = {
    clockOffsetMs: 0,
    pace: options.pace,
    rateLimits: options.rateLimits,
    bvnDigestKey: hex(ids.bytes(32)),
    embeddedApiKey: apiKey,
    platformSecretKey: hex(ids.bytes(32)),
  };
  createSettings(store, settings);
  const pace = PACES[options.pace];
  const context: Context = { store, nowMs, ids, pace, settings, allowsLoopback: false };
  for (const [index, fintech] of FINTECHS.entries())
    seedFintech(context, fintech, index === 0 ? apiKey : newSandboxKey(ids));
  // An expired key is stored like a revoked one; both are rejected.
  store.run(
    `INSERT INTO api_key (key, kind, fintech, created_at, revoked_at) VALUES (?, 'sandbox', 1, ?, ?)`,
    EXPIRED_KEY,
    nowMs,
    nowMs,
  );
}

/**
 * Drops everything and seeds again in the open transaction, so other processes see either the old state or the new one.
 * The API key is kept so that configured clients keep working.
 */
export function reseed(store: Database, nowMs: number, ids: Ids, options: SeedOptions, apiKey: string): void {
  store.exec('PRAGMA defer_foreign_keys = ON');
  for (const { type, name } of store.all<{ type: string; name: string }>(DROP_ALL)) store.exec(`DROP ${type} ${name}`);
  seed(store, nowMs, ids, options, apiKey);
}

function seedFintech(context: Context, seeded: SeededFintech, apiKey: string): void {
  const { store, nowMs, ids } = context;
  const fintech = store.insert(
    'INSERT INTO fintech (fintech_id, name, aes_key, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
    ids.uuid(),
    seeded.name,
    hex(ids.bytes(32)),
    nowMs,
    nowMs,
  );
  for (const [key, kind] of [
    [apiKey, 'sandbox'],
    [`key-${hex(ids.bytes(16))}`, 'production'],
  ] as const) {
    store.run('INSERT INTO api_key (key, kind, fintech, created_at) VALUES (?, ?, ?, ?)', key, kind, fintech, nowMs);
  }
  openVirtualAccount(context, {
    kind: 'fintech_permanent',
    fintech,
    name: seeded.name.toUpperCase(),
    status: 'active',
  });
  seedVault(context, fintech, seedFunds(context, fintech, seeded));
  if (seeded.orders) {
    seedOrders(context, fintech, seeded.orders);
  } else {
    seedFees(context, fintech);
    seedBankAccount(context, fintech);
  }
}

function seedWallet(
  { store, ids, nowMs }: Context,
  fintech: bigint,
  kind: 'fintech' | 'vault',
  tokenBuy: string,
): bigint {
  return store.insert(
    `INSERT INTO wallet (address, fintech, kind, blockchain, custom_owner, token_buy, created_at) VALUES (?, ?, ?, 'base', ?, ?, ?)`,
    `0x${hex(ids.bytes(20))}`,
    fintech,
    kind,
    `0x${hex(ids.bytes(20))}`,
    tokenBuy,
    nowMs,
  );
}

/** Creates and funds the wallets of a fintech; returns those of the vault. */
function seedFunds(context: Context, fintech: bigint, { cngn, stablecoins, vaulted }: SeededFintech): VaultWallets {
  const smart = seedWallet(context, fintech, 'fintech', 'CNGN');
  const vault = {
    USDC: seedWallet(context, fintech, 'vault', 'USDC'),
    USDT: seedWallet(context, fintech, 'vault', 'USDT'),
  };
  const total = cngn.reduce((sum, [, whole]) => sum + whole, 0n);
  post(context, 'seed.funds', 'seed', [
    { account: BANK, minor: -naira(total) },
    { account: RESERVE, minor: naira(total) },
    { account: SUPPLY, minor: -tokens(total) },
    ...cngn.map(([network, whole]) => ({ account: walletAccount(smart, network, 'CNGN'), minor: tokens(whole) })),
    ...(['USDC', 'USDT'] as const).flatMap((asset) => [
      { account: chain(asset), minor: -tokens(stablecoins + vaulted) },
      { account: walletAccount(smart, 'base', asset), minor: tokens(stablecoins) },
      { account: walletAccount(vault[asset], 'base', asset), minor: tokens(vaulted) },
    ]),
  ]);
  return vault;
}

/** Creates a vault that is approved and signs automatically up to $10,000, as in the public example. */
function seedVault({ store, nowMs }: Context, fintech: bigint, wallets: VaultWallets): void {
  store.run(
    `INSERT INTO fx_vault (fintech, vault_id, usdc_wallet, usdt_wallet, api_key_shown, private_key_shown, signer_public_key, notification_emails,
       state, auto_signing, usd_threshold_cents, created_at)
     VALUES (?, ?, ?, ?, 'sand********', '----********', 'ssh-ed25519 sandbox', '["ops@example.com"]', 'active', 1, 1000000, ?)`,
    fintech,
    `vault-${fintech}`,
    wallets.USDC,
    wallets.USDT,
    nowMs,
  );
}

function seedOrders(context: Context, fintech: bigint, orders: readonly SeededOrder[]): void {
  for (const stablecoin of ['USDC', 'USDT'] as const) {
    for (const { gives, price, minimum, maximum } of orders) {
      insertOrder(context, fintech, {
        pair: `CNGN-${stablecoin}`,
        gives: gives === 'CNGN' ? 'CNGN' : stablecoin,
        priceMicro: tokens(price),
        spreadMillionths: SPREAD_MILLIONTHS,
        minBase: tokens(minimum),
        maxBase: tokens(maximum),
      });
    }
  }
}

function seedFees(context: Context, fintech: bigint): void {
  const { store, nowMs } = context;
  for (const direction of DIRECTIONS) {
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
