import { elementOf, fieldOf, unwrap } from '../contract/rows.ts';
import type { Account } from '../engine/account.ts';
import { ALWAYS } from '../engine/lists/cursor.ts';
import { listingOf } from '../engine/lists/listing-of.ts';
import { PAGE_SIZE, startReading } from '../engine/lists/pages.ts';
import type { Operation } from '../journal/operations.ts';
import { type Plain, rowConverter } from '../present/plain.ts';
import { reasonIn, valueAt } from '../things/fields.ts';
import { outcomeIn } from '../things/states.ts';
import type { ServiceList, Thing, WorkOutcome } from '../things/thing.ts';

/** How much older than its operation a row of a list may seem: the clocks of the service and of this machine differ. */
const SKEW_MS = 10 * 60_000;

/** A row of the service's list, as far as a file says it. */
interface ListedRow {
  readonly requestId: string;
  readonly outcome: WorkOutcome;
  readonly reason: string | undefined;
  /** As -o json prints it; null if the list does not say it. */
  readonly fee: Plain;
}

/** Yields the rows of a list that operations have started, newest first, until all were found or the list is older than they are. */
export async function* listedRows(
  account: Account,
  thing: Thing & { readonly list: ServiceList },
  operations: readonly Operation[],
): AsyncGenerator<ListedRow> {
  const { list } = thing;
  const open = new Set(operations.flatMap(({ requestId }) => requestId ?? []));
  if (open.size === 0) return;
  const oldestMs = Math.min(...operations.map(({ createdAt }) => Date.parse(createdAt))) - SKEW_MS;
  const listing = listingOf(list, thing.types?.length === 1 ? { type: thing.types[0] } : {});
  const reading = await startReading(
    { account, listing, list: list.name, point: undefined, period: ALWAYS },
    PAGE_SIZE,
  );
  const rows = fieldOf(list.endpoint.response(), list.rows);
  const plain = rowConverter(rows && elementOf(unwrap(rows).schema), []);
  const feeFields = list.facts.find(({ title }) => title === 'Fee')?.fields ?? [];
  for await (const page of reading.pages) {
    for (const row of page) {
      const requestId = String(valueAt(row, list.id));
      if (!open.delete(requestId)) continue;
      const outcome = outcomeIn(thing, String(valueAt(row, list.status) ?? ''));
      const shown = plain(row);
      const fee = feeFields.map((field) => valueAt(shown, field)).find((value) => value != null);
      yield { requestId, outcome, reason: reasonIn(thing, row), fee: (fee ?? null) as Plain };
    }
    const last = Date.parse(String(valueAt(page.at(-1), list.createdAt)));
    if (open.size === 0 || last < oldestMs) return;
  }
}

/** Whether a list shows what a thing is. */
export const isListed = (thing: Thing): thing is Thing & { readonly list: ServiceList } => thing.list !== undefined;
