import { isOwn } from '../../copy/questions/look.ts';
import type { Account } from '../../engine/account.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Operation } from '../../journal/operations.ts';
import { NEXT } from '../../journal/states.ts';
import { amountForPeople } from '../../money/amount.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import { cutBody } from '../bodies.ts';
import { type Held, MOST_HELD } from '../held.ts';
import { lookOfOperation } from '../look.ts';
import type { Life, Row } from '../source.ts';
import { rowOfEvent } from './events.ts';

const PAGE = 500;

/** A journal that others share may have few operations of this profile: no more of it than this is read. */
const MOST_READ = 20_000;

/** How many events of an operation are listed with it. */
const MOST_EVENTS = 50;

function rowOf(operation: Operation): Row {
  const { operationId: id, createdAt: at, kind, state, summary, moves, runBy, requestId } = operation;
  return {
    id,
    at,
    kind,
    state,
    summary,
    look: lookOfOperation(operation),
    amount: moves && amountForPeople(moves),
    asset: moves?.asset ?? null,
    minor: moves ? String(moves.minor) : null,
    who: runBy,
    subject: requestId,
  };
}

/** The newest operations of the profile, among the newest of the journal. */
export async function newestOperations(account: Account): Promise<Held> {
  const journal = await existingJournal(account);
  const rows: Row[] = [];
  let after: Operation | undefined;
  // By time, and not by account: SQLite would sort all of several accounts for each page.
  for (let read = 0; journal && read < MOST_READ; read += PAGE) {
    const page: readonly Operation[] = await journal.list({ limit: PAGE, after });
    rows.push(...page.filter((each) => isOwn(account, each)).map(rowOf));
    if (page.length < PAGE) return heldOf(rows, false);
    after = page.at(-1);
    if (rows.length > MOST_HELD) break;
  }
  return heldOf(rows, journal !== undefined);
}

const heldOf = (rows: readonly Row[], hasOlder: boolean): Held => ({
  rows: rows.slice(0, MOST_HELD).toReversed(),
  hasOlder: hasOlder || rows.length > MOST_HELD,
});

/** Everything that the journal says about an operation, with the events that came about its work. */
export async function operationOf(account: Account, inbox: () => Promise<Inbox | undefined>, id: string) {
  const journal = await existingJournal(account);
  const operation = (await journal?.find(id))?.find((each) => each.operationId === id && isOwn(account, each));
  if (!journal || !operation) return undefined;
  const { endpoint, command, verdict, idempotencyKey, detail, request, result, requestId, host } = operation;
  const transitions = await journal.transitions(id);
  const events = requestId === null ? [] : ((await (await inbox())?.list({ requestId, limit: MOST_EVENTS })) ?? []);
  return {
    ...rowOf(operation),
    endpoint,
    command,
    verdict,
    idempotencyKey,
    detail,
    host,
    request: cutBody(request),
    result: result === null ? null : cutBody(result),
    life: lifeOf(transitions, operation.state),
    changes: transitions.map(({ state, at, detail: why, host: where }) => ({ state, at, detail: why, host: where })),
    events: events.map(rowOfEvent),
  };
}

function lifeOf(transitions: readonly { readonly state: string; readonly at: string }[], state: string): Life {
  const states = Object.keys(NEXT);
  const steps = Object.entries(NEXT).flatMap(([from, next]) =>
    // To look again changes no state.
    next.filter((to) => to !== from).map((to) => ({ from, to, on: to })),
  );
  const path = transitions.filter((each, at) => each.state !== transitions[at - 1]?.state);
  return { states, steps, state, path: path.map((each) => ({ state: each.state, at: each.at })), isObserved: true };
}
