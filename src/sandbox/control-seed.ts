import type { sandboxSeed } from '../contract/control.ts';
import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import type { Call } from '../service/context.ts';
import { totalsOf } from '../service/movements.ts';
import { operations } from '../service/operations/index.ts';
import { PACES } from '../service/pace.ts';
import { advance } from '../service/schedule.ts';
import { addHistory } from '../service/seed/history.ts';
import { changeSettings } from '../service/settings.ts';
import { count, onOrOff } from './control-status.ts';

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

const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
/** A history is over when it is written: its last transaction had this long to complete. */
const COMPLETED_MS = 5 * 60_000;
/** How many users a history is about. */
const HISTORY_USERS = 40;

/** Users who were there before a history begins, made as of then where there are too few. */
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

/** Changes the settings that are given, then adds users and transactions. */
export function seedMore(call: Call, request: RequestOf<typeof sandboxSeed>): ResponseOf<typeof sandboxSeed> {
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
    users: count(call, 'SELECT COUNT(*) AS n FROM user'),
    transactions: totals.in.movements + totals.out.movements,
    pace: settings.pace,
    rateLimits: onOrOff(settings.rateLimits),
  };
}
