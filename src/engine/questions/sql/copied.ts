import type { Operation } from '../../../journal/operations.ts';
import type { SqlValue } from '../../../sqlite/database.ts';
import type { InboxEvent } from '../../../webhooks/inbox/events.ts';
import type { Account } from '../../account.ts';
import { existingProfileInbox } from '../../inbox.ts';

/** A column of a view, as docs/data.md describes it. */
export interface ViewColumn {
  readonly name: string;
  readonly type: 'text' | 'integer';
  readonly about: string;
  /** The field of the service's row that it copies; undefined for what fiatrail adds. */
  readonly field?: string;
}

/** A column that is copied from the journal or the inbox, and its value. What has no column here never reaches a query. */
interface CopiedColumn<Row> extends ViewColumn {
  of(row: Row): SqlValue;
}

/** The unit of every time. */
export const TIME = 'time in UTC, ISO 8601';

const isoTime = (atMs: number) => new Date(atMs).toISOString();

const text = <Row>(name: string, about: string, of: (row: Row) => SqlValue): CopiedColumn<Row> => ({
  ...{ name, type: 'text', about, of },
});
const integer = <Row>(name: string, about: string, of: (row: Row) => SqlValue): CopiedColumn<Row> => ({
  ...text(name, about, of),
  type: 'integer',
});

export const OPERATION_COLUMNS: readonly CopiedColumn<Operation>[] = [
  text('id', 'operation id, as ops show takes it', ({ operationId }) => operationId),
  text('kind', 'money, destructive or onboarding', ({ kind }) => kind),
  text('state', 'prepared, sent, accepted, settled, failed, refused, unknown or resolved', ({ state }) => state),
  text('verdict', 'what a person or a search decided: completed, not-done or destroyed', ({ verdict }) => verdict),
  text('command', 'the command, without its arguments', ({ command }) => command),
  text('summary', 'what it does, in words', ({ summary }) => summary),
  text('endpoint', 'id of the endpoint', ({ endpoint }) => endpoint),
  text('request_id', 'the service’s id of the work; joins the other views', ({ requestId }) => requestId),
  text('idempotency_key', 'as given with --once', ({ idempotencyKey }) => idempotencyKey),
  integer('amount_minor', 'what it moves, in the smallest unit of amount_asset', ({ moves }) => moves?.minor ?? null),
  text('amount_asset', 'asset of amount_minor: NGN, CNGN, USDC or USDT', ({ moves }) => moves?.asset ?? null),
  text('profile', 'profile that it was recorded under', ({ profile }) => profile),
  text('mode', 'embedded, sandbox or live', ({ mode }) => mode),
  text('operator', 'user who ran the command', ({ operator }) => operator),
  text('host', 'machine that ran it', ({ host }) => host),
  text('planned_by', 'user who wrote the plan, if there was one', ({ authority }) => authority?.author.user ?? null),
  text('signed_by', 'who signed the plan, separated by commas', ({ authority }) => namesOf(authority)),
  text('detail', 'why it has this state', ({ detail }) => detail),
  text('created_at', `when it was recorded; ${TIME}`, ({ createdAt }) => createdAt),
  text('updated_at', `when its state last changed; ${TIME}`, ({ updatedAt }) => updatedAt),
];

const namesOf = (authority: Operation['authority']) =>
  authority && authority.signers.map(({ name }) => name).join(', ');

const countIn = ({ forwards }: InboxEvent, wanted: string) =>
  BigInt(forwards.filter(({ state }) => state === wanted).length);

export const EVENT_COLUMNS: readonly CopiedColumn<InboxEvent>[] = [
  integer('number', 'number in the order of arrival, as webhooks inbox show takes it', ({ id }) => id),
  text('event', 'name of the event', ({ event }) => event),
  text('mark', 'event, unknown, sealed or unreadable', ({ mark }) => mark),
  text('event_id', 'the service’s id of the event', ({ eventId }) => eventId),
  text('request_id', 'id of the work that it is about; joins the other views', ({ requestId }) => requestId),
  text('user_id', 'id of the user that it is about; joins users.id', ({ userId }) => userId),
  text('webhook_id', 'id of the delivery', ({ webhookId }) => webhookId),
  integer('is_late', '1 if it arrived long after it was sent', ({ isLate }) => BigInt(isLate)),
  integer('is_sealed', '1 if it arrived sealed', ({ isSealed }) => BigInt(isSealed)),
  integer('copies', 'how often it arrived again', ({ copies }) => BigInt(copies)),
  integer('forwards_acknowledged', 'targets that took it', (event) => countIn(event, 'acknowledged')),
  integer('forwards_waiting', 'targets that it still has to reach', (event) => countIn(event, 'waiting')),
  integer('forwards_dead', 'targets that were given up', (event) => countIn(event, 'dead')),
  text('problem', 'why it could not be read', ({ problem }) => problem),
  text('happened_at', 'when it happened, as the service says', ({ happenedAt }) => happenedAt),
  text('sent_at', `when it was sent; ${TIME}`, ({ sentAtMs }) => isoTime(sentAtMs)),
  text('received_at', `when it arrived; ${TIME}`, ({ receivedAtMs }) => isoTime(receivedAtMs)),
];

const PAGE = 1_000;

/** The views whose rows are copied for a query that names them. Each yields the rows in pages. Rejects with DatabaseError and CliError. */
export const COPIES: Readonly<Record<string, (account: Account) => AsyncIterable<readonly (readonly SqlValue[])[]>>> = {
  operations,
  events,
};

async function* operations(account: Account) {
  const { profile, existingJournal } = account;
  const journal = await existingJournal();
  if (!journal) return;
  // Another profile may have recorded operations of the same account, and a journal has those of other accounts too.
  const own = await journal.list({ profile: profile.name, limit: PAGE });
  const accounts = [...new Set(own.filter(({ mode }) => mode === profile.mode).map((each) => each.account))];
  if (accounts.length === 0) return;
  let after: Operation | undefined;
  do {
    const page = await journal.list({ account: accounts, limit: PAGE, after });
    yield page.map((row) => OPERATION_COLUMNS.map(({ of }) => of(row)));
    after = page.length === PAGE ? page.at(-1) : undefined;
  } while (after);
}

async function* events({ world, profile }: Account) {
  const inbox = await existingProfileInbox(world, profile);
  try {
    let before: bigint | undefined;
    do {
      const page = inbox?.list({ limit: PAGE, before }) ?? [];
      yield page.map((row) => EVENT_COLUMNS.map(({ of }) => of(row)));
      before = page.length === PAGE ? page.at(-1)?.id : undefined;
    } while (before !== undefined);
  } finally {
    inbox?.close();
  }
}
