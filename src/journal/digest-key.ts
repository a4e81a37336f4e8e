import { shortSha256 } from '../crypto/digest.ts';
import { appendFacts, factAbout, lastHead, type Recording, subjects } from './entries.ts';
import type { Queries } from './store.ts';

const digestOf = (digestKey: string) => shortSha256(`digest key\n${digestKey}`);

/** The fact that shows whether the key of the digests is the one that it was, without revealing the key. */
export const digestKeyFact = (digestKey: string) => ({ subject: subjects.digestKey, value: digestOf(digestKey) });

/** Whether the key of the digests is the one that the entries know. */
export async function isDigestKey(queries: Queries, digestKey: string): Promise<boolean> {
  return (await factAbout(queries, subjects.digestKey)) === digestOf(digestKey);
}

/** Appends the first entry of a journal, which says what the key of its digests is. Does nothing if there is one. Call it in a transaction. */
export async function beginJournal(recording: Recording, digestKey: string): Promise<void> {
  if ((await lastHead(recording.queries)) === undefined) await appendFacts(recording, [digestKeyFact(digestKey)]);
}
