import { Fault } from '../../contract/faults.ts';
import { decimalText, scaledInteger } from '../../money/decimal.ts';
import { percentToWire } from '../../money/rates.ts';
import { type Call, isoTime, type Operations } from '../context.ts';
import { update } from '../rows.ts';
import { dollars, requiredVault, type VaultRow, vaultOf } from './signing.ts';

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

export const fxAutoSigningOperations = {
  'fx.auto-signing-enable': enable,
  'fx.auto-signing-disable': disable,
  'fx.auto-signing-threshold': setThreshold,
  'fx.auto-signing-status': status,
  'fx.auto-signing-stats': stats,
} satisfies Partial<Operations>;
