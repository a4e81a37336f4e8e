import { CliError } from '../../base/errors.ts';
import type { Account } from '../../engine/account.ts';
import { PREVIEW_READ } from '../../engine/previews/previews.ts';
import { isPlainObject, type PlainObject, toPlain } from '../../present/plain.ts';
import { readRequest } from '../../things/fields.ts';
import { THINGS } from '../../things/index.ts';
import type { Thing } from '../../things/thing.ts';

/** What the service says of an id. */
export interface ServiceRow {
  readonly kind: Thing;
  readonly row: PlainObject;
}

/** What asking the service came to. */
export interface Replies {
  readonly answers: readonly ServiceRow[];
  /** How many endpoints said that they do not know it. */
  readonly unknown: number;
  /** Why the others did not answer. */
  readonly problems: readonly string[];
}

/**
 * Asks the service about an id, where an endpoint that only reads looks such an id up: of these kinds, or of every kind.
 * Rejects with CliError interrupted.
 */
export async function askService(account: Account, id: string, kinds: readonly Thing[] = THINGS): Promise<Replies> {
  const readable = kinds.filter(({ read }) => read !== undefined);
  const all = await Promise.all(readable.map((kind) => ask(account, kind, id)));
  return {
    answers: all.filter((each) => typeof each === 'object'),
    unknown: all.filter((each) => each === undefined).length,
    problems: [...new Set(all.filter((each) => typeof each === 'string'))],
  };
}

/** Returns the answer; undefined if the service does not know the id, or why it did not answer. */
async function ask(account: Account, kind: Thing, id: string): Promise<ServiceRow | string | undefined> {
  if (!kind.read) return undefined;
  const { endpoint, id: field } = kind.read;
  try {
    const { data } = await account.call(endpoint, readRequest(kind.read, id) as never, PREVIEW_READ);
    const plain = toPlain(data, endpoint.response(), endpoint.nests, { [field]: id });
    const rows = isPlainObject(plain) && endpoint.lists ? plain[endpoint.lists] : plain;
    const row = Array.isArray(rows) ? rows[0] : rows;
    return isPlainObject(row) ? { kind, row } : undefined;
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    // It does not know the id, or this kind has ids of another form.
    return error.category === 'rejected' || error.category === 'usage' ? undefined : error.message;
  }
}
