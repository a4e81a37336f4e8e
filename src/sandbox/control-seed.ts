import type { sandboxSeed } from '../contract/control.ts';
import type { RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { Fault } from '../contract/faults.ts';
import type { Call } from '../service/context.ts';
import { totalsOf } from '../service/history/movements.ts';
import { PACES } from '../service/pace.ts';
import { advance } from '../service/schedule.ts';
import { addHistory } from '../service/seed/history.ts';
import { changeSettings } from '../service/settings.ts';
import { usersOperations } from '../service/users/operation.ts';
import { count, onOrOff } from './control-status.ts';

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
