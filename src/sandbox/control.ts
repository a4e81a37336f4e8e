import type { controls, sandboxSeed, sandboxStatus } from '../contract/control.ts';
import { type Endpoint, type RequestOf, type ResponseOf, refusalsOf } from '../contract/endpoint.ts';
import { endpoints } from '../contract/endpoints/index.ts';
import { eventOf } from '../contract/events.ts';
import { Fault } from '../contract/faults.ts';
import { networkOf } from '../contract/networks.ts';
import { ANY_WEBHOOK, WEBHOOK_FAULTS } from '../contract/sandbox.ts';
import { type Asset, amount, amountText, fromWire, toWireText } from '../money/amount.ts';
import { type Call, isoTime } from '../service/context.ts';
import { receivePayment } from '../service/deposits/deposits.ts';
import { listEvents, resendEvent, showEvent } from '../service/events/event-log.ts';
import { faultRules, PAYOUT_ENDPOINTS } from '../service/fault-rules.ts';
import { totalsOf } from '../service/history/operation.ts';
import { balanceOf, checkLedger, escrow } from '../service/ledger.ts';
import { advance, settle } from '../service/schedule.ts';
import { IS_OPEN_TRADE } from '../service/schema/schema.ts';
import { addHistory } from '../service/seed/history.ts';
import { DEFAULT_SEED, reseed } from '../service/seed/seed.ts';
import type { Service } from '../service/service.ts';
import { changeSettings, PACES } from '../service/settings.ts';
import { restoreState, stateContent } from '../service/state-file.ts';
import { receiveTokens } from '../service/transfers/chain-deposits.ts';
import { usersOperations } from '../service/users/operation.ts';
import { TEST_ACCOUNTS, TEST_BVNS, TEST_TRADES, TEST_VALUES } from '../service/values.ts';
import { requireForm } from '../service/wallets/addresses.ts';
import { baseOfText } from '../service/wire-values.ts';

type Status = ResponseOf<typeof sandboxStatus>;

/** The controls that run inside the open transaction. */
export function createControls(service: Service): Controls {
  return {
    'sandbox.status': (call, { values = false }) => statusOf(call, values),
    'sandbox.reset': (call, { pace, rateLimits: limits }) => {
      const machineMs = call.nowMs - call.settings.clockOffsetMs;
      reseed(
        call.store,
        machineMs,
        call.ids,
        { pace: pace ?? DEFAULT_SEED.pace, rateLimits: limits ?? DEFAULT_SEED.rateLimits },
        call.settings.embeddedApiKey,
      );
      return { fintechId: firstFintech(service), now: isoTime(machineMs) };
    },
    'sandbox.seed': seedMore,
    'sandbox.pay': (call, { accountNumber, amount: wire, senderName }) => {
      const paid = fromWire(wire, 'naira', 'NGN');
      if (!paid) throw new Fault('VALIDATION_ERROR', 'amount: expected at most 2 decimals');
      const { depositId, outcome, reason } = receivePayment(call, {
        accountNumber,
        amountKobo: paid.minor,
        senderName,
      });
      return { depositId, accountNumber, amount: wire, outcome, reason };
    },
    'sandbox.deposit': (call, { amount: wire, network: name, ...deposit }) => {
      const network = networkOf(name);
      if (!network) throw new Fault('VALIDATION_ERROR', 'network: expected a network key such as base');
      requireForm(network, deposit.from, 'from');
      const amountBase = baseOfText(wire, deposit.asset);
      const { outcome, reason } = receiveTokens(call, { ...deposit, network, amountBase });
      const amountText = toWireText(amount(deposit.asset, amountBase), 'decimal-string');
      return { address: deposit.address, asset: deposit.asset, amount: amountText, outcome, reason };
    },
    'sandbox.advance': (call, { durationMs }) => {
      if (call.nowMs + durationMs > LAST_MS)
        throw new Fault('VALIDATION_ERROR', 'durationMs: expected a duration that ends before the year 9000');
      const events = service.advanceBy(call, durationMs);
      return { now: isoTime(call.nowMs + durationMs), events };
    },
    'sandbox.clock': (call) => ({
      now: isoTime(call.nowMs),
      machineTime: isoTime(call.nowMs - call.settings.clockOffsetMs),
      clockOffsetSeconds: Math.trunc(call.settings.clockOffsetMs / 1000),
    }),
    'sandbox.settle': (call) => ({ events: settle(call), now: isoTime(call.nowMs) }),
    'sandbox.fault-add': addFault,
    'sandbox.fault-list': listFaults,
    'sandbox.fault-clear': ({ store }) => ({ cleared: store.run('DELETE FROM fault_rule') }),
    'sandbox.events': listEvents,
    'sandbox.event': (call, { eventId }) => showEvent(call, eventId),
    'sandbox.event-resend': (call, { eventId }) => resendEvent(call, eventId),
  };
}

const count = ({ store }: Call, sql: string) => Number(store.get<{ n: bigint }>(sql)?.n ?? 0n);

const onOrOff = (isOn: boolean) => (isOn ? 'on' : 'off');

/** The posting sets that a status checks. */
const CHECKED_SETS = 10_000;

/** Every verified user of every fintech. */
const USERS = 'SELECT COALESCE(SUM(users), 0) AS n FROM fintech';
/** Events are never deleted. */
const EVENTS = 'SELECT COALESCE(MAX(id), 0) AS n FROM outbox';
const OPEN_TRADES = `SELECT COUNT(*) AS n FROM fx_trade WHERE ${IS_OPEN_TRADE}`;

/** Returns the clock, the ledger and counts of the contents; test values and keys only on request. */
function statusOf(call: Call, withValues: boolean): Status {
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

const namesOf = (endpoint: Pick<Endpoint, 'errors'>) => new Set(refusalsOf(endpoint).map(({ name }) => name));

/** The names that a fault of kind refuse takes: what all operations have, and what each has beside it. */
function refusalNames() {
  const common = namesOf({ errors: [] });
  const own = endpoints.map((each) => ({
    operation: each.id as string,
    names: [...namesOf(each)].filter((name) => !common.has(name)),
  }));
  return [{ operation: 'any operation', names: [...common] }, ...own.filter(({ names }) => names.length > 0)];
}

function valuesOf({ store }: Call): Partial<Status> {
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
    refusals: refusalNames(),
    fintechs: fintechs.map(({ fintech_id, name, sandbox, production }) => ({
      fintechId: fintech_id,
      name,
      sandboxKey: sandbox,
      productionKey: production,
    })),
  };
}

type Control = (typeof controls)[number];
type InUnit<E> = E extends Endpoint ? (call: Call, input: RequestOf<E>) => ResponseOf<E> : never;
type Files = 'sandbox.snapshot' | 'sandbox.restore';
/** Loaded for itself, because it runs operations of every group. */
type Simulation = 'sandbox.simulate';
export type AllControls = { readonly [E in Control as Exclude<E['id'], Files>]: InUnit<E> };
type Controls = Omit<AllControls, Simulation>;
type OnFile<E> = E extends Endpoint
  ? (call: Call, input: RequestOf<E>) => ResponseOf<E> | Promise<ResponseOf<E>>
  : never;
type FileControls = { readonly [E in Control as Extract<E['id'], Files>]: OnFile<E> };

/** Later times would not have an ISO form of the usual length. */
const LAST_MS = Date.UTC(9000, 0);

const listFaults: Controls['sandbox.fault-list'] = ({ store }) => ({
  faults: faultRules(store).map(({ times, endpoint, kind, name }) => ({ endpoint, kind, name, times: Number(times) })),
});

/** The controls of the state file as a whole. Their caller is admitted as usual, but they run outside a transaction. */
export function createFileControls(service: Service): FileControls {
  return {
    'sandbox.snapshot': ({ ids }) => stateContent(service.store, ids.uuid()),
    'sandbox.restore': async ({ ids }, { content }) => {
      await restoreState(service.store, content, ids.uuid());
      return { fintechId: firstFintech(service), now: isoTime(service.nowMs()) };
    },
  };
}

function firstFintech({ store }: Service): string {
  return store.get<{ fintech_id: string }>('SELECT fintech_id FROM fintech ORDER BY id LIMIT 1')?.fintech_id ?? '';
}

const addFault: Controls['sandbox.fault-add'] = (call, { endpoint, kind, name, times = 1 }) => {
  const isOfWebhooks = WEBHOOK_FAULTS.some((each) => each === kind);
  const refused = endpoints.find(({ id }) => id === endpoint);
  if (isOfWebhooks && endpoint !== ANY_WEBHOOK && !eventOf(endpoint))
    throw new Fault('VALIDATION_ERROR', `endpoint: expected an event name or ${ANY_WEBHOOK} for ${kind}`);
  if (!isOfWebhooks && !refused) throw new Fault('VALIDATION_ERROR', 'endpoint: expected the id of a service endpoint');
  if (kind === 'payout-fails' && !PAYOUT_ENDPOINTS.some((id) => id === endpoint))
    throw new Fault('VALIDATION_ERROR', `kind: payout-fails applies only to ${PAYOUT_ENDPOINTS.join(', ')}`);
  const names = namesOf(refused ?? { errors: [] });
  if (kind === 'reject' && !names.has(name ?? ''))
    throw new Fault('VALIDATION_ERROR', `name: expected a rejection of ${endpoint}: ${[...names].join(', ')}`);
  if (kind !== 'reject' && name !== undefined)
    throw new Fault('VALIDATION_ERROR', 'name: only a fault of kind reject has one');
  call.store.run(
    'INSERT INTO fault_rule (endpoint, kind, name, times, created_at) VALUES (?, ?, ?, ?, ?)',
    endpoint,
    kind,
    name ?? null,
    times,
    call.nowMs,
  );
  return { endpoint, kind, name: name ?? null, times };
};

/** Adds users with unused BVNs, verified at once. */
function addUsers(call: Call, users: number): void {
  const first = count(call, 'SELECT COALESCE(MAX(id), 0) AS n FROM onboarding');
  const instantly = { ...call, pace: PACES.instant };
  let bvn = 90_000_000_000 + first;
  for (let added = 0; added < users; ) {
    bvn += 1;
    try {
      usersOperations['users.onboard'](instantly, { bvn: String(bvn) });
      added += 1;
    } catch (error) {
      // This BVN is already in use.
      if (!(error instanceof Fault)) throw error;
    }
  }
  advance(instantly);
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** The last transaction of a history is this old, so that all of them are completed. */
const COMPLETED_MS = 5 * 60_000;
/** The number of users in a history. */
const HISTORY_USERS = 40;

/** Returns users verified before the history starts, adding some with an earlier date if there are too few. */
function historyUsers(call: Call, beforeMs: number): bigint[] {
  const find = () =>
    call.store
      .all<{ id: bigint }>(
        'SELECT id FROM user WHERE fintech = ? AND verified_at <= ? ORDER BY verified_at, id LIMIT ?',
        call.fintech.id,
        beforeMs,
        HISTORY_USERS,
      )
      .map(({ id }) => id);
  const found = find();
  if (found.length === HISTORY_USERS) return found;
  addUsers({ ...call, nowMs: beforeMs }, HISTORY_USERS - found.length);
  return find();
}

function fillHistory(call: Call, rows: number, done: number, total: number): void {
  if (done % 10 !== 0 || done + rows > total)
    throw new Fault(
      'VALIDATION_ERROR',
      'historyDone: expected a multiple of 10, with no more than historyTotal after it',
    );
  const untilMs = call.nowMs - COMPLETED_MS;
  const fromMs = untilMs - YEAR_MS;
  const users = historyUsers(call, fromMs - DAY_MS);
  addHistory(call, users, { first: done, end: done + rows, total, fromMs, untilMs });
}

/** Changes the given settings, then adds users and transactions. */
function seedMore(call: Call, request: RequestOf<typeof sandboxSeed>): ResponseOf<typeof sandboxSeed> {
  const { users = 0, pace, rateLimits, history = 0, historyDone = 0, historyTotal = history } = request;
  const settings = {
    ...call.settings,
    ...(pace ? { pace } : {}),
    ...(rateLimits === undefined ? {} : { rateLimits }),
  };
  changeSettings(call.store, settings);
  addUsers(call, users);
  if (history > 0) fillHistory(call, history, historyDone, historyTotal);
  const totals = totalsOf(call, {});
  return {
    users: count(call, USERS),
    transactions: totals.in.movements + totals.out.movements,
    pace: settings.pace,
    rateLimits: onOrOff(settings.rateLimits),
  };
}
