import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { workStartedBy } from '../../engine/evidence/find-work.ts';
import { endpointNamed, recordedData } from '../../engine/evidence/recorded.ts';
import { resolveHint } from '../../engine/guard.ts';
import type { Operation } from '../../journal/operations.ts';
import { isOutcomeUnknown, type OperationState } from '../../journal/states.ts';
import { amountText } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { toPlain } from '../../present/plain.ts';
import { amountSchema } from '../../present/prints.ts';
import { id } from '../../terminal/parse/parameters.ts';

/** What to do about an operation in each state. */
const ADVICE: Readonly<Record<OperationState, string>> = {
  prepared: 'nothing was sent',
  sent: 'no response was recorded; the outcome is unknown unless its command is still running',
  accepted: 'the service accepted it; wait for its end with: fiatrail ops resume',
  settled: 'it was completed',
  failed: 'the service accepted it, and the work failed',
  rejected: 'nothing was done',
  unknown: 'it was sent, but no usable response arrived; find out with: fiatrail ops reconcile',
  resolved: 'its outcome was decided without a response',
};

export const COLUMNS = [
  { field: 'operationId', title: 'Operation' },
  { field: 'state', title: 'Status' },
  { field: 'summary', title: 'Summary' },
  { field: 'createdAt', title: 'When' },
  { field: 'requestId', title: 'Request', isWide: true },
  { field: 'idempotencyKey', title: 'Idempotency key', isWide: true },
] as const;

/** The form of a printed operation. */
export const operationSchema = () =>
  z.object({
    operationId: z.string(),
    kind: z.enum(['money', 'destructive', 'onboarding']),
    state: z.enum(Object.keys(ADVICE)),
    verdict: z.nullable(z.enum(['completed', 'not-done', 'destroyed'])),
    summary: z.string(),
    command: z.string(),
    profile: z.string(),
    mode: z.string(),
    baseUrl: z.string(),
    endpoint: z.string(),
    effect: z.string(),
    request: z.unknown(),
    baseline: z.nullable(
      z.object({
        serviceAt: z.nullable(z.iso.datetime()),
        hostAheadMs: z.optional(z.int()),
        journalAheadMs: z.optional(z.int()),
        before: z.optional(z.object({ ids: z.array(z.string()), since: z.nullable(z.iso.datetime()) })),
      }),
    ),
    idempotencyKey: z.nullable(z.string()),
    tag: z.nullable(z.string()),
    runBy: z.string(),
    host: z.string(),
    requestId: z.nullable(z.string()),
    detail: z.nullable(z.string()),
    contradiction: z.nullable(z.object({ asked: z.string(), answered: z.string() })),
    result: z.unknown(),
    authority: z.nullable(
      z.object({
        plan: z.string(),
        author: z.object({ user: z.string(), host: z.string(), approver: z.nullable(z.string()) }),
        signers: z.array(
          z.object({
            name: z.string(),
            role: z.enum(['author', 'signer']),
            keyFingerprint: z.string(),
            signedAt: z.iso.datetime(),
          }),
        ),
      }),
    ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    amount: z.nullable(amountSchema()),
    advice: z.string(),
  });

const forJson = (moves: Operation['moves']) => moves && { value: amountText(moves), asset: moves.asset };

/** What was known before a request left, with times that people read. Its terms are those of another thing, which says them with their units. */
function printedBaseline(baseline: Operation['baseline']) {
  if (!baseline) return null;
  const { serviceAtMs = null, before, terms: _, ...clocks } = baseline;
  const listed = before && { before: { ids: before.ids, since: isoTime(before.sinceMs) } };
  return { serviceAt: isoTime(serviceAtMs), ...clocks, ...listed };
}

const isoTime = (atMs: number | null) => (atMs === null ? null : new Date(atMs).toISOString());

/** An operation without what only the journal needs. */
export function shownOf(operation: Operation) {
  const {
    inputDigest: _digest,
    processId: _process,
    busyUntil: _until,
    account: _account,
    searchState: { contradiction },
    ...shown
  } = operation;
  return {
    ...shown,
    contradiction: contradiction ? { asked: contradiction.asked, answered: contradiction.answered } : null,
  };
}

/** An operation as printed: without what only the journal needs, and with amounts that are not in wire units. */
export async function printed(operation: Operation) {
  const { moves, baseline, ...shown } = shownOf(operation);
  const { endpoint } = operation;
  const { endpoint: ofResult, data } = recordedData(operation);
  const sent = parseExactJson(operation.request);
  const request = toPlain(sent, (await endpointNamed(endpoint))?.request());
  const ended = await endpointNamed(ofResult);
  const result = data === undefined ? null : toPlain(data, ended?.response(), ended?.nests, sent);
  return {
    ...shown,
    baseline: printedBaseline(baseline),
    amount: forJson(moves),
    request,
    result,
    advice: await adviceOn(operation),
  };
}

async function adviceOn({ endpoint, state, operationId, searchState }: Operation): Promise<string> {
  if (searchState.contradiction && isOutcomeUnknown({ state }))
    return `accepted, but contradicted: only a person can say what it did; ${resolveHint(operationId)}`;
  const mayTryAgain = state === 'failed' || state === 'unknown' || state === 'sent';
  const retry = mayTryAgain ? (await workStartedBy(endpoint))?.retry?.(operationId) : undefined;
  return `${ADVICE[state]}${retry === undefined ? '' : `; retry with: ${retry}`}`;
}

/** What a command about one operation takes. An idempotency key may have any characters. */
export const OPERATION_ID =
  'operation id, from ops list; a unique prefix, its request id or its idempotency key is enough';

export const operationName = (text: string): string => (text === '' ? id(text) : text);

/** Finds an operation by its id, a unique prefix of it, its request id or its idempotency key. Throws CliError usage. */
export async function operationNamed(account: Account, name: string): Promise<Operation> {
  const journal = await account.journal();
  const found = await journal.find(name);
  const [operation, ...others] = found;
  if (operation && others.length === 0) return operation;
  if (!operation)
    throw new CliError('usage', 'no operation on this machine has this id, request id or idempotency key', {
      code: 'NOT_FOUND',
      hint: advice`list the operations with: [fiatrail ops list]`,
    });
  const which = found.map(({ operationId, state, summary }) => `${operationId}: ${summary}; ${state}`);
  throw new CliError('usage', 'more than one operation has this id prefix, request id or idempotency key', {
    hint: ['give the id of one of them, newest first:', ...which].join('\n'),
  });
}
