import type { controls } from '../contract/control.ts';
import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import { type Asset, amount, amountText } from '../money/amount.ts';
import { fromWire } from '../money/units.ts';
import { type Call, isoTime } from '../service/context.ts';
import { receivePayment } from '../service/deposits.ts';
import { checkLedger } from '../service/ledger.ts';
import { operations } from '../service/operations/index.ts';
import { PACES } from '../service/pace.ts';
import { advance } from '../service/schedule.ts';
import { DEFAULT_SEED, reseed } from '../service/seed.ts';
import type { Service } from '../service/service.ts';
import { changeSettings } from '../service/settings.ts';
import { TEST_ACCOUNTS, TEST_BVNS } from '../service/values.ts';

type Control = (typeof controls)[number];
type Controls = { readonly [E in Control as E['id']]: (call: Call, input: RequestOf<E>) => ResponseOf<E> };

const count = ({ store }: Call, sql: string) => Number(store.get<{ n: bigint }>(sql)?.n ?? 0n);

const onOrOff = (isOn: boolean) => (isOn ? 'on' : 'off');

function status(call: Call, withValues: boolean): ResponseOf<Extract<Control, { id: 'sandbox.status' }>> {
  const ledger = checkLedger(call.store);
  const sum = (asset: Asset) => amountText(amount(asset, ledger.sums[asset] ?? 0n));
  return {
    fintechId: call.fintech.fintechId,
    fintechName: call.fintech.name,
    now: isoTime(call.nowMs),
    clockOffsetSeconds: Math.trunc(call.settings.clockOffsetMs / 1000),
    pace: call.settings.pace,
    rateLimits: onOrOff(call.settings.rateLimits),
    users: count(call, 'SELECT COUNT(*) AS n FROM user'),
    pending: count(call, 'SELECT COUNT(*) AS n FROM due'),
    stuck: count(call, 'SELECT COUNT(*) AS n FROM stuck'),
    events: count(call, 'SELECT COUNT(*) AS n FROM outbox'),
    ledger: {
      balanced: ledger.balanced,
      accounts: ledger.accounts,
      postingSets: ledger.postingSets,
      sums: { NGN: sum('NGN'), CNGN: sum('CNGN'), USDC: sum('USDC'), USDT: sum('USDT') },
    },
    ...(withValues
      ? {
          bvns: TEST_BVNS.map(({ bvn, means }) => ({ bvn, means })),
          accounts: TEST_ACCOUNTS.map(({ accountNumber, means }) => ({ accountNumber, means })),
        }
      : {}),
  };
}

/** Later times have no ISO form of the usual length. */
const LAST_MS = Date.UTC(9000, 0);

/** Users made at once: a BVN nobody typed, verified without waiting. */
function addUsers(call: Call, users: number): void {
  const first = count(call, 'SELECT COALESCE(MAX(id), 0) AS n FROM onboarding');
  const instantly = { ...call, pace: PACES.instant };
  let bvn = 90_000_000_000 + first;
  for (let added = 0; added < users; ) {
    bvn += 1;
    try {
      operations['users.onboard'](instantly, { bvn: String(bvn) });
      added += 1;
    } catch (error) {
      // Somebody typed this one.
      if (!(error instanceof Fault)) throw error;
    }
  }
  advance(instantly);
}

/** The controls of one service. */
export function createControls(service: Service): Controls {
  return {
    'sandbox.status': (call, { values = false }) => status(call, values),
    'sandbox.reset': (call, { pace, rateLimits: limits }) => {
      const machineMs = call.nowMs - call.settings.clockOffsetMs;
      reseed(
        call.store,
        machineMs,
        call.ids,
        { pace: pace ?? DEFAULT_SEED.pace, rateLimits: limits ?? DEFAULT_SEED.rateLimits },
        call.settings.embeddedApiKey,
      );
      const fintech = call.store.get<{ fintech_id: string }>('SELECT fintech_id FROM fintech ORDER BY id LIMIT 1');
      return { fintechId: fintech?.fintech_id ?? '', now: isoTime(machineMs) };
    },
    'sandbox.seed': (call, { users = 0, pace, rateLimits: limits }) => {
      const settings = {
        ...call.settings,
        ...(pace ? { pace } : {}),
        ...(limits === undefined ? {} : { rateLimits: limits }),
      };
      changeSettings(call.store, settings);
      addUsers(call, users);
      return {
        users: count(call, 'SELECT COUNT(*) AS n FROM user'),
        pace: settings.pace,
        rateLimits: onOrOff(settings.rateLimits),
      };
    },
    'sandbox.pay': (call, { accountNumber, amount: wire, senderName }) => {
      const paid = fromWire(wire, 'naira', 'NGN');
      if (!paid) throw new Fault('VALIDATION_ERROR', 'amount: at most two decimals');
      const { depositId, outcome, reason } = receivePayment(call, {
        accountNumber,
        amountKobo: paid.minor,
        senderName,
      });
      return { depositId, accountNumber, amount: wire, outcome, reason };
    },
    'sandbox.advance': (call, { durationMs }) => {
      if (call.nowMs + durationMs > LAST_MS)
        throw new Fault('VALIDATION_ERROR', 'durationMs: the clock would pass the year 9000');
      const events = service.advanceBy(call, durationMs);
      return { now: isoTime(call.nowMs + durationMs), events };
    },
    'sandbox.clock': (call) => ({
      now: isoTime(call.nowMs),
      machineTime: isoTime(call.nowMs - call.settings.clockOffsetMs),
      clockOffsetSeconds: Math.trunc(call.settings.clockOffsetMs / 1000),
    }),
  };
}
