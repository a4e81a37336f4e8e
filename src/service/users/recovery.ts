import { Fault } from '../../contract/faults.ts';
import type { Call, OperationsOf } from '../context.ts';
import { MACHINES } from '../machines.ts';
import { retryStuck } from '../schedule.ts';

interface RequestSubject {
  readonly table: string;
  readonly id: bigint;
}

function findRequest({ store, fintech }: Call, requestId: string): RequestSubject | undefined {
  for (const { table, idColumn = 'request_id' } of MACHINES) {
    const sql = `SELECT id FROM ${table} WHERE ${idColumn} = ? AND fintech = ?`;
    const row = store.get<{ id: bigint }>(sql, requestId, fintech.id);
    if (row) return { table, id: row.id };
  }
  return undefined;
}

/** Returns a request and the work it started, such as an onramp's swap. */
function partsOf({ store }: Call, request: RequestSubject): RequestSubject[] {
  if (request.table !== 'onramp') return [request];
  const swaps = store.all<{ id: bigint }>('SELECT id FROM swap WHERE onramp = ?', request.id);
  return [request, ...swaps.map(({ id }) => ({ table: 'swap', id }))];
}

/**
 * Retries whatever broke of a request, on the next request to the sandbox. A request with nothing stuck is not an
 * error.
 */
function recover(call: Call, requestId: string): Record<string, never> {
  const request = findRequest(call, requestId);
  if (!request) throw new Fault('NOT_FOUND', 'this fintech has no request with this id');
  for (const { table, id } of partsOf(call, request)) retryStuck(call, table, id);
  return {};
}

export const recoveryOperations = {
  'transactions.recover-status': (call, { requestId }) => recover(call, requestId),
  'transactions.recover-status-post': (call, { requestId }) => recover(call, requestId),
} satisfies OperationsOf<'recovery'>;
