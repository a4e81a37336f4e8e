import { CliError } from '../../base/errors.ts';
import type { Asset } from '../../money/amount.ts';
import type { Service } from '../../service/service.ts';
import type { Database } from '../../sqlite/database.ts';
import { pageOf } from '../held.ts';
import type { List, Row } from '../source.ts';
import { areThere, type Ends, endsOf } from './added.ts';
import type { AskSandbox } from './ask.ts';
import { namedAccount, signed } from './postings.ts';
import { lookOfWork } from './work-filter.ts';
import { ALL_WORK } from './work-row.ts';

/** Points stay in memory while the command runs, and a state may be large. */
const POINTS = { most: 10, characters: 128 * 1024 * 1024, nameLength: 60 };

/** What a point shows of the accounts that changed. */
const MOST_ACCOUNTS = 40;

/** A state of the sandbox that can be gone back to. The content has the sandbox's keys, so it never leaves this process. */
interface Point {
  readonly name: string;
  readonly content: string;
  readonly bytes: number;
  /** The sandbox's time, and this machine's. */
  readonly atMs: number;
  readonly madeMs: number;
  readonly ends: Ends;
  readonly work: ReadonlyMap<string, bigint>;
}

/** The points in time that were named. */
export interface Points {
  readonly list: List;
  add(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Replaces everything in the sandbox by what it was. Rejects with CliError. */
  restore(input: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  remove(input: Readonly<Record<string, unknown>>): Record<string, unknown>;
  version(): string;
}

const GROWING = [
  { table: 'posting_set', name: `event || ' ' || subject || ' ' || created_at` },
  { table: 'outbox', name: 'event_id' },
  { table: 'user', name: 'user_id' },
] as const;

export function createPoints(service: Service, ask: AskSandbox): Points {
  const points = new Map<string, Point>();
  let changes = 0;
  const named = ({ name }: Readonly<Record<string, unknown>>): Point => {
    const point = points.get(String(name));
    if (!point) throw new CliError('usage', 'there is no point with this name');
    return point;
  };
  return {
    list: {
      page: (query) => {
        const rows = [...points.values()].map(rowOf);
        return { ...pageOf(rows, query), generation: changes };
      },
      detail: async (id) => {
        const point = points.get(id);
        return point && { ...rowOf(point), ...(await changedSince(service, point)) };
      },
    },
    add: async (input) => {
      const name = nameIn(input);
      if (points.has(name)) throw new CliError('usage', `there is a point named ${name}; choose another name`);
      if (points.size >= POINTS.most)
        throw new CliError('usage', `there are ${POINTS.most} points; remove one, or use: fiatrail sandbox snapshot`);
      const { content, bytes, ...seen } = await stateOf(service, ask);
      const taken = [...points.values()].reduce((sum, each) => sum + each.content.length, 0);
      if (taken + content.length > POINTS.characters)
        throw new CliError('usage', 'the points are too large; remove one, or use: fiatrail sandbox snapshot');
      points.set(name, {
        ...{ name, content, bytes, madeMs: service.clock.now(), ...seen },
      });
      changes += 1;
      return { name };
    },
    restore: async (input) => {
      const { name, content } = named(input);
      await ask('POST', '/_sandbox/restore', { content });
      changes += 1;
      return { name };
    },
    remove: (input) => {
      const { name } = named(input);
      points.delete(name);
      changes += 1;
      return { name };
    },
    version: () => `${changes}`,
  };
}

/** Reads the name of a new point. Throws CliError usage. */
function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  const text = typeof name === 'string' ? name.trim() : '';
  if (text === '' || text.length > POINTS.nameLength || /\p{C}/u.test(text))
    throw new CliError('usage', `name: expected 1 to ${POINTS.nameLength} characters on one line`);
  return text;
}

const isoTime = (timeMs: number) => new Date(timeMs).toISOString();

const rowOf = ({ name, bytes, atMs, madeMs }: Point): Row => ({
  ...{ id: name, at: isoTime(atMs), machineAt: isoTime(madeMs), name },
  size: `${(bytes / 1024 / 1024).toFixed(1)} MB`,
});

/** How often a state is read again that changed while it was copied. */
const ATTEMPTS = 5;

/** Copies the state, with what is compared later. Rejects with CliError usage if it does not stand still for long enough. */
async function stateOf(service: Service, ask: AskSandbox) {
  const see = () => service.submit('read', ({ store, nowMs }) => seenIn(store, nowMs));
  const textOf = ({ ends, work }: Pick<Point, 'ends' | 'work'>) =>
    JSON.stringify([ends, [...work]], (_, each) => (typeof each === 'bigint' ? String(each) : each));
  let before = await see();
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { content, bytes } = await ask('POST', '/_sandbox/snapshot', {});
    const after = await see();
    if (textOf(before) === textOf(after)) return { content: String(content), bytes: Number(bytes), ...after };
    before = after;
  }
  throw new CliError('usage', 'the sandbox is too busy for a point in time; try again when it gets fewer requests');
}

const seenIn = (store: Database, atMs: number) => ({ atMs, ends: endsOf(store, GROWING), work: workIn(store) });

/** How much work of each kind is in each state. */
const workIn = (store: Database): ReadonlyMap<string, bigint> =>
  new Map(
    store
      .all<{ kind: string; state: string; n: bigint }>(
        `SELECT kind, state, count(*) AS n FROM (${ALL_WORK}) GROUP BY kind, state ORDER BY kind, state`,
      )
      .map(({ kind, state, n }) => [`${kind} ${state}`, n]),
  );

/** What is different now from what it was at a point: the clock, the work of each kind and state and, if nothing was taken back since, the ledger. */
async function changedSince(service: Service, { ends, work }: Point) {
  return service.submit('read', ({ store, nowMs }) => {
    const now = workIn(store);
    const states = [...new Set([...work.keys(), ...now.keys()])].sort();
    const isLater = areThere(store, GROWING, ends);
    return {
      now: isoTime(nowMs),
      isLater,
      work: states
        .filter((each) => work.get(each) !== now.get(each))
        .map((each) => {
          const [kind = '', state = ''] = each.split(' ');
          const [before, after] = [work.get(each) ?? 0n, now.get(each) ?? 0n];
          return { kind, state, look: lookOfWork(kind, state), before: String(before), now: String(after) };
        }),
      ...(isLater ? addedSince(store, ends) : { users: null, events: [], sets: null, accounts: [] }),
    };
  });
}

/** What was added to the sandbox since, and by how much each account of its ledger changed. */
function addedSince(store: Database, [set, event, user]: Ends) {
  const count = (sql: string, after: bigint) => String(store.get<{ n: bigint }>(sql, after)?.n ?? 0n);
  const accounts = store.all<{ code: string; asset: Asset; minor: bigint }>(
    `SELECT code, asset, sum(minor) AS minor FROM posting JOIN account ON account.id = posting.account WHERE posting_set > ?
     GROUP BY code, asset HAVING sum(minor) <> 0
     ORDER BY abs(sum(minor)) * CASE asset WHEN 'NGN' THEN 10000 ELSE 1 END DESC, code LIMIT ?`,
    set?.id ?? 0n,
    MOST_ACCOUNTS,
  );
  return {
    users: count('SELECT count(*) AS n FROM user WHERE id > ?', user?.id ?? 0n),
    sets: count('SELECT count(*) AS n FROM posting_set WHERE id > ?', set?.id ?? 0n),
    events: store
      .all<{ event: string; n: bigint }>(
        'SELECT event, count(*) AS n FROM outbox WHERE id > ? GROUP BY event ORDER BY event',
        event?.id ?? 0n,
      )
      .map(({ event: name, n }) => ({ event: name, count: String(n) })),
    accounts: accounts.map(({ code, asset, minor }) => ({
      ...namedAccount(store, code),
      change: `${minor > 0n ? '+' : ''}${signed(asset, minor)}`,
    })),
  };
}
