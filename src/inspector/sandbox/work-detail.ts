import { meaningOf } from '../../copy/questions/typed.ts';
import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import type { PlainObject } from '../../present/plain.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { reasonIn } from '../../things/fields.ts';
import { waitOf } from '../../things/states.ts';
import type { Thing } from '../../things/thing.ts';
import { cutBody } from '../bodies.ts';
import { type ShownAmount, shownFacts } from '../facts.ts';
import type { Life, Moment, Row } from '../source.ts';
import { lifeOf, type StepLog } from './lives.ts';
import { paymentOfWork } from './payments.ts';
import type { postingReader, SetRow } from './postings.ts';
import { type Owner, recordOf } from './record.ts';
import { machineNamed, WORK_COLUMNS } from './work-columns.ts';
import { statusOfWork, thingOfWork } from './work-filter.ts';
import { ALL_WORK, rowOfWork, type WorkRow } from './work-row.ts';

/** What belongs to work, read from where it is recorded. */
export interface Belongings {
  requests(id: string): readonly Row[];
  events(id: string): Promise<readonly Row[]>;
  readonly postings: ReturnType<typeof postingReader>;
}

const MOST_SETS = 30;

const isoTime = (timeMs: number | bigint) => new Date(Number(timeMs)).toISOString();

/** Everything about a piece of work: what it moves, for whom, what happened to it, and what it left in the ledger. */
export async function workDetail(service: Service, steps: StepLog, belongings: Belongings, id: string) {
  const { store } = service;
  const known = await service.submit('read', ({ nowMs }) => {
    const row = store.get<WorkRow>(`SELECT * FROM (${ALL_WORK}) WHERE id = ?`, id);
    return row && { row, nowMs, ...inStore(store, row, belongings), life: lifeOf(row, steps) };
  });
  if (!known) return undefined;
  const { row, nowMs, owner, sums, postings, paidBy, user, life, pays } = known;
  const thing = thingOfWork(row.kind, row.user !== null);
  const record = (thing && owner && (await recordOf(service, thing, owner, id, Number(row.created_at)))) ?? {};
  const { amounts, facts, times } = thing ? shownFacts(thing, record) : { amounts: [], facts: [], times: [] };
  const events = await belongings.events(id);
  return {
    ...rowOfWork(row),
    now: isoTime(nowMs),
    user,
    of: owner?.name ?? null,
    waits: thing && row.ended_at === null ? waitsFor(thing, statusOfWork(row.kind, row.state)) : null,
    means: thing ? meaningIn(thing, row, record, nowMs) : null,
    amounts: amountsWith(amounts, sums),
    facts,
    row: cutBody(JSON.stringify(record)),
    timeline: timelineOf(life, times, events, belongings.requests(id)),
    life,
    paidBy,
    postings,
    pays,
  };
}

const waitsFor = (thing: Thing, state: string) => {
  const meaning = thing.states && Object.hasOwn(thing.states, state) ? thing.states[state] : undefined;
  return meaning && 'ends' in meaning ? null : waitOf(thing, [state]).waits;
};

const meaningIn = (thing: Thing, { id, kind, state, created_at: at }: WorkRow, record: PlainObject, nowMs: number) =>
  meaningOf({
    thing,
    id,
    status: statusOfWork(kind, state),
    sinceMs: Number(at),
    nowMs,
    reason: reasonIn(thing, record),
  }) ?? null;

interface PaidBy {
  readonly id: string;
  readonly state: string;
  readonly at: string;
  readonly amount: string;
  readonly who: string;
}

/** What the tables of the sandbox say of work besides its row. */
function inStore(store: Database, row: WorkRow, { postings }: Belongings) {
  const machine = machineNamed(row.kind);
  const owner = store.get<Owner>(
    `SELECT id, fintech_id, name FROM fintech WHERE id = (SELECT fintech FROM ${machine?.table} WHERE id = ?)`,
    row.subject,
  );
  const user =
    row.user === null
      ? null
      : (store.get<{ userId: string; who: string }>(
          `SELECT user_id AS userId, concat_ws(' ', first_name, middle_name, last_name) AS who FROM user WHERE id = ?`,
          row.user,
        ) ?? null);
  const sets = store.all<SetRow>('SELECT * FROM posting_set WHERE subject = ? ORDER BY id LIMIT ?', row.id, MOST_SETS);
  const paid = row.kind === 'onramp' ? store.all<WorkRow & { minor: bigint }>(PAYMENTS, row.subject) : [];
  const paidBy = paid.map(
    ({ id, state, created_at: at, minor, who }): PaidBy => ({
      ...{ id, state, at: isoTime(at), who: who ?? '' },
      amount: amountForPeople(amount('NGN', minor)),
    }),
  );
  return {
    ...{ owner, user, paidBy, sums: sumsOf(store, row), pays: paymentOfWork(store, row) },
    postings: postings(sets).map(({ id, event, created_at: at, ...set }) => ({
      ...{ id: String(id), event, at: isoTime(at) },
      ...{ postings: set.postings, sums: set.sums },
    })),
  };
}

const PAYMENTS = `SELECT deposit_id AS id, state, created_at, amount_kobo AS minor, sender_name AS who
  FROM deposit WHERE onramp = ? ORDER BY id LIMIT 20`;

/** The sums that the sandbox has of work; one that it does not have yet is not known. */
function sumsOf(store: Database, { kind, subject }: WorkRow): ShownAmount[] {
  const { minor, asset: ofSum, amounts = [] } = WORK_COLUMNS[kind] ?? {};
  const main = minor !== undefined && ofSum !== undefined ? [['Amount', minor, ofSum] as const] : [];
  return [...main, ...amounts].map(([title, column, asset]) => {
    const sum = store.get<{ minor: bigint | null; asset: Asset }>(
      `SELECT ${column} AS minor, ${asset} AS asset FROM ${machineNamed(kind)?.table} WHERE id = ?`,
      subject,
    );
    const isKnown = sum !== undefined && sum.minor !== null;
    return isKnown
      ? { title, text: amountForPeople(amount(sum.asset, sum.minor ?? 0n)), why: null }
      : { title, text: null, why: 'it is not decided yet' };
  });
}

/** What only the sandbox knows stands beside what the service states, and in the place of what it does not. */
function amountsWith(stated: readonly ShownAmount[], own: readonly ShownAmount[]): readonly ShownAmount[] {
  if (own.length === 0) return stated;
  const known = stated.filter(({ text }) => text !== null);
  const isKnown = new Set(known.map(({ title }) => title));
  return [...known, ...own.filter(({ title }) => !isKnown.has(title))];
}

/** What happened to work, in order: its states, what the service says of its times, its events and the requests about it. */
function timelineOf(
  life: Life | undefined,
  times: readonly { readonly at: string; readonly what: string }[],
  events: readonly Row[],
  requests: readonly Row[],
): readonly Moment[] {
  const path = (life?.path ?? []).flatMap(({ state, at }): Moment[] =>
    at === null ? [] : [{ at, what: state, source: 'state' }],
  );
  const isStated = new Set(path.map(({ at }) => at));
  return [
    ...path,
    ...times.filter(({ at }) => !isStated.has(at)).map((each): Moment => ({ ...each, source: 'service' })),
    ...events.map(
      ({ id, at, event, state, look }): Moment => ({
        ...{ at: String(at), what: String(event), source: 'event', list: 'events', id },
        ...{ state: String(state), look: String(look) },
      }),
    ),
    ...requests.map(
      ({ id, at, sandboxAt, operation, path: url, status, look }): Moment => ({
        ...{ at: String(sandboxAt ?? at), machineAt: String(at), what: String(operation ?? url), source: 'request' },
        ...{ list: 'requests', id, state: String(status ?? 'dropped'), look: String(look) },
      }),
    ),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
