import { type Append, appendFacts, factsWhere, type Recording, subjects } from './entries.ts';
import type { Journal } from './interface.ts';
import type { Queries, Store } from './store.ts';

type PlansPart = Pick<Journal, 'planEntries' | 'plansSince' | 'addToPlan'>;

/** What a claim does with the plan that it applies, in its own transaction. */
export interface PlanClaim {
  readonly id: string;
  /** Whether the plan may still be applied, by what was recorded about it. */
  readonly isOpen: (entries: readonly string[]) => boolean;
  /** Returns what is recorded about it, once the operation is. */
  readonly applied: (operationId: string) => string;
}

/** Returns everything that was recorded about a plan, oldest first. Throws CliError usage if an entry is not what it was. */
async function entriesOf(queries: Queries, id: string): Promise<string[]> {
  const facts = await factsWhere(queries, 'e.subject = ? ORDER BY e.sequence', subjects.plan(id));
  return facts.map(({ value }) => value ?? '');
}

/** Returns whether a plan may be applied. A plan that the journal does not have is a file, which says itself what it is. */
export async function isOpenIn({ queries }: Recording, { id, isOpen }: PlanClaim): Promise<boolean> {
  const entries = await entriesOf(queries, id);
  return entries.length === 0 || isOpen(entries);
}

/** Records that an operation applies a plan, if the journal has it. Call it in the transaction that records the operation. */
export async function recordApplied(
  recording: Recording,
  { id, applied }: PlanClaim,
  operationId: string,
): Promise<void> {
  const entries = await entriesOf(recording.queries, id);
  if (entries.length > 0) await appendFacts(recording, [{ subject: subjects.plan(id), value: applied(operationId) }]);
}

/** Returns the plans of a journal: what was recorded about each, and never a status. */
export function plansPart({ read }: Store, append: Append): PlansPart {
  const [from, until] = [subjects.plan(''), `${subjects.plan('').slice(0, -1)}!`];
  return {
    planEntries: (id) => read((queries) => entriesOf(queries, id)),
    plansSince: async (sinceMs) => {
      const recent = 'SELECT subject FROM entry WHERE subject >= ? AND subject < ? AND at >= ?';
      const where = `e.subject IN (${recent}) ORDER BY e.sequence`;
      const facts = await read((queries) => factsWhere(queries, where, from, until, sinceMs));
      const plans = Map.groupBy(facts, ({ subject }) => subject.slice(from.length));
      return new Map([...plans].map(([id, about]) => [id, about.map(({ value }) => value ?? '')]));
    },
    addToPlan: (id, entry, count) =>
      append(async (recording) => {
        if ((await entriesOf(recording.queries, id)).length !== count) return false;
        await appendFacts(recording, [{ subject: subjects.plan(id), value: entry }]);
        return true;
      }),
  };
}
