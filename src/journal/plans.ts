import { NO_HASH } from './chain.ts';
import { type Append, appendFacts, changed, factsWhere, type Head, type Recording, subjects } from './entries.ts';
import type { PlanClaim } from './intent.ts';
import type { Queries, Store } from './store.ts';

/** What happened to plans: entries about each, which are only added. No status is stored. */
export interface PlanRecords {
  /** Returns what was recorded about a plan, oldest first; empty if the journal does not have it. Throws CliError usage if an entry since is not what it was. */
  entriesOf(id: string): Promise<readonly string[]>;
  /** Returns the same for every plan about which something was recorded since a time of the journal's clock, by the plan's id. */
  since(sinceMs: number): Promise<ReadonlyMap<string, readonly string[]>>;
  /** Records something about a plan. Returns false, and records nothing, if the journal no longer has just `count` entries about it. */
  add(id: string, entry: string, count: number): Promise<boolean>;
}

/** Returns the entries about a plan, oldest first. Throws CliError usage if one is not what it was. */
const factsOf = (queries: Queries, id: string) =>
  factsWhere(queries, 'e.subject = ? ORDER BY e.sequence', subjects.plan(id));

/**
 * Returns what was recorded about a plan, after the whole chain since its first entry was checked: a rejection that was deleted, or was made
 * one of another plan, would leave this one open.
 */
async function checkedEntriesOf(queries: Queries, id: string): Promise<string[]> {
  const facts = await factsOf(queries, id);
  const [first] = facts;
  if (!first) return [];
  const { problemSince } = await import('./verify.ts');
  const before = await queries.get<Head>('SELECT sequence, hash FROM entry WHERE sequence = ?', first.sequence - 1n);
  const problem = await problemSince(queries, before ?? { sequence: 0n, hash: NO_HASH });
  if (problem) throw changed(problem.what);
  return facts.map(textOf);
}

const textOf = ({ value }: { readonly value: string | null }): string => value ?? '';

/** Returns whether a plan may be applied. A plan that the journal does not have is a file, which says itself what it is. */
export async function isOpenIn({ queries }: Recording, { id, isOpen }: PlanClaim): Promise<boolean> {
  const entries = (await factsOf(queries, id)).map(textOf);
  return entries.length === 0 || isOpen(entries);
}

/** Records that an operation applies a plan, if the journal has it. Call it in the transaction that records the operation. */
export async function recordApplied(
  recording: Recording,
  { id, applied }: PlanClaim,
  operationId: string,
): Promise<void> {
  const { length } = await factsOf(recording.queries, id);
  if (length > 0 && applied)
    await appendFacts(recording, [{ subject: subjects.plan(id), value: applied(operationId) }]);
}

/** Records a new plan. Throws if the journal has one of that id. Call it in the transaction that records what the plan is about. */
export async function recordWritten(
  recording: Recording,
  { id, entry }: { readonly id: string; readonly entry: string },
): Promise<void> {
  if ((await factsOf(recording.queries, id)).length > 0) throw new Error(`the journal has a plan ${id} already`);
  await appendFacts(recording, [{ subject: subjects.plan(id), value: entry }]);
}

/** Records that the plan of a file is applied. Returns false, and records nothing, if it may not be. */
export async function recordFileApplied(
  recording: Recording,
  { id, isOpen, entry }: Pick<PlanClaim, 'id' | 'isOpen'> & { readonly entry: string },
): Promise<boolean> {
  const entries = (await factsOf(recording.queries, id)).map(textOf);
  if (entries.length === 0 || !isOpen(entries)) return false;
  await appendFacts(recording, [{ subject: subjects.plan(id), value: entry }]);
  return true;
}

/** Returns the records of the plans in a journal. */
export function planRecords({ read }: Pick<Store, 'read'>, append: Append): PlanRecords {
  const [from, until] = [subjects.plan(''), `${subjects.plan('').slice(0, -1)}!`];
  return {
    entriesOf: (id) => read((queries) => checkedEntriesOf(queries, id)),
    since: async (sinceMs) => {
      const recent = 'SELECT subject FROM entry WHERE subject >= ? AND subject < ? AND at >= ?';
      const where = `e.subject IN (${recent}) ORDER BY e.sequence`;
      const facts = await read((queries) => factsWhere(queries, where, from, until, sinceMs));
      const plans = Map.groupBy(facts, ({ subject }) => subject.slice(from.length));
      return new Map([...plans].map(([id, about]) => [id, about.map(textOf)]));
    },
    add: (id, entry, count) =>
      append(async (recording) => {
        if ((await factsOf(recording.queries, id)).length !== count) return false;
        await appendFacts(recording, [{ subject: subjects.plan(id), value: entry }]);
        return true;
      }),
  };
}
