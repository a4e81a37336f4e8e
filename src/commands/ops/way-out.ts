import { contradictedText } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Looked } from '../../engine/opening/accounts.ts';
import type { Operation } from '../../journal/operations.ts';
import { amountForPeople } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';

/** What a person needs in order to decide about an operation that nothing proves: a line each. */
export function wayOut(looked: Looked, nowMs: number | undefined): readonly string[] {
  const why = whyUndecided(looked);
  if (why === undefined) return [];
  const { operation } = looked;
  const { operationId, idempotencyKey } = operation;
  const resolve = `fiatrail ops resolve ${operationId}`;
  const freed =
    idempotencyKey === null ? 'it may be done again' : `the idempotency key ${idempotencyKey} is free again`;
  return [
    `why: ${why}`,
    `known: ${knownOf(operation)}`,
    `looked: ${searchesText(looked, nowMs)}`,
    ...('conditions' in looked
      ? looked.conditions.map(({ holds, says }) => `${holds ? 'holds' : 'missing'}: ${says}`)
      : []),
    `compare: ${compareWith(looked)}`,
    `if it was done: ${resolve} --completed --request-id ${idOf(looked)} --reason TEXT`,
    `if it was not: ${resolve} --not-done --reason TEXT (${freed})`,
  ];
}

/** Returns why nothing proves how an operation ended; undefined if it is known, or will be without a person. */
function whyUndecided(looked: Looked): string | undefined {
  switch (looked.kind) {
    case 'several':
      return looked.candidates.length === 1
        ? 'a row looks like it, and nothing proves that no other program made it'
        : 'more rows look like it than requests that may have made them';
    case 'unseen':
      // Another look may end it.
      if (looked.lookAgainMs !== undefined) return undefined;
      return `it is in no list, and that proves nothing: ${looked.conditions.find(({ holds }) => !holds)?.says}`;
    case 'unclear':
      return 'what it was to change cannot be distinguished from something else';
    case 'contradicted': {
      const { contradiction } = looked.operation.searchState;
      return contradiction && contradictedText(contradiction);
    }
    case 'no-evidence':
      return 'the service has no list that shows such a request, or does not show it any more';
    default:
      return undefined;
  }
}

/** What the journal knows, which is what a row or a statement has to be compared with. */
function knownOf({ summary, moves, createdAt, baseline, runBy, host, tag, request }: Operation): string {
  const sentAt = baseline?.serviceAtMs;
  const when = sentAt === undefined ? `${createdAt} by the journal’s clock` : `${time(sentAt)} by the service’s clock`;
  const fields = { ...(parseExactJson(request) as object), ...baseline?.terms };
  const texts = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name} ${value}`] : [],
  );
  return [
    summary,
    ...(moves ? [amountForPeople(moves)] : []),
    `sent at ${when}, by ${runBy} on ${host}`,
    ...texts,
    ...(tag === null ? [] : [`tag ${tag}`]),
  ].join('; ');
}

function searchesText(looked: Looked, nowMs: number | undefined): string {
  const firstMs = looked.operation.searchState.unseenSinceMs;
  const rows = 'candidates' in looked ? looked.candidates : [];
  const found = rows.map(({ requestId, state, createdAt }) => `${requestId} (${state}, ${createdAt ?? 'no time'})`);
  const now = nowMs === undefined ? 'now' : `at ${time(nowMs)}`;
  const first = firstMs === undefined ? '' : `; at ${time(firstMs)}: nothing`;
  return `${now}: ${found.length === 0 ? 'nothing' : found.join(', ')}${first}`;
}

function compareWith(looked: Looked): string {
  const where = 'where' in looked ? looked.where : undefined;
  if (where === undefined) return 'ask the service for what it did at that time';
  const paid = looked.operation.kind === 'money' ? ', the statement of the payee,' : '';
  return `${where}${paid} and what other programs of this account did then`;
}

function idOf(looked: Looked): string {
  const named = looked.operation.searchState.contradiction?.requestId;
  const rows = 'candidates' in looked ? looked.candidates : [];
  const [only = named, ...others] = rows.map(({ requestId }) => requestId);
  return only === undefined || others.length > 0 ? 'REQUEST_ID' : shellWord(only);
}

const time = (atMs: number): string => new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
