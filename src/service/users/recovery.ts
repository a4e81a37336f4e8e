import { Fault } from '../../contract/faults.ts';
import type { Call, Operations } from '../context.ts';
import { retryStuck } from '../schedule.ts';

/** Every table of requests, with the column of its public id. */
const REQUESTS = [
  ['onboarding', 'request_id'],
  ['onramp', 'request_id'],
  ['offramp', 'request_id'],
  ['payout', 'request_id'],
  ['withdrawal', 'request_id'],
  ['swap', 'request_id'],
  ['bridge', 'request_id'],
  ['fee_withdrawal', 'withdrawal_id'],
  ['deposit', 'deposit_id'],
  ['fx_trade', 'trade_id'],
] as const;

interface RequestSubject {
  readonly table: string;
  readonly id: bigint;
}

function findRequest({ store, fintech }: Call, requestId: string): RequestSubject | undefined {
  for (const [table, column] of REQUESTS) {
    const sql = `SELECT id FROM ${table} WHERE ${column} = ? AND fintech = ?`;
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
} satisfies Partial<Operations>;
