import type { Operation } from '../../journal/operations.ts';
import { isInDoubt } from '../../journal/states.ts';
import { isPlainObject, type Plain } from '../../present/plain.ts';
import type { InboxEvent } from '../../webhooks/inbox/events.ts';
import type { Account } from '../account.ts';
import type { Mirror } from '../mirror/database.ts';
import { readSetting } from '../mirror/list-state.ts';
import { existingMirror } from '../mirror/open.ts';
import { type Found, rowsWithKey, statusesOf, userWith } from './in-mirror.ts';
import { eventsAbout, linksOf, type Match, MOST_ROWS } from './look.ts';
import { eventMoments, journalMoments, type Moment, mirrorMoments, paymentMoments, timeMoments } from './moments.ts';
import { amountIn, goesOn, meaningOf, reasonIn, textIn } from './words.ts';

type Row = Readonly<Record<string, Plain>>;

/** What something is, and everything that belongs to it. Times are ISO 8601 in UTC. */
export interface Story {
  readonly kind: string;
  readonly id: string;
  readonly status: string | null;
  /** What the status means, and what to do about it. */
  readonly means: string | null;
  readonly amount: Plain;
  readonly user: { readonly userId: string; readonly name: string | null } | null;
  /** What the service shows of it. */
  readonly row: Row;
  /** When the service said so. */
  readonly asOf: string | null;
  readonly timeline: readonly Moment[];
  /** Commands that can be run next. */
  readonly next: readonly string[];
}

/** The answer of the service about a match; undefined if it was not asked, or does not know it. */
type Answered = Row | undefined;

/** Whether the service should be asked: the copy of the lists does not have it, or had it while it went on. */
export const isUnsettled = ({ kind, found, operations }: Match): boolean => {
  if (kind.read === undefined) return false;
  if (found) return goesOn(kind, textIn(found.row, ['status'])) === true;
  return operations.length > 0 || kind.name !== 'event';
};

/** Tells everything that is known of a match. Sends nothing. Rejects with DatabaseError and CliError. */
export async function storyOf(account: Account, match: Match, answered: Answered): Promise<Story> {
  const recorded = await recordedRow(match.operations);
  const row: Row = { ...recorded, ...match.found?.row, ...withoutNulls(answered) };
  const mirror = await existingMirror(account.world, account.profile);
  try {
    return await storyWith(account, { match, row, recorded, mirror, isAnswered: answered !== undefined });
  } finally {
    await mirror?.close();
  }
}

interface Telling {
  readonly match: Match;
  readonly row: Row;
  /** What the journal recorded of the service's answers. */
  readonly recorded: Row;
  readonly mirror: Mirror | undefined;
  readonly isAnswered: boolean;
}

async function storyWith(account: Account, { match, row, recorded, mirror, isAnswered }: Telling): Promise<Story> {
  const { kind, id } = match;
  const nowMs = account.time.service.nowMs() ?? account.world.clock.now();
  const status = textIn(row, ['status']) ?? (kind.name === 'operation' ? match.operations[0]?.state : undefined);
  const known = await inMirror(mirror, match, row);
  const events = [...match.events, ...(await eventsAbout(account, [id]))];
  const timeline = [
    ...(await journalMoments(account, match.operations)),
    ...timeMoments(kind, row, isAnswered ? 'service' : 'mirror'),
    ...mirrorMoments(known.statuses, match.found, status),
    ...(kind.name === 'onramp'
      ? paymentMoments(known.belongings, row, recorded)
      : known.belongings.map((each) => belongingMoment(each))),
    ...eventMoments(new Map(events.map((event) => [event.id, event])).values()),
  ].toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? -1 : (a.at ?? '') > (b.at ?? '') ? 1 : 0));
  const since =
    known.statuses.findLast((each) => each.status === status)?.seen_at ??
    textIn(row, ['updatedAt', ...(kind.times[0]?.slice(1) ?? [])]);
  const reason = reasonIn(row, [
    ...(kind.reason ?? []),
    ...(kind.name === 'onramp' ? ['wallet.virtualAccountStatus'] : []),
  ]);
  const standing = { kind, id, status, nowMs, sinceMs: since === undefined ? undefined : Date.parse(since) };
  const means = meaningOf({ ...standing, reason: reason ?? timeline.findLast((each) => each.reason)?.reason });
  return {
    ...{ kind: kind.name, id, status: status ?? null, means: means ?? null, row },
    amount: amountIn(row, kind.amount ?? []),
    user: known.user ? { userId: known.user.id, name: textIn(known.user.row, NAMES) ?? null } : null,
    asOf: isAnswered ? new Date(account.world.clock.now()).toISOString() : known.syncedAt,
    timeline,
    next: nextCommands(match, status, events),
  };
}

const NAMES = ['virtualAccount.accountName', 'lastName', 'firstName'];

const withoutNulls = (row: Answered): Row =>
  Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== null));

/** What the service answered when the work was started or last followed. */
async function recordedRow(operations: readonly Operation[]): Promise<Row> {
  const [operation] = operations;
  if (!operation?.result) return {};
  const { endpointNamed, recordedData } = await import('../operations/recorded.ts');
  const { toPlain } = await import('../../present/plain.ts');
  const { endpoint: id, data } = recordedData(operation);
  const endpoint = await endpointNamed(id);
  const plain = endpoint && toPlain(data, endpoint.response(), endpoint.nests);
  return isPlainObject(plain) ? plain : {};
}

/** The fields in which rows name their user, or a wallet of the user. */
const USER_FIELDS = [
  'userId',
  'fintechUserId',
  'walletAddress',
  'sourceWalletAddress',
  'smartWalletAddress',
  'userWalletAddress',
];

async function inMirror(mirror: Mirror | undefined, match: Match, row: Row) {
  const none = { statuses: [], belongings: [], user: undefined, syncedAt: null };
  if (!mirror) return none;
  const { kind, found, operations } = match;
  const typed = operations.map(({ request }) => textIn(JSON.parse(request) as Row, ['userId']));
  const userKeys = [...USER_FIELDS.map((field) => textIn(row, [field])), ...typed].filter((key) => key !== undefined);
  const links = [...new Set([match.id, ...linksOf(kind, row)])];
  return mirror.read(async (queries) => {
    const belongings = kind.links ? (await rowsWithKey(queries, links, MOST_ROWS)).rows : [];
    const isItself = (each: Found) => each.kind.name === kind.name && each.id === match.id;
    return {
      statuses: found ? await statusesOf(queries, found) : [],
      belongings: belongings.filter(
        (each) => !isItself(each) && (each.kind.ends !== undefined || kind.name !== 'user'),
      ),
      user: kind.name === 'user' ? undefined : await userWith(queries, userKeys),
      syncedAt: (await readSetting(queries, 'synced-at')) ?? null,
    };
  });
}

/** What belongs to something, in one line. */
function belongingMoment({ kind, id, row, status, createdAt }: Found): Moment {
  const amount = textIn(row, kind.amount ?? []);
  const who = textIn(row, kind.who ?? []);
  const way = kind.name === 'deposit' ? 'from' : 'to';
  const text = [`${kind.name} ${id}`, amount && `${amount}${who ? ` ${way} ${who}` : ''}`, status].filter(Boolean);
  return { at: createdAt, what: text.join(': ').replace(/: ([^:]*)$/, ', $1'), source: 'mirror' };
}

function nextCommands(
  { kind, id, operations }: Match,
  status: string | undefined,
  events: readonly InboxEvent[],
): string[] {
  const isOpen = goesOn(kind, status) === true;
  const shows = kind.shows && `fiatrail ${kind.shows} ${id}${isOpen && kind.isFollowed ? ' --wait' : ''}`;
  const ofOperations = operations.flatMap((operation) =>
    isInDoubt(operation)
      ? [`fiatrail ops reconcile ${operation.operationId}`]
      : kind.name === 'operation'
        ? []
        : [`fiatrail ops show ${operation.operationId}`],
  );
  const isDead = events.some(({ forwards }) => forwards.some(({ state }) => state === 'dead'));
  return [
    ...(shows ? [shows] : []),
    ...(kind.name === 'onramp' && isOpen ? [`fiatrail onramp account ${id}`] : []),
    ...ofOperations,
    ...(kind.more ?? []).map((command) => `fiatrail ${command.replace('ID', id)}`),
    ...(isDead ? ['fiatrail webhooks inbox redrive'] : []),
  ];
}
