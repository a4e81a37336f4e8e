import type { Ids } from '../../base/world.ts';
import { DIRECTIONS } from '../../contract/values.ts';
import { DECIMALS, STABLECOINS } from '../../money/amount.ts';
import type { Database } from '../../sqlite/database.ts';
import { type Context, hex, newSandboxKey } from '../context.ts';
import { openVirtualAccount } from '../deposits/virtual-accounts.ts';
import { collectFees } from '../fees/fees.ts';
import { insertOrder } from '../fx/order-book.ts';
import { BANK, chain, post, RESERVE, SUPPLY, walletAccount } from '../ledger.ts';
import { MACHINES } from '../machines.ts';
import { insert } from '../rows.ts';
import { DROP_ALL, schemaWith } from '../schema/schema.ts';
import { PACES, type PaceName, type Settings } from '../settings.ts';
import { accountHolder, EXPIRED_KEY } from '../values.ts';

/** A seeded fintech and its opening balances in whole tokens. */
interface SeededFintech {
  readonly name: string;
  readonly cngn: readonly (readonly [network: string, whole: bigint])[];
  /** The balance of USDC and of USDT, in the account wallet and in the vault. */
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

/** Creates the tables and the seed data. The first fintech gets the key that the embedded client uses. */
export function seed(
  store: Database,
  nowMs: number,
  ids: Ids,
  options: SeedOptions,
  apiKey = newSandboxKey(ids),
): void {
  store.exec(schemaWith(MACHINES));
  const settings: Settings = {
    clockOffsetMs: 0,
    pace: options.pace,
    rateLimits: options.rateLimits,
    bvnDigestKey: hex(ids.bytes(32)),
    embeddedApiKey: apiKey,
    platformSecretKey: hex(ids.bytes(32)),
  };
  insert(store, 'setting', {
    id: 1,
    clock_offset_ms: settings.clockOffsetMs,
    pace: settings.pace,
    rate_limits: settings.rateLimits,
    bvn_digest_key: settings.bvnDigestKey,
    embedded_api_key: settings.embeddedApiKey,
    platform_secret_key: settings.platformSecretKey,
  });
  const pace = PACES[options.pace];
  const context: Context = { store, nowMs, ids, pace, settings, allowsLoopback: false };
  for (const [index, fintech] of FINTECHS.entries())
    seedFintech(context, fintech, index === 0 ? apiKey : newSandboxKey(ids));
  // An expired key is stored like a revoked one; both are rejected.
  insert(store, 'api_key', { key: EXPIRED_KEY, kind: 'sandbox', fintech: 1, created_at: nowMs, revoked_at: nowMs });
}

const tokens = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.CNGN);
const naira = (whole: bigint) => whole * 10n ** BigInt(DECIMALS.NGN);

interface VaultWallets {
  readonly USDC: bigint;
  readonly USDT: bigint;
}

const SPREAD_MILLIONTHS = 500_000n;

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
  const fintech = insert(store, 'fintech', {
    fintech_id: ids.uuid(),
    name: seeded.name,
    aes_key: hex(ids.bytes(32)),
    created_at: nowMs,
    updated_at: nowMs,
  });
  for (const [key, kind] of [
    [apiKey, 'sandbox'],
    [`key-${hex(ids.bytes(16))}`, 'production'],
  ] as const) {
    insert(store, 'api_key', { key, kind, fintech, created_at: nowMs });
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
  return insert(store, 'wallet', {
    address: `0x${hex(ids.bytes(20))}`,
    fintech,
    kind,
    blockchain: 'base',
    custom_owner: `0x${hex(ids.bytes(20))}`,
    token_buy: tokenBuy,
    created_at: nowMs,
  });
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
    ...STABLECOINS.flatMap((asset) => [
      { account: chain(asset), minor: -tokens(stablecoins + vaulted) },
      { account: walletAccount(smart, 'base', asset), minor: tokens(stablecoins) },
      { account: walletAccount(vault[asset], 'base', asset), minor: tokens(vaulted) },
    ]),
  ]);
  return vault;
}

/** Creates a vault that is approved and signs automatically up to $10,000, as in the public example. */
function seedVault({ store, nowMs }: Context, fintech: bigint, wallets: VaultWallets): void {
  insert(store, 'fx_vault', {
    fintech,
    vault_id: `vault-${fintech}`,
    usdc_wallet: wallets.USDC,
    usdt_wallet: wallets.USDT,
    api_key_shown: 'sand********',
    private_key_shown: '----********',
    signer_public_key: 'ssh-ed25519 sandbox',
    notification_emails: '["ops@example.com"]',
    state: 'active',
    auto_signing: 1,
    usd_threshold_cents: 1000000,
    created_at: nowMs,
  });
}

function seedOrders(context: Context, fintech: bigint, orders: readonly SeededOrder[]): void {
  for (const stablecoin of STABLECOINS) {
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
    insert(store, 'fee_setting', {
      fintech,
      direction,
      percent_millionths: 500_000n,
      cap_kobo: naira(500n),
      enabled: 1,
      created_at: nowMs,
      updated_at: nowMs,
    });
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
  insert(store, 'bank_account', {
    account_id: ids.uuid(),
    fintech,
    number,
    bank_code: bankCode,
    verified_name: accountHolder(number, bankCode) ?? '',
    label: 'settlement',
    is_default: 1,
    created_at: nowMs,
    updated_at: nowMs,
  });
}
