import { CliError } from '../base/errors.ts';
import { JOURNAL_CHANGED } from './codes.ts';
import { appendEntries, type Recording, storableIn } from './entries.ts';
import type { Queries } from './store.ts';

/**
 * What a fact of the journal is about: the account of a name, a text that all hosts share, how far a rotation is, what an operation is a part of, the key of the digests, and
 * the joint of the chains (joint.ts). The last entry about a subject says what holds.
 */
export const subjects = {
  account: (name: string) => `account ${name}`,
  shared: (name: string) => `shared ${name}`,
  rotation: (operationId: string) => `rotation ${operationId}`,
  sweep: (operationId: string) => `sweep ${operationId}`,
  digestKey: 'digest key',
  joint: 'joint',
} as const;

/** The state of an entry that is a fact. */
export const FACT = 'fact';

/** Appends what holds of subjects from now on; null if nothing does. Call it in a transaction. */
export async function appendFacts(
  recording: Recording,
  facts: readonly { readonly subject: string; readonly value: string | null }[],
): Promise<void> {
  if (facts.length === 0) return;
  const { queries } = recording;
  const storable = storableIn(queries);
  const at = queries.now();
  await appendEntries(
    recording,
    facts.map(({ subject, value }) => ({ state: FACT, at, subject: storable(subject), value: storable(value) })),
  );
}

/** Returns what holds of a subject; null if nothing does any more, undefined if nothing ever did. */
export async function factAbout(queries: Queries, subject: string): Promise<string | null | undefined> {
  const sql = 'SELECT value FROM entry WHERE subject = ? ORDER BY sequence DESC LIMIT 1';
  return (await queries.get<{ value: string | null }>(sql, subject))?.value;
}

/** Reads a value as JSON. Throws CliError usage, about `what`, if it is none. */
export function jsonOf(value: string | null, what: string): unknown {
  try {
    return JSON.parse(value ?? 'null');
  } catch {
    throw changed(what);
  }
}

/** The error for something in the journal that its entries do not say. */
export function changed(what: string): CliError {
  return new CliError(
    'usage',
    `the journal of money operations was changed by something else: ${what} is not what its entries say; nothing was sent`,
    {
      code: JOURNAL_CHANGED,
      hint: 'see what is wrong with: fiatrail ops verify',
    },
  );
}
