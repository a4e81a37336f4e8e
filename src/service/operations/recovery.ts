import { Fault } from '../../contract/faults.ts';
import type { Call } from '../context.ts';
import type { Operations } from '../operation.ts';
import { retryStuck } from '../schedule.ts';

/** Every table of requests, and the column of the id that its fintech knows. */
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

interface Subject {
  readonly table: string;
  readonly id: bigint;
}

function findRequest({ store, fintech }: Call, requestId: string): Subject | undefined {
  for (const [table, column] of REQUESTS) {
    const sql = `SELECT id FROM ${table} WHERE ${column} = ? AND fintech = ?`;
    const row = store.get<{ id: bigint }>(sql, requestId, fintech.id);
    if (row) return { table, id: row.id };
  }
  return undefined;
}

/** A request and what goes on in its name: the swap of an onramp. */
function partsOf({ store }: Call, request: Subject): Subject[] {
  if (request.table !== 'onramp') return [request];
  const swaps = store.all<{ id: bigint }>('SELECT id FROM swap WHERE onramp = ?', request.id);
  return [request, ...swaps.map(({ id }) => ({ table: 'swap', id }))];
}

/** Whatever of the request broke is tried once more, with the next request to the sandbox. Nothing stuck is no error. */
function recover(call: Call, requestId: string): Record<string, never> {
  const request = findRequest(call, requestId);
  if (!request) throw new Fault('NOT_FOUND', 'no request of this fintech has this id');
  for (const { table, id } of partsOf(call, request)) retryStuck(call, table, id);
  return {};
}

const byQuery: Operations['transactions.recover-status'] = (call, { requestId }) => recover(call, requestId);
const byBody: Operations['transactions.recover-status-post'] = (call, { requestId }) => recover(call, requestId);

export const recoveryOperations = {
  'transactions.recover-status': byQuery,
  'transactions.recover-status-post': byBody,
} satisfies Partial<Operations>;
