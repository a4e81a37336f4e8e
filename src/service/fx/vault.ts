import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import { decimalText, scaledInteger, trimDecimal } from '../../money/decimal.ts';
import { percentToWire } from '../../money/rates.ts';
import type { Database } from '../../sqlite/database.ts';
import { type Call, isoTime, type Operations, type OperationsOf } from '../context.ts';
import { schedule } from '../machine.ts';
import { insert, update, upsert } from '../rows.ts';
import { IS_OPEN_TRADE } from '../schema/schema.ts';
import { isTestText } from '../values.ts';
import { smartWallet, VAULT_COLUMN, type WalletRow, walletAt } from '../wallets/wallets.ts';
import { type VaultRow, vaultOf } from './signing.ts';

/** Masks a secret; only its first four characters are stored. */
function firstOf(secret: string): string {
  return `${secret.slice(0, 4)}********`;
}

/**
 * Returns the wallet for a vault address: the fintech's own, or a new one. Throws VALIDATION_ERROR for another owner's
 * address.
 */
function walletFor(call: Call, field: string, address: string): bigint {
  const known = walletAt(call.store, address);
  if (known && (known.fintech !== call.fintech.id || known.kind !== 'vault'))
    throw new Fault('VALIDATION_ERROR', `${field}: expected an address that does not belong to another wallet`);
  return (
    known?.id ??
    insert(call.store, 'wallet', {
      address: sameAddress(address),
      fintech: call.fintech.id,
      kind: 'vault',
      blockchain: 'base',
      token_buy: 'CNGN',
      created_at: call.nowMs,
    })
  );
}

/** Returns the wallet of a fintech's MPC vault for one stablecoin; undefined until a vault is registered. */
function vaultWallet(store: Database, fintech: bigint, asset: keyof typeof VAULT_COLUMN): WalletRow | undefined {
  return store.get<WalletRow>(
    `SELECT wallet.* FROM fx_vault JOIN wallet ON wallet.id = ${VAULT_COLUMN[asset]} WHERE fx_vault.fintech = ?`,
    fintech,
  );
}

function tokenWallets({ store, fintech }: Call) {
  return {
    USDT: vaultWallet(store, fintech.id, 'USDT')?.address ?? null,
    USDC: vaultWallet(store, fintech.id, 'USDC')?.address ?? null,
    cNGN: smartWallet(store, fintech.id).address,
  };
}

/** Returns the fintech's vault. Throws VALIDATION_ERROR if there is none. */
function requiredVault({ store, fintech }: Call): VaultRow {
  const vault = vaultOf(store, fintech.id);
  if (!vault) throw new Fault('VALIDATION_ERROR', 'register an MPC vault first');
  return vault;
}

const dollars = (cents: bigint) => trimDecimal(decimalText(cents, 2));

/**
 * Registering again replaces the vault, which waits for approval again; tokens stay where they are. Source: inferred.
 */
const registerMpc: Operations['fx.register-mpc'] = (call, input) => {
  const { store, nowMs, fintech } = call;
  const open = store.get(
    `SELECT 1 FROM fx_trade WHERE ${IS_OPEN_TRADE}
     AND (fintech = ?1 OR EXISTS (SELECT 1 FROM fx_slice WHERE trade = fx_trade.id AND maker = ?1)) LIMIT 1`,
    fintech.id,
  );
  if (open) throw new Fault('VALIDATION_ERROR', 'the fintech has open trades; try again after they finish');
  const usdc = walletFor(call, 'tokenWallets.USDC', input.tokenWallets.USDC);
  const usdt = walletFor(call, 'tokenWallets.USDT', input.tokenWallets.USDT);
  upsert(
    store,
    'fx_vault',
    { fintech: fintech.id, usd_threshold_cents: FIRST_THRESHOLD_CENTS },
    {
      vault_id: input.vaultId,
      usdc_wallet: usdc,
      usdt_wallet: usdt,
      api_key_shown: firstOf(input.mpcVaultApiKey),
      private_key_shown: firstOf(input.mpcClientSignerPrivateKey),
      signer_public_key: input.callbackClientSignerPublicKey,
      notification_emails: JSON.stringify(input.notificationEmails),
      state: 'pending',
      auto_signing: false,
      created_at: nowMs,
    },
  );
  const vault = requiredVault(call);
  // Drops the pending approval of the replaced vault.
  store.run(`DELETE FROM due WHERE machine = 'vault' AND subject = ?`, vault.id);
  const decision = isTestText('vaultRejected', vault.vault_id) ? 'rejected' : 'approved';
  schedule(call, 'vault', vault.id, decision, call.pace.approveVault);
  return {
    vaultId: vault.vault_id,
    status: vault.state === 'active' ? 'active' : 'pending',
    tokenWallets: tokenWallets(call),
    createdAt: isoTime(vault.created_at),
    note: 'the vault can be used once it is approved',
  };
};

/** $10,000. Source: public (an example). */
const FIRST_THRESHOLD_CENTS = 1_000_000n;

const settings: Operations['fx.settings'] = (call) => {
  const vault = vaultOf(call.store, call.fintech.id);
  const isOn = vault?.auto_signing === 1n;
  return {
    fintechId: call.fintech.fintechId,
    vaultId: vault?.vault_id ?? null,
    mpcVaultApiKey: vault?.api_key_shown ?? null,
    mpcClientSignerPrivateKey: vault?.private_key_shown ?? null,
    callbackClientSignerPublicKey: vault?.signer_public_key ?? null,
    mpcConfigStatus: vault?.state ?? 'inactive',
    autoSigning: {
      available: vault?.state === 'active',
      enabled: isOn,
      threshold: vault ? dollars(vault.usd_threshold_cents) : null,
      vmStatus: isOn ? 'running' : 'stopped',
      vmInstanceName: vault ? `signer-${vault.id}` : null,
      natExternalIp: vault ? SIGNER_ADDRESS : null,
      note: 'trades up to the threshold are signed automatically',
    },
    tokenWallets: vault?.state === 'active' ? tokenWallets(call) : null,
    notificationEmails: vault ? (JSON.parse(vault.notification_emails) as string[]) : [],
  };
};

/** An address reserved for documentation. */
const SIGNER_ADDRESS = '192.0.2.10';

function setAutoSigning(call: Call, isOn: boolean): VaultRow {
  const vault = requiredVault(call);
  if (vault.state !== 'active') throw new Fault('VALIDATION_ERROR', 'the MPC vault is not approved yet');
  update(call.store, 'fx_vault', vault.id, { auto_signing: isOn });
  return requiredVault(call);
}

const enable: Operations['fx.auto-signing-enable'] = (call, { enabled = true }) => {
  if (!enabled) throw new Fault('VALIDATION_ERROR', 'enabled: expected true or no value');
  const vault = setAutoSigning(call, true);
  return {
    autoSigning: {
      enabled: true,
      usdThreshold: dollars(vault.usd_threshold_cents),
      vmHealthy: true,
      vmStatus: 'running',
    },
  };
};

const disable: Operations['fx.auto-signing-disable'] = (call, { enabled = false }) => {
  if (enabled) throw new Fault('VALIDATION_ERROR', 'enabled: expected false or no value');
  setAutoSigning(call, false);
  return { autoSigning: { enabled: false } };
};

const setThreshold: Operations['fx.auto-signing-threshold'] = (call, { usdThreshold }) => {
  const vault = requiredVault(call);
  const cents = scaledInteger(usdThreshold.replace(/^0+(?=\d)/, ''), 2);
  if (cents === undefined) throw new Fault('VALIDATION_ERROR', 'usdThreshold: expected an amount in US dollars');
  update(call.store, 'fx_vault', vault.id, { usd_threshold_cents: cents });
  return { autoSigning: { enabled: vault.auto_signing === 1n, usdThreshold: dollars(cents) } };
};

interface SigningDay {
  readonly day: string;
  readonly signed: bigint;
  readonly usd_cents: bigint;
  readonly fallbacks: bigint;
  readonly total_ms: bigint;
}

const HUNDRED_PERCENT = 100_000_000n;

const HUNDREDTH = 10_000n;

/**
 * Returns the share of signed attempts in percent, cut to two decimals; 0 without attempts. 42 of 44 is 95.45. Source:
 * public.
 */
function successRate({ signed, fallbacks }: Pick<SigningDay, 'signed' | 'fallbacks'>): bigint {
  const attempts = signed + fallbacks;
  if (attempts === 0n) return 0n;
  const hundredths = (2n * signed * (HUNDRED_PERCENT / HUNDREDTH) + attempts) / (2n * attempts);
  return hundredths * HUNDREDTH;
}

const NOTHING: Omit<SigningDay, 'day'> = { signed: 0n, usd_cents: 0n, fallbacks: 0n, total_ms: 0n };

const DAY_MS = 86_400_000;

function dayOf(call: Call, daysAgo: number): SigningDay {
  const day = isoTime(call.nowMs - daysAgo * DAY_MS).slice(0, 10);
  const found = call.store.get<SigningDay>(
    'SELECT * FROM fx_signing_day WHERE fintech = ? AND day = ?',
    call.fintech.id,
    day,
  );
  return found ?? { day, ...NOTHING };
}

const averageMs = ({ signed, total_ms: total }: SigningDay) => (signed === 0n ? 0 : Number(total / signed));

const status: Operations['fx.auto-signing-status'] = (call) => {
  const vault = vaultOf(call.store, call.fintech.id);
  const today = dayOf(call, 0);
  const isOn = vault?.auto_signing === 1n;
  return {
    autoSigning: {
      configured: vault !== undefined,
      enabled: isOn,
      usdThreshold: vault ? dollars(vault.usd_threshold_cents) : null,
      vmStatus: isOn ? 'running' : 'stopped',
      vmHealthy: isOn,
      todayStats: {
        totalAutoSigned: Number(today.signed),
        totalUsdAutoSigned: decimalText(today.usd_cents, 2),
        fallbackCount: Number(today.fallbacks),
        successRate: percentToWire(successRate(today)),
        avgExecutionTimeMs: averageMs(today),
      },
    },
  };
};

const stats: Operations['fx.auto-signing-stats'] = (call, { days = 7 }) => {
  const daily = Array.from({ length: days }, (_, daysAgo) => dayOf(call, daysAgo));
  const sum = (of: (day: SigningDay) => bigint) => daily.reduce((total, day) => total + of(day), 0n);
  return {
    stats: {
      days,
      daily: daily.map((day) => ({
        date: day.day,
        totalAutoSigned: Number(day.signed),
        totalAmountAutoSigned: decimalText(day.usd_cents, 2),
        fallbackCount: Number(day.fallbacks),
        successRate: percentToWire(successRate(day)),
        avgExecutionTimeMs: averageMs(day),
      })),
      totals: {
        totalAutoSigned: Number(sum(({ signed }) => signed)),
        totalAmountAutoSigned: decimalText(
          sum(({ usd_cents }) => usd_cents),
          2,
        ),
        totalFallbacks: Number(sum(({ fallbacks }) => fallbacks)),
        // The mean of the daily rates, cut to two decimals. Source: public.
        avgSuccessRate: percentToWire((sum(successRate) / BigInt(days) / HUNDREDTH) * HUNDREDTH),
      },
    },
  };
};

export const fxVaultOperations = {
  'fx.register-mpc': registerMpc,
  'fx.settings': settings,
  'fx.auto-signing-enable': enable,
  'fx.auto-signing-disable': disable,
  'fx.auto-signing-threshold': setThreshold,
  'fx.auto-signing-status': status,
  'fx.auto-signing-stats': stats,
} satisfies OperationsOf<'fx-vault' | 'fx-auto-signing'>;
