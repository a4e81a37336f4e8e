import { Fault } from '../../contract/faults.ts';
import { sameAddress } from '../../contract/networks.ts';
import { decimalText, scaledInteger, trimDecimal } from '../../money/decimal.ts';
import { percentToWire } from '../../money/rates.ts';
import { type Call, hex, isoTime } from '../context.ts';
import { schedule } from '../machine.ts';
import type { Operations } from '../operation.ts';
import { type VaultRow, vaultOf } from '../signing.ts';
import { smartWallet, vaultWallet, walletAt } from '../wallets.ts';

/** The first four characters of a secret: all that is kept of it. */
function firstOf(secret: string): string {
  return `${secret.slice(0, 4)}********`;
}

/** The wallet of a vault's address: one that this fintech has, or a new one. Throws VALIDATION_ERROR for somebody else's. */
function walletFor(call: Call, field: string, address: string): bigint {
  const known = walletAt(call.store, address);
  if (known && (known.fintech !== call.fintech.id || known.kind !== 'vault'))
    throw new Fault('VALIDATION_ERROR', `${field}: expected an address that is no other wallet's`);
  return (
    known?.id ??
    call.store.insert(
      `INSERT INTO wallet (address, fintech, kind, blockchain, token_buy, created_at) VALUES (?, ?, 'vault', 'base', 'CNGN', ?)`,
      sameAddress(address),
      call.fintech.id,
      call.nowMs,
    )
  );
}

function tokenWallets({ store, fintech }: Call) {
  return {
    USDT: vaultWallet(store, fintech.id, 'USDT')?.address ?? null,
    USDC: vaultWallet(store, fintech.id, 'USDC')?.address ?? null,
    cNGN: smartWallet(store, fintech.id).address,
  };
}

/** Registering anew replaces the vault, which then waits for approval again; tokens stay where they are. Source: inferred. */
const registerMpc: Operations['fx.register-mpc'] = (call, input) => {
  const { store, nowMs, fintech } = call;
  const open = store.get(
    `SELECT 1 FROM fx_trade WHERE state IN ('pending', 'locked', 'signing', 'settling')
     AND (fintech = ?1 OR id IN (SELECT trade FROM fx_slice WHERE maker = ?1)) LIMIT 1`,
    fintech.id,
  );
  if (open) throw new Fault('VALIDATION_ERROR', 'trades are open: wait until they have ended');
  const usdc = walletFor(call, 'tokenWallets.USDC', input.tokenWallets.USDC);
  const usdt = walletFor(call, 'tokenWallets.USDT', input.tokenWallets.USDT);
  store.run(
    `INSERT INTO fx_vault (fintech, vault_id, usdc_wallet, usdt_wallet, api_key_shown, private_key_shown, signer_public_key, notification_emails,
       state, auto_signing, usd_threshold_cents, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'pending', 0, ?, ?)
     ON CONFLICT (fintech) DO UPDATE SET vault_id = excluded.vault_id, usdc_wallet = excluded.usdc_wallet, usdt_wallet = excluded.usdt_wallet,
       api_key_shown = excluded.api_key_shown, private_key_shown = excluded.private_key_shown, signer_public_key = excluded.signer_public_key,
       notification_emails = excluded.notification_emails, state = 'pending', auto_signing = 0, created_at = excluded.created_at`,
    fintech.id,
    input.vaultId,
    usdc,
    usdt,
    firstOf(input.mpcVaultApiKey),
    firstOf(input.mpcClientSignerPrivateKey),
    input.callbackClientSignerPublicKey,
    JSON.stringify(input.notificationEmails),
    FIRST_THRESHOLD_CENTS,
    nowMs,
  );
  const vault = requiredVault(call);
  // The approval of the vault before this one is not its own.
  store.run(`DELETE FROM due WHERE machine = 'vault' AND subject = ?`, vault.id);
  schedule(call, 'vault', vault.id, 'approved', call.pace.approveVault);
  return {
    vaultId: vault.vault_id,
    status: vault.state === 'active' ? 'active' : 'pending',
    tokenWallets: tokenWallets(call),
    createdAt: isoTime(vault.created_at),
    note: 'the vault can be used once it is approved',
  };
};

/** Ten thousand dollars. Source: public (an example). */
const FIRST_THRESHOLD_CENTS = 1_000_000n;

/** Throws VALIDATION_ERROR without a vault. */
function requiredVault({ store, fintech }: Call): VaultRow {
  const vault = vaultOf(store, fintech.id);
  if (!vault) throw new Fault('VALIDATION_ERROR', 'register an MPC vault first');
  return vault;
}

const dollars = (cents: bigint) => trimDecimal(decimalText(cents, 2));

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
      note: 'trades of a value up to the threshold are signed without a person',
    },
    tokenWallets: vault?.state === 'active' ? tokenWallets(call) : null,
    notificationEmails: vault ? (JSON.parse(vault.notification_emails) as string[]) : [],
  };
};

/** An address kept for documentation. */
const SIGNER_ADDRESS = '192.0.2.10';

function setAutoSigning(call: Call, isOn: boolean): VaultRow {
  const vault = requiredVault(call);
  if (vault.state !== 'active') throw new Fault('VALIDATION_ERROR', 'the MPC vault is not approved yet');
  call.store.run('UPDATE fx_vault SET auto_signing = ? WHERE id = ?', isOn ? 1 : 0, vault.id);
  return requiredVault(call);
}

const enable: Operations['fx.auto-signing-enable'] = (call, { enabled = true }) => {
  if (!enabled) throw new Fault('VALIDATION_ERROR', 'enabled: expected true, or left out');
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
  if (enabled) throw new Fault('VALIDATION_ERROR', 'enabled: expected false, or left out');
  setAutoSigning(call, false);
  return { autoSigning: { enabled: false } };
};

const setThreshold: Operations['fx.auto-signing-threshold'] = (call, { usdThreshold }) => {
  const vault = requiredVault(call);
  const cents = scaledInteger(usdThreshold.replace(/^0+(?=\d)/, ''), 2);
  if (cents === undefined) throw new Fault('VALIDATION_ERROR', 'usdThreshold: expected US dollars');
  call.store.run('UPDATE fx_vault SET usd_threshold_cents = ? WHERE id = ?', cents, vault.id);
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

/** Signed of all attempts, to two decimals of a percent; 0 without any. 42 of 44 is 95.45. Source: public. */
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
  const sum = (of: (day: SigningDay) => bigint) => daily.reduce((so, day) => so + of(day), 0n);
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

const SECONDS = 3600;

/** A token for a live book that the sandbox does not have: the shape of the answer, for who reads it. */
const orderBookToken: Operations['fx.orderbook-token'] = (call) => ({
  token: `book_${hex(call.ids.bytes(24))}`,
  expiresIn: SECONDS,
  expiresAt: isoTime(call.nowMs + SECONDS * 1000),
  tradingPairs: ['CNGN-USDC', 'CNGN-USDT'],
  firebaseConfig: { projectId: 'sandbox', databaseURL: 'https://book.invalid' },
  usage: 'the sandbox serves no live book; read /fx/orderbook',
});

export const fxVaultOperations = {
  'fx.register-mpc': registerMpc,
  'fx.settings': settings,
  'fx.auto-signing-enable': enable,
  'fx.auto-signing-disable': disable,
  'fx.auto-signing-threshold': setThreshold,
  'fx.auto-signing-status': status,
  'fx.auto-signing-stats': stats,
  'fx.orderbook-token': orderBookToken,
} satisfies Partial<Operations>;
