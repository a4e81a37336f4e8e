import { payouts } from '../things/bank-transfers.ts';
import { deposits } from '../things/deposits.ts';
import { timesOf, valueAt } from '../things/fields.ts';
import { thingOfRow } from '../things/index.ts';
import { endsOf } from '../things/states.ts';
import type { RowOf, ServiceList } from '../things/thing.ts';
import { onboarding, users } from '../things/users.ts';
import type { ListedWork } from './gaps.ts';

/** What the service still sends of an operation that just changed. Source: inferred. */
export const GRACE_MS = 5 * 60_000;

type Text = string | null | undefined;

const textAt = (row: unknown, field: string): Text => {
  const value = valueAt(row, field);
  return typeof value === 'string' ? value : undefined;
};

/** What a row says besides what the record of its list knows, by the name of the list. */
const SEEN: Readonly<Record<string, (row: never) => Partial<ListedWork>>> = {
  [users.name]: userSeen,
  [deposits.name]: depositSeen,
  [payouts.name]: ({ transferTxHash }: RowOf<typeof payouts>) => ({ isTransferred: transferTxHash != null }),
};

/** Returns the work that a row of a list shows, in the form that -o json prints. */
export function workOf(list: ServiceList, row: unknown): ListedWork {
  const { id, status, createdAt, otherIds = [], facts } = list;
  const type = textAt(row, 'type');
  const { types, name } = thingOfRow(list.name, type);
  const later = timesOf({ facts }).map(({ fields: [field = ''] }) => field);
  return {
    kind: types ? (type ?? '') : name,
    ids: [id, ...otherIds].flatMap((field) => textAt(row, field) ?? []),
    status: textAt(row, status) ?? '',
    createdAt: textAt(row, createdAt) ?? null,
    changedAt: later.filter((field) => field !== createdAt).map((field) => textAt(row, field)),
    userId: textAt(row, 'userId'),
    ...SEEN[list.name]?.(row as never),
  };
}

/** The event of an onboarding happens when the user is verified. */
export const verifiedAt = (user: { readonly verifiedAt?: Text; readonly createdAt?: Text }) =>
  user.verifiedAt ?? user.createdAt;

/** Whether every word of a sender's name is in the name of the account. */
function isOwner(sender: string, account: string): boolean {
  const wordsOf = (name: string): readonly string[] => name.toUpperCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const known = wordsOf(account);
  const words = wordsOf(sender);
  return words.length > 0 && words.every((word) => known.includes(word));
}

function depositSeen(row: RowOf<typeof deposits>): Partial<ListedWork> {
  const { virtualAccountNumber: accountNumber, depositor, virtualAccountName } = row;
  return { accountNumber, isSentByOwner: isOwner(depositor?.name ?? '', virtualAccountName ?? '') };
}

/** The list has verified users alone, so it says no status. */
function userSeen(row: RowOf<typeof users>): Partial<ListedWork> {
  const [status] = endsOf(onboarding).done;
  return {
    status: status ?? '',
    createdAt: verifiedAt(row) ?? null,
    changedAt: [],
    accountNumber: row.virtualAccount?.accountNumber,
  };
}

/** Yields every text in JSON. */
export function* textsIn(json: unknown): Generator<string> {
  if (typeof json === 'string') yield json;
  else if (typeof json === 'object' && json !== null) for (const each of Object.values(json)) yield* textsIn(each);
}
