import type { Account } from '../../engine/account.ts';
import { existingJournal } from '../../engine/connection/journal-location.ts';
import type { Operation, Transition } from '../../journal/operations.ts';
import { type OperationState, resultIn } from '../../journal/states.ts';
import type { Amount } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { valueAt } from '../../present/content.ts';
import { exactAmount, isPlainObject, type Plain, type PlainObject, toPlain, withKnown } from '../../present/plain.ts';
import { userDeposit } from '../../things/deposits.ts';
import { OWNER_FIELDS } from '../../things/index.ts';
import { onramp as onrampKind } from '../../things/onramp.ts';
import { user as aUser } from '../../things/users.ts';
import type { LocalCopy } from '../database.ts';
import { readSetting } from '../list-state.ts';
import { type FoundRow, rowsWithKey, statusesOf, userWith, walletsOf } from './in-copy.ts';
import { type FindMatch, linksOf, MOST_ROWS } from './look.ts';
import { askService } from './service.ts';
import { textIn } from './typed.ts';

/** An operation with what became of it. */
export interface Recorded {
  readonly operation: Operation;
  readonly transitions: readonly Transition[];
}

/** Reads what became of operations. */
export async function recordedOf(
  account: Pick<Account, 'world' | 'profile' | 'journal'>,
  operations: readonly Operation[],
): Promise<Recorded[]> {
  const journal = operations.length > 0 ? await existingJournal(account) : undefined;
  const recorded: Recorded[] = [];
  for (const operation of operations)
    recorded.push({ operation, transitions: (await journal?.transitions(operation.operationId)) ?? [] });
  return recorded;
}

/** What was sent, and what the service answered when work was started and when it was followed; what came later counts. */
export async function answersIn(recorded: readonly Recorded[]): Promise<PlainObject> {
  const { endpointNamed, recordedData } = await import('../../engine/evidence/recorded.ts');
  const [first] = recorded;
  let row: PlainObject = {};
  if (first) {
    const sent = (await endpointNamed(first.operation.endpoint))?.request();
    const request = toPlain(parseExactJson(first.operation.request), sent);
    if (isPlainObject(request)) row = request;
  }
  for (const { result: column } of recorded.flatMap(({ transitions }) => transitions)) {
    const { endpoint: id, data } = recordedData(resultIn(column));
    const endpoint = await endpointNamed(id);
    const plain = endpoint && toPlain(data, endpoint.response(), endpoint.nests);
    if (isPlainObject(plain)) row = withKnown(row, plain);
  }
  return row;
}

const userOf = ({ request }: Operation) => textIn(JSON.parse(request) as PlainObject, ['userId']);

/** How many wallets of a user are looked at: each onramp has one. */
const MOST_WALLETS = 100;

/** What the local copy knows about a match: the statuses it was seen in, what belongs to it, and whose it is. */
export async function knownInCopy(copy: LocalCopy | undefined, match: FindMatch, row: PlainObject) {
  if (!copy) return { statuses: [], belongings: [], isCut: false, user: undefined, syncedAt: null };
  const { kind, found, operations } = match;
  const userKeys = [...OWNER_FIELDS.map((field) => textIn(row, [field])), ...operations.map(userOf)];
  const own = [match.id, ...linksOf(kind, row)];
  return copy.read(async (queries) => {
    const wallets = kind === aUser ? await walletsOf(queries, match.id, MOST_WALLETS + 1) : [];
    const links = [...new Set([...own, ...wallets.slice(0, MOST_WALLETS)])];
    const linked = kind.links.length > 0 ? await rowsWithKey(queries, links, MOST_ROWS) : { rows: [], cut: [] };
    return {
      statuses: found ? await statusesOf(queries, found) : [],
      isCut: linked.cut.length > 0 || wallets.length > MOST_WALLETS,
      // Things have stories of their own.
      belongings: linked.rows.filter((each: FoundRow) => each.id !== match.id && each.kind.states !== undefined),
      user:
        kind === aUser
          ? undefined
          : await userWith(
              queries,
              userKeys.filter((key) => key !== undefined),
            ),
      syncedAt: (await readSetting(queries, 'synced-at')) ?? null,
    };
  });
}

/** What has to be paid for an onramp, and until when. */
export interface DuePayment {
  readonly total: Amount;
  readonly expiresAtMs: number;
}

/** How long a temporary account can be paid. Source: interface (deposit rule 2). */
const PAYABLE_MS = 30 * 60_000;

/** Returns what had to be paid for an onramp, by the answers to its start and its status; undefined if they do not say it. */
export function dueIn(row: PlainObject): DuePayment | undefined {
  const total = nairaAt(row, 'feeBreakdown.totalAmount') ?? nairaAt(row, 'totalAmountWithFee');
  const startedMs = Date.parse(textIn(row, ['wallet.createdAt', 'createdAt']) ?? '');
  return total && { total, expiresAtMs: startedMs + PAYABLE_MS };
}

/** Returns the Naira in a field; undefined if there are none, or none that are known. */
export function nairaAt(row: PlainObject, field: string): Amount | undefined {
  const { asset, minor } = exactAmount(valueAt(row as Plain, field.split('.'))) ?? {};
  return asset === 'NGN' && minor !== undefined ? { asset, minor } : undefined;
}

/** The onramp that a payment was for. */
export interface OnrampOf {
  readonly id: string;
  readonly startedAt: string | null;
  readonly due: DuePayment | undefined;
}

/** How many operations of the journal, and how many onramps of a user, are compared with a payment. */
const [NEWEST_OPERATIONS, MOST_ONRAMPS] = [300, 5];

/**
 * Finds the onramp that a deposit paid, by its wallet; or that it was meant for, by the account that it went to. No list has
 * onramps, so the service is asked for their statuses.
 */
export async function onrampOf(account: Account, { kind, found }: FindMatch): Promise<OnrampOf | undefined> {
  const row = found?.row ?? {};
  if (kind !== userDeposit || !kind.types?.includes(textIn(row, ['type']) ?? '')) return undefined;
  const wallet = textIn(row, ['walletAddress']);
  const journal = await existingJournal(account);
  const candidates = async (): Promise<readonly string[]> => {
    const userId = textIn(row, ['userId']);
    const recent = (await journal?.list({ limit: NEWEST_OPERATIONS })) ?? [];
    const own = recent.filter(
      (each) => onrampKind.starts.some((start) => start.id === each.endpoint) && userOf(each) === userId,
    );
    return own.flatMap(({ requestId }) => requestId ?? []).slice(0, MOST_ONRAMPS);
  };
  for (const key of wallet === undefined ? await candidates() : [wallet]) {
    const { answers } = await askService(account, key, [onrampKind]);
    const [answer] = answers;
    const id = answer && textIn(answer.row, ['requestId']);
    const number = answer && textIn(answer.row, ['wallet.virtualAccountDetails.accountNumber']);
    if (!answer || id === undefined || number !== textIn(row, ['virtualAccountNumber'])) continue;
    const recorded = await recordedOf(account, (await journal?.find(id)) ?? []);
    const startedAt = textIn(answer.row, ['wallet.createdAt']) ?? null;
    return { id, startedAt, due: dueIn({ ...(await answersIn(recorded)), ...answer.row }) };
  }
  return undefined;
}

/** Something that happened. */
export interface Moment {
  /** ISO 8601 in UTC; null if nothing says when. */
  readonly at: string | null;
  readonly what: string;
  /** Who says so. */
  readonly source: 'journal' | 'service' | 'copy' | 'inbox';
  /** Why it failed, if this says so. */
  readonly reason?: string;
}

/** What the journal says of the states of an operation. */
const STATES: Readonly<Record<OperationState, string>> = {
  prepared: 'recorded',
  sent: 'sent to the service',
  accepted: 'accepted by the service',
  settled: 'ended well',
  failed: 'failed',
  rejected: 'rejected',
  unknown: 'the outcome is unknown',
  resolved: 'decided by a person',
};

/** Who ran, planned, signed and applied operations, and what became of them. */
export function journalMoments(recorded: readonly Recorded[]): Moment[] {
  return recorded.flatMap(({ operation, transitions }) => {
    const { authority, runBy, host, createdAt, summary } = operation;
    const signed = (authority?.signers ?? []).map(
      ({ name, role, signedAt }): Moment => ({
        at: signedAt,
        what: `the plan was approved by ${name}${role === 'author' ? ', its author' : ''}`,
        source: 'journal',
      }),
    );
    const { author } = authority ?? {};
    const planned = author && `planned by ${author.user} on ${author.host}`;
    const ran = planned ? `applied by ${runBy} on ${host}, ${planned}` : `run by ${runBy} on ${host}`;
    return [
      ...signed,
      { at: createdAt, what: `${ran}: ${summary}`, source: 'journal' } as const,
      ...transitions.filter(({ state }) => state !== 'prepared').map(transitionMoment),
    ];
  });
}

function transitionMoment({ state, at, requestId, detail }: Transition): Moment {
  const id = requestId && state === 'accepted' ? ` as ${requestId}` : '';
  const hasReason = (state === 'failed' || state === 'rejected') && detail !== null;
  return {
    at,
    what: `${STATES[state]}${id}${detail ? `; ${detail}` : ''}`,
    source: 'journal',
    ...(hasReason ? { reason: detail } : {}),
  };
}
