import type { HttpResponse } from '../../src/base/world.ts';
import type { TestSandbox } from '../support/sandbox.ts';
import type { Chances } from './chances.ts';

/** How the service's lists show work. */
export interface Rows {
  /** A row is seen at most this long after its request was sent. */
  readonly lateMs: number;
  readonly order: 'as documented' | 'oldest first' | 'shuffled';
  readonly chances: Chances;
}

/** What the lists show now. */
interface Seen {
  /** New work, whose row may be late. */
  note(ids: readonly string[], sentMs: number): Promise<void>;
  /** The answer without the rows that are late, in the order of the lists. */
  read(answer: HttpResponse): HttpResponse;
}

const WALLETS = 'SELECT wallet.address FROM onramp JOIN wallet ON wallet.id = onramp.wallet WHERE request_id = ?';

export function rowsSeen(box: TestSandbox, now: () => number, rows: Rows | undefined): Seen {
  if (!rows || (rows.lateMs === 0 && rows.order === 'as documented'))
    return { note: async () => {}, read: (answer) => answer };
  const { lateMs, order, chances } = rows;
  const seenFrom = new Map<unknown, number>();
  const isLate = (item: unknown) =>
    isRow(item) && Object.values(item).some((value) => typeof value === 'string' && now() < (seenFrom.get(value) ?? 0));
  const inOrder = (items: readonly unknown[]) => {
    if (order === 'as documented' || !items.every((item) => isRow(item) && 'createdAt' in item)) return items;
    if (order === 'oldest first') return items.toReversed();
    return items
      .map((item) => [chances.below(1_000), item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item);
  };
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return inOrder(value.filter((item) => !isLate(item))).map(shown);
    if (!isRow(value)) return value;
    const missing = Object.values(value).flatMap((list) => (Array.isArray(list) ? list.filter(isLate) : [])).length;
    const entries = Object.entries(value).map(
      ([name, each]) =>
        [name, COUNTS.includes(name) && typeof each === 'number' ? each - missing : shown(each)] as const,
    );
    return Object.fromEntries(entries);
  };
  return {
    note: async (ids, sentMs) => {
      for (const id of ids) {
        const fromMs = sentMs + chances.below(lateMs + 1);
        const [wallet] = await box.inside(({ store }) => store.all<{ address: string }>(WALLETS, id), 'read');
        for (const name of [id, wallet?.address]) seenFrom.set(name, fromMs);
      }
    },
    read: (answer) => ({ ...answer, body: JSON.stringify(shown(JSON.parse(answer.body))) }),
  };
}

/** What says how many rows a list has. */
const COUNTS: readonly string[] = ['total', 'count', 'totalCount'];

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
