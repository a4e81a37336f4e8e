import type { Step } from '../../service/context.ts';
import type { Machine } from '../../service/machine.ts';
import { MACHINES } from '../../service/machines.ts';
import type { Service } from '../../service/service.ts';
import type { Database, SqlValue } from '../../sqlite/database.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { Life, List, Row, RowQuery } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';

const idColumnOf = ({ idColumn = 'request_id' }: Machine<never>) => idColumn;

const machineNamed = (kind: string) => MACHINES.find(({ name }) => name === kind);

/** The steps of work that this process saw. The oldest are forgotten. */
export interface StepLog {
  readonly onStep: (step: Step) => void;
  of(machine: string, subject: bigint): readonly Step[];
}

const MOST_WORK = 5_000;

export function createStepLog(): StepLog {
  const stepsOf = new Map<string, Step[]>();
  return {
    onStep: (step) => {
      const key = `${step.machine} ${step.subject}`;
      const steps = stepsOf.get(key) ?? [];
      stepsOf.delete(key);
      stepsOf.set(key, [...steps, step]);
      if (stepsOf.size > MOST_WORK) for (const oldest of stepsOf.keys()) return void stepsOf.delete(oldest);
    },
    of: (machine, subject) => stepsOf.get(`${machine} ${subject}`) ?? [],
  };
}

interface WorkRow {
  readonly subject: bigint;
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly created_at: bigint;
}

const selected = (machine: Machine<never>) =>
  `SELECT id AS subject, '${machine.name}' AS kind, ${idColumnOf(machine)} AS id, state, created_at FROM ${machine.table}`;

const ALL = MACHINES.map(selected).join(' UNION ALL ');
const ADDED = MACHINES.map((machine) => `${selected(machine)} WHERE id > ?`).join(' UNION ALL ');
const TABLES = MACHINES.map((machine) => ({ table: machine.table, name: idColumnOf(machine) }));
const STATES = [
  ...new Set(MACHINES.flatMap(({ transitions }) => transitions.flatMap(({ from, to }) => [...from, to]))),
];

const rowOf = ({ kind, id, state, created_at: at }: WorkRow): Row => ({
  id,
  kind,
  state,
  at: new Date(Number(at)).toISOString(),
});

/** What belongs to work, read from where it is recorded. */
type Belongings = (id: string) => Promise<object> | object;

/** Work, by the table and the row that it is in. */
type WorkKey = Pick<WorkRow, 'kind' | 'subject'>;

/** Everything that goes through states. */
export function lifeList(service: Service, steps: StepLog, belongings: Belongings): List {
  const { store } = service;
  const find = (filter: Pick<RowQuery, 'text' | 'state'>, since: Ends | undefined) => ({
    last: endsOf(store, TABLES),
    items: subjectsAfter(store, filter, since),
  });
  const matches = rememberMatches({ find, isStill: (last) => areThere(store, TABLES, last) });
  return {
    kinds: MACHINES.map(({ name }) => name),
    page: (query) =>
      service.submit('read', () => {
        // States change, so what is in one is looked for anew.
        const mayBeState = query.text !== '' && STATES.some((state) => state.includes(query.text.toLowerCase()));
        const found = mayBeState ? { ...find(query, undefined), generation: 0 } : matches(query);
        return pageOfMatches(found, query, (subject) => workOf(store, subject));
      }),
    detail: async (id) => {
      const work = await service.submit('read', () => {
        const row = store.get<WorkRow>(`SELECT * FROM (${ALL}) WHERE id = ?`, id);
        return row && { ...rowOf(row), life: lifeOf(row, steps), postings: setsOf(store, id) };
      });
      return work && { ...work, ...(await belongings(id)) };
    },
  };
}

function subjectsAfter(
  store: Database,
  { text, state }: Pick<RowQuery, 'text' | 'state'>,
  since: Ends | undefined,
): WorkKey[] {
  const values: SqlValue[] = TABLES.map((_, at) => since?.[at]?.id ?? 0n);
  const conditions: string[] = [];
  if (state !== '') {
    conditions.push('kind = ?');
    values.push(state);
  }
  if (text !== '') {
    conditions.push(`instr(lower(kind || ' ' || id || ' ' || state), ?) > 0`);
    values.push(text.toLowerCase());
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return store.all<WorkKey>(`SELECT kind, subject FROM (${ADDED}) ${where} ORDER BY created_at, id`, ...values);
}

function workOf(store: Database, { kind, subject }: WorkKey): Row | undefined {
  const machine = machineNamed(kind);
  const row = machine && store.get<WorkRow>(`${selected(machine)} WHERE id = ?`, subject);
  return row && rowOf(row);
}

function setsOf(store: Database, subject: string) {
  const sql = 'SELECT id, event, created_at FROM posting_set WHERE subject = ? ORDER BY id LIMIT 50';
  return store
    .all<{ id: bigint; event: string; created_at: bigint }>(sql, subject)
    .map(({ id, event, created_at: at }) => ({ id: String(id), event, at: new Date(Number(at)).toISOString() }));
}

/** The states of a machine, how one leads to another, and the path that this work took. */
function lifeOf({ kind, subject, state, created_at: at }: WorkRow, log: StepLog): Life | undefined {
  const machine = machineNamed(kind);
  if (!machine) return undefined;
  const steps = machine.transitions.flatMap(({ from, to, on }) => from.map((each) => ({ from: each, to, on })));
  const states = [...new Set(steps.flatMap(({ from, to }) => [from, to]))];
  const start = states.find((each) => steps.every(({ to }) => to !== each)) ?? states[0] ?? state;
  const stepsOf = log.of(kind, subject);
  const isoTime = (timeMs: number | bigint) => new Date(Number(timeMs)).toISOString();
  // What was undone after it was stepsOf leads elsewhere.
  if (stepsOf[0]?.from === start && stepsOf.at(-1)?.to === state) {
    const path = stepsOf.map((each) => ({ state: each.to, at: isoTime(each.atMs) }));
    return { states, steps, state, path: [{ state: start, at: isoTime(at) }, ...path], isObserved: true };
  }
  const path = shortest(steps, start, state).map((each) => ({ state: each, at: each === start ? isoTime(at) : null }));
  return { states, steps, state, path, isObserved: path.length < 2 };
}

/** The shortest way from one state to another. */
function shortest(steps: Life['steps'], from: string, to: string): string[] {
  const ways = [[from]];
  const reached = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1);
    if (last === to) return way;
    for (const step of steps)
      if (step.from === last && !reached.has(step.to)) {
        reached.add(step.to);
        ways.push([...way, step.to]);
      }
  }
  return [to];
}
