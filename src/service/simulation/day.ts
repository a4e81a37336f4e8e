import { conditionOf, Fault } from '../../contract/faults.ts';
import type { Asset } from '../../money/amount.ts';
import type { Call, Step } from '../context.ts';
import { advance } from '../schedule.ts';
import { PACES } from '../settings.ts';
import { accountActs, registrations } from './account.ts';
import { type Chance, chanceOf, idsOf } from './chance.ts';
import { type Act, type Kind, type Life, MINUTE_MS, type Person } from './life.ts';
import { createOutage } from './outage.ts';
import { HOUR_MS, meanInHour, RATES, type RatedKind } from './rates.ts';
import { userActs } from './users.ts';

/** A part of a simulation: at most a day. */
interface SimulatedDay {
  readonly seed: number;
  readonly fromMs: number;
  readonly untilMs: number;
  /** How many users are onboarded on it. */
  readonly joining: number;
}

/** What was asked of the service, by kind and asset. */
interface Asked {
  readonly kind: Kind;
  /** Null for requests that move nothing. */
  readonly asset: Asset | null;
  requests: number;
  rejected: number;
  /** The sum of what was not rejected. */
  minor: bigint;
}

/** How often something of a kind went wrong, and why: a condition of the service, a reason of a refund, or an event of a state machine. */
interface Failed {
  readonly kind: Kind;
  readonly code: string;
  count: number;
}

export interface DayReport {
  readonly asked: readonly Asked[];
  readonly failed: readonly Failed[];
  /** Events of state machines. */
  readonly events: number;
  /** Webhook attempts that an outage of the receiver cost. */
  readonly lostAttempts: number;
}

interface Planned {
  readonly atMs: number;
  readonly kind: Kind;
  readonly act: Act;
}

const ACTS: Readonly<Record<RatedKind, Act>> = { ...userActs, ...accountActs };

const RATED = Object.entries(RATES) as [RatedKind, (typeof RATES)[RatedKind]][];

/**
 * Simulates a part of the account's life in the open transaction: what users, banks, chains and the account itself do, through the
 * operations that requests use, at their times, with the pace of real banks and chains. Everything depends on the state before it, the seed
 * and the times alone. Throws what a bug in the sandbox throws; the caller must undo all.
 */
export function simulateDay(call: Call, day: SimulatedDay): DayReport {
  const chance = chanceOf(`${day.seed} ${day.fromMs}`);
  const tally = createTally(call);
  let nowMs = day.fromMs;
  const ids = idsOf(chance, () => nowMs, call.ids.digest);
  const steps: Step[] = [];
  const onStep = (step: Step) => {
    steps.push(step);
    call.onStep?.(step);
  };
  const own: Call = { ...call, ids, pace: PACES.real, onStep };
  const at = (timeMs: number): Call => {
    nowMs = timeMs;
    return { ...own, nowMs };
  };
  const people = createPeople(call);
  const agenda = createAgenda(day.untilMs, chance);
  for (const [index, act] of registrations(call).entries())
    agenda.add({ atMs: day.fromMs + (1 + index) * MINUTE_MS, kind: 'registration', act });
  for (let joined = 0; joined < day.joining; joined++) {
    // Early, so that a single day has users.
    const part = chance.fraction() ** 3;
    agenda.add({
      atMs: day.fromMs + Math.floor(part * (day.untilMs - day.fromMs)),
      kind: 'onboarding',
      act: userActs.onboarding,
    });
  }
  const outage = createOutage(own, chance, day);
  let events = 0;
  for (let hourMs = day.fromMs; hourMs < day.untilMs; hourMs += HOUR_MS) {
    const endMs = Math.min(hourMs + HOUR_MS, day.untilMs);
    people.refresh();
    plan(agenda, chance, { fromMs: hourMs, endMs, users: people.list.length });
    for (let next = agenda.next(endMs); next; next = agenda.next(endMs)) {
      const then = at(next.atMs);
      events += advance(then, false);
      steps.splice(0).forEach(tally.step);
      const { atMs, kind } = next;
      const later = (delayMs: number, what: Kind, act: Act) =>
        agenda.follow({ atMs: atMs + delayMs, kind: what, act }, atMs);
      tally.ask({ call: then, chance, people: people.list, later, failed: tally.failed }, kind, next.act);
      steps.splice(0).forEach(tally.step);
      outage.pass(then);
    }
  }
  events += advance(at(day.untilMs), false);
  steps.splice(0).forEach(tally.step);
  return { ...tally.report(), events, lostAttempts: outage.attempts() };
}

/** Adds what happens within an hour. */
function plan(
  agenda: Agenda,
  chance: Chance,
  { fromMs, endMs, users }: { readonly fromMs: number; readonly endMs: number; readonly users: number },
): void {
  const part = (endMs - fromMs) / HOUR_MS;
  for (const [kind, rate] of RATED) {
    const count = chance.around(meanInHour(rate, fromMs, users) * part);
    for (let at = 0; at < count; at++)
      agenda.add({ atMs: fromMs + chance.below(endMs - fromMs), kind, act: ACTS[kind] });
  }
}

interface Agenda {
  add(planned: Planned): void;
  /** Adds what follows from something at `fromMs`. It happens within the day, sooner if it must. */
  follow(planned: Planned, fromMs: number): void;
  /** Takes the next one before `endMs`. */
  next(endMs: number): Planned | undefined;
}

/** What is to happen, in order; what has one time, in the order of its adding. */
function createAgenda(untilMs: number, chance: Chance): Agenda {
  // The next one is the last, so that taking it moves nothing.
  const planned: Planned[] = [];
  const add = (one: Planned) => {
    let [low, high] = [0, planned.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((planned[middle]?.atMs ?? 0) >= one.atMs) low = middle + 1;
      else high = middle;
    }
    planned.splice(low, 0, one);
  };
  return {
    add,
    follow: (one, fromMs) =>
      add(one.atMs < untilMs ? one : { ...one, atMs: fromMs + chance.below(Math.max(1, untilMs - fromMs)) }),
    next: (endMs) => ((planned.at(-1)?.atMs ?? endMs) < endMs ? planned.pop() : undefined),
  };
}

interface PersonRow {
  readonly id: bigint;
  readonly user_id: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly active: bigint;
  readonly number: string;
  readonly wallet: bigint;
  readonly address: string;
}

/** The verified users. */
function createPeople({ store, fintech }: Call): { readonly list: readonly Person[]; refresh(): void } {
  const list: Person[] = [];
  return {
    list,
    refresh: () => {
      const rows = store.all<PersonRow>(
        `SELECT user.id, user.user_id, first_name, last_name, active, account.number, wallet.id AS wallet, wallet.address FROM user
         JOIN virtual_account AS account ON account.user = user.id AND account.kind = 'user_permanent'
         JOIN wallet ON wallet.user = user.id AND wallet.kind = 'managed' WHERE user.fintech = ? AND user.id > ? ORDER BY user.id`,
        fintech.id,
        list.at(-1)?.id ?? 0n,
      );
      for (const row of rows)
        list.push({
          id: row.id,
          userId: row.user_id,
          name: [row.first_name, row.last_name].filter(Boolean).join(' '),
          accountNumber: row.number,
          wallet: row.wallet,
          address: row.address,
          isActive: row.active === 1n,
        });
    },
  };
}

/** The kind whose work a state machine does. Those of withdrawals are told apart by their rows. */
const KIND_OF: Readonly<Record<string, Kind>> = {
  onboarding: 'onboarding',
  deposit: 'user-deposit',
  onramp: 'onramp',
  offramp: 'offramp',
  payout: 'payout',
  bridge: 'bridge',
  swap: 'swap',
  trade: 'trade',
  'fee-withdrawal': 'fee-withdrawal',
};

/** What an event of a state machine means where its name does not say it. */
const REASON_OF: Readonly<Record<string, string>> = {
  failed: 'transfer-failed',
  rejected: 'bvn-not-verified',
  expired: 'not-paid-in-time',
  signed: 'signed-too-late',
  'lock-elapsed': 'not-signed-in-time',
  'review-elapsed': 'not-reviewed-in-time',
  'deposit-refused': 'wrong-sender',
};

/** The states in which work has failed. A refund was counted with its reason when the deposit arrived. */
const FAILED_STATES = ['failed', 'cancelled', 'reversed', 'expired'];

function createTally({ store }: Call) {
  const asked = new Map<string, Asked>();
  const failures = new Map<string, Failed>();
  const rowOf = (kind: Kind, asset: Asset | null) => {
    const key = `${kind} ${asset}`;
    const row = asked.get(key) ?? { kind, asset, requests: 0, rejected: 0, minor: 0n };
    asked.set(key, row);
    return row;
  };
  const failed = (kind: Kind, reason: string) => {
    const code = reason.toUpperCase().replaceAll('-', '_');
    const key = `${kind} ${code}`;
    const row = failures.get(key) ?? { kind, code, count: 0 };
    row.count += 1;
    failures.set(key, row);
  };
  const withdrawalKind = (subject: bigint): Kind => {
    const row = store.get<{ user: bigint | null }>('SELECT user FROM withdrawal WHERE id = ?', subject);
    return row?.user === null ? 'transfer' : 'token-withdrawal';
  };
  return {
    failed,
    step: ({ machine, subject, to, on }: Step) => {
      if (!FAILED_STATES.includes(to)) return;
      const kind = KIND_OF[machine] ?? (machine === 'withdrawal' ? withdrawalKind(subject) : undefined);
      if (kind) failed(kind, REASON_OF[on] ?? on);
    },
    ask: (life: Life, kind: Kind, act: Act) => {
      try {
        const moved = life.call.store.savepoint(() => act(life));
        if (moved === undefined) return;
        const row = rowOf(kind, moved?.asset ?? null);
        row.requests += 1;
        row.minor += moved?.minor ?? 0n;
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        const row = rowOf(kind, null);
        row.requests += 1;
        row.rejected += 1;
        failed(kind, conditionOf(error.fault));
      }
    },
    report: () => ({ asked: [...asked.values()], failed: [...failures.values()] }),
  };
}
