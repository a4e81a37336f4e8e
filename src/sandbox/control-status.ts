import type { sandboxStatus } from '../contract/control.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { type Asset, amount, amountText } from '../money/amount.ts';
import { toWireText } from '../money/units.ts';
import { type Call, isoTime } from '../service/context.ts';
import { IS_OPEN_TRADE } from '../service/fx/open.ts';
import { balanceOf, checkLedger, escrow } from '../service/ledger.ts';
import { TEST_ACCOUNTS, TEST_BVNS, TEST_TRADES, TEST_VALUES } from '../service/values.ts';

type Status = ResponseOf<typeof sandboxStatus>;

export const count = ({ store }: Call, sql: string) => Number(store.get<{ n: bigint }>(sql)?.n ?? 0n);

export const onOrOff = (isOn: boolean) => (isOn ? 'on' : 'off');

/** The posting sets that a status checks. */
const CHECKED_SETS = 10_000;

/** Every verified user of every fintech. */
export const USERS = 'SELECT COALESCE(SUM(users), 0) AS n FROM fintech';
/** Events are never deleted. */
const EVENTS = 'SELECT COALESCE(MAX(id), 0) AS n FROM outbox';
const OPEN_TRADES = `SELECT COUNT(*) AS n FROM fx_trade WHERE ${IS_OPEN_TRADE}`;

/** Returns the clock, the ledger and counts of the contents; test values and keys only on request. */
export function statusOf(call: Call, withValues: boolean): Status {
  const { store, settings, fintech } = call;
  const ledger = checkLedger(store, CHECKED_SETS);
  const sum = (asset: Asset) => amountText(amount(asset, ledger.sums[asset] ?? 0n));
  const held = (asset: Asset) => toWireText(amount(asset, balanceOf(store, escrow(asset))), 'token');
  return {
    fintechId: fintech.fintechId,
    fintechName: fintech.name,
    now: isoTime(call.nowMs),
    clockOffsetSeconds: Math.trunc(settings.clockOffsetMs / 1000),
    pace: settings.pace,
    rateLimits: onOrOff(settings.rateLimits),
    users: count(call, USERS),
    pending: count(call, 'SELECT COUNT(*) AS n FROM due'),
    stuck: count(call, 'SELECT COUNT(*) AS n FROM stuck'),
    events: count(call, EVENTS),
    openTrades: count(call, OPEN_TRADES),
    escrow: { CNGN: held('CNGN'), USDC: held('USDC'), USDT: held('USDT') },
    ledger: {
      balanced: ledger.balanced,
      accounts: ledger.accounts,
      postingSets: ledger.postingSets,
      sums: { NGN: sum('NGN'), CNGN: sum('CNGN'), USDC: sum('USDC'), USDT: sum('USDT') },
    },
    ...(withValues ? valuesOf(call) : {}),
  };
}

function valuesOf({ store }: Call): Pick<Status, 'bvns' | 'accounts' | 'trades' | 'values' | 'fintechs'> {
  const key = (kind: string) =>
    `(SELECT key FROM api_key WHERE api_key.fintech = fintech.id AND kind = '${kind}' AND revoked_at IS NULL ORDER BY created_at LIMIT 1)`;
  const fintechs = store.all<{ fintech_id: string; name: string; sandbox: string | null; production: string | null }>(
    `SELECT fintech_id, name, ${key('sandbox')} AS sandbox, ${key('production')} AS production FROM fintech ORDER BY id`,
  );
  return {
    bvns: TEST_BVNS.map(({ bvn, means }) => ({ bvn, means })),
    accounts: TEST_ACCOUNTS.map(({ accountNumber, means }) => ({ accountNumber, means })),
    trades: TEST_TRADES.map(({ cngnAmount, means }) => ({ cngnAmount, means })),
    values: TEST_VALUES.map(({ use, value, means }) => ({ use, value, means })),
    fintechs: fintechs.map(({ fintech_id, name, sandbox, production }) => ({
      fintechId: fintech_id,
      name,
      sandboxKey: sandbox,
      productionKey: production,
    })),
  };
}
