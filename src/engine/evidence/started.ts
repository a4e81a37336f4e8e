import type * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { requestIdOf } from '../../client/client.ts';
import type { Endpoint, ResponseOf } from '../../contract/endpoint.ts';
import { payload } from '../../contract/fields.ts';
import { shapeOf, unwrap } from '../../contract/rows.ts';
import { isPlainObject, type PlainObject, toPlain, withKnown } from '../../present/plain.ts';
import type { AlsoPrinted, PrintedWork } from '../../present/prints.ts';
import type { Column, Result, ResultShape } from '../../present/result.ts';
import type { Account, AccountReply } from '../account.ts';
import { type Outcome, outcomeOf } from '../outcome.ts';
import type { Following } from './follow.ts';
import { type FollowedWork, resultOf } from './work.ts';

/** What a command prints that starts some work. */
export const printedWork = ({ status, also }: FollowedWork, start: Endpoint): PrintedWork => ({
  start,
  status: status.endpoint,
  ...(also ? { also } : {}),
});

/** What follows the response to a start. */
interface AfterStart {
  /** How long to wait for the end of the work, in milliseconds; undefined: not at all. */
  readonly wait: number | undefined;
  readonly columns?: readonly Column[];
  /** What is printed with the start besides the response to it. */
  readonly also?: object | undefined;
  /** Names of tokens that the status lacks. */
  readonly names?: object | undefined;
}

/** Returns what a command prints after starting work, once it waited for its end if it does. */
export async function outcomeOfStart(
  account: Account,
  work: FollowedWork,
  start: Endpoint,
  reply: AccountReply<unknown>,
  { wait, columns, also, names }: AfterStart,
): Promise<Outcome> {
  const printed = printedWork(work, start);
  const started = withAlso(printed, outcomeOf(account, start, reply, columns && { columns }), also);
  const requestId = requestIdOf(start, reply.data);
  if (wait === undefined || requestId === undefined || started.error) return startedOutcome(account, printed, started);
  return startedOutcome(
    account,
    printed,
    started,
    await followWork(account, work, requestId, wait, names && { names }),
  );
}

type FieldsShape = Record<string, z.ZodMiniType>;

/** The fields that a command prints which starts work, whether it waits or not: those of the start and of the status. */
export function startedShape({ start, status, also }: PrintedWork): ResultShape & { readonly schema: z.ZodMiniType } {
  return { schema: payload({ ...printedFields(start), ...(also ? alsoShape(also) : {}), ...printedFields(status) }) };
}

function alsoShape({ endpoint, fields }: AlsoPrinted): FieldsShape {
  return Object.fromEntries(Object.entries(printedFields(endpoint)).filter(([name]) => fields.includes(name)));
}

/** Returns the outcome of a start with the fields that another endpoint adds to it. */
export function withAlso({ start, also }: PrintedWork, outcome: Outcome, data: object | undefined): Outcome {
  const { result } = outcome;
  if (!result || !also || !data) return outcome;
  const found = Object.entries(data).filter(([name]) => also.fields.includes(name));
  const { nests: _, ...rest } = result;
  return {
    ...outcome,
    result: {
      ...rest,
      data: { ...(result.data as object), ...Object.fromEntries(found) },
      schema: payload({ ...printedFields(start), ...alsoShape(also) }),
    },
  };
}

/** The fields of a response, with those of its nested object among them. */
export function printedFields({ response, nests = '' }: Endpoint): FieldsShape {
  const { [nests]: nested, ...around } = shapeOf(response()) ?? {};
  return { ...(nested && shapeOf(unwrap(nested).schema)), ...around };
}

/**
 * Returns what a command prints after starting work, in one form whether it waited or not: the fields of the start and of the
 * status, null where a value is not known yet. `followed` is the outcome of the wait. Tables show only what is known, and
 * `-o raw` only the last response.
 */
export function startedOutcome(account: Account, work: PrintedWork, started: Outcome, followed?: Outcome): Outcome {
  const { format, fields, query } = account.globals.present;
  const last = followed ?? started;
  if (format === 'raw' || (format === 'table' && !fields && query === undefined)) return last;
  const { schema } = startedShape(work);
  const unknown = Object.fromEntries(Object.keys(shapeOf(schema) ?? {}).map((name) => [name, null]));
  const data = [started.result, followed?.result].map(printedIn).reduce(withKnown, unknown);
  return { ...last, result: { data, schema } };
}

/** The printed fields of a document. */
function printedIn(result: Result | undefined): PlainObject {
  const plain = result && toPlain(result.data, result.schema, result.nests, result.request);
  return isPlainObject(plain) ? plain : {};
}

/** Follows work until it ends or the time is up, and records the end in the journal. */
export async function followWork<E extends Endpoint>(
  account: Account,
  work: FollowedWork,
  requestId: string,
  waitMs: number,
  { names, ...more }: Pick<Following<E>, 'shows' | 'isBeforehand'> & { readonly names?: object } = {},
): Promise<Outcome> {
  const { starts, status: followed, retry } = work;
  const { input, command, namesFor, watch, ...rest } = followed;
  const { followStatus } = await import('./follow.ts');
  return followStatus(account, {
    ...rest,
    ...more,
    input: input(requestId),
    again: advice`[fiatrail ${command.split(' ')} ${requestId} --wait]`,
    retry: retry?.(requestId),
    waitMs,
    ...(watch ? { meanwhile: watch(account, requestId) } : {}),
    namesFor: async (data: ResponseOf<Endpoint>) => names ?? (await namesFor?.(account, requestId, data)) ?? {},
    openEndListener: async () => (await import('./event-evidence.ts')).endListenerFor(account, work, requestId),
    ended: async (outcome: 'settled' | 'failed', data: ResponseOf<Endpoint>) => {
      // A journal that cannot be written does not change what the service said.
      try {
        const ended = { account: await account.accountNames(), endpoints: starts.map(({ id }) => id), requestId };
        await (await account.journal()).ended(ended, outcome, { result: resultOf(followed.endpoint, data) });
      } catch {
        await account.notices.say('warning: cannot write to the journal; it does not know yet how this work ended');
      }
    },
  });
}
