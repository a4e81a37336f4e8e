import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { MACHINES } from '../../service/machines.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { pageOfMatches, rememberMatches } from '../matches.ts';
import type { List, Row, RowFilter, RowSum } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';
import type { StepLog } from './lives.ts';
import { machineNamed, selected, TABLES } from './work-columns.ts';
import { type Belongings, workDetail } from './work-detail.ts';
import { conditionOf, lookOfWork, mayBeState } from './work-filter.ts';
import { ALL_WORK, rowOfWork, type WorkRow } from './work-row.ts';

const ADDED = MACHINES.map((machine) => `${selected(machine)} WHERE id > ?`).join(' UNION ALL ');

/** Work, by the table and the row that it is in. */
type WorkKey = Pick<WorkRow, 'kind' | 'subject'>;

/** Everything that goes through states. */
export function workList(service: Service, steps: StepLog, belongings: Belongings): List {
  const { store } = service;
  const find = (filter: RowFilter, since: Ends | undefined) => ({
    last: endsOf(store, TABLES),
    items: subjectsAfter(store, filter, since),
  });
  const matches = rememberMatches({ find, isStill: (last) => areThere(store, TABLES, last) });
  return {
    kinds: MACHINES.map(({ name }) => name),
    filters: ['look', 'time', 'user', 'amount'],
    page: (query) =>
      service.submit('read', ({ nowMs }) => {
        // States change, so what is in one is looked for anew.
        const isAnew = mayBeState(query.text) || Boolean(query.look);
        const found = isAnew ? { ...find(query, undefined), generation: 0 } : matches(query);
        const page = pageOfMatches(found, query, (subject) => workOf(store, subject));
        return { ...page, now: new Date(nowMs).toISOString() };
      }),
    detail: (id) => workDetail(service, steps, belongings, id),
    sums: (filter) => service.submit('read', () => sumsOf(store, filter)),
  };
}

function subjectsAfter(store: Database, filter: RowFilter, since: Ends | undefined): WorkKey[] {
  const { sql, values } = conditionOf(filter);
  const after = TABLES.map((_, at) => since?.[at]?.id ?? 0n);
  return store.all<WorkKey>(`SELECT kind, subject FROM (${ADDED}) ${sql} ORDER BY created_at, id`, ...after, ...values);
}

function workOf(store: Database, { kind, subject }: WorkKey): Row | undefined {
  const machine = machineNamed(kind);
  const row = machine && store.get<WorkRow>(`${selected(machine)} WHERE id = ?`, subject);
  return row && rowOfWork(row);
}

/** What matching work moves, and how much of it has ended well. */
function sumsOf(store: Database, filter: RowFilter): RowSum[] {
  const { sql, values } = conditionOf(filter);
  const rows = store.all<{ kind: string; state: string; asset: Asset; minor: bigint }>(
    `SELECT kind, state, asset, sum(minor) AS minor FROM (${ALL_WORK}) ${sql} GROUP BY kind, state, asset HAVING asset IS NOT NULL`,
    ...values,
  );
  return [...Map.groupBy(rows, ({ asset }) => asset)].map(([asset, of]) => {
    const total = (all: typeof rows) =>
      amountForPeople(
        amount(
          asset,
          all.reduce((sum, { minor }) => sum + minor, 0n),
        ),
      );
    return {
      asset,
      amount: total(of),
      done: total(of.filter(({ kind, state }) => lookOfWork(kind, state) === 'done')),
    };
  });
}
