import { appendFacts, factsWhere, type Recording, subjects } from './entries.ts';
import type { PlanClaim } from './intent.ts';
import type { Queries } from './store.ts';

/** Returns the entries about a plan, oldest first. Throws CliError usage if one is not what it was. */
export const factsOf = (queries: Queries, id: string) =>
  factsWhere(queries, 'e.subject = ? ORDER BY e.sequence', subjects.plan(id));

export const textOf = ({ value }: { readonly value: string | null }): string => value ?? '';

/** Returns whether a plan may be applied, by what was recorded about it. */
export async function isOpenIn({ queries }: Recording, { id, isOpen }: PlanClaim): Promise<boolean> {
  return isOpen((await factsOf(queries, id)).map(textOf));
}

/** Records that an operation applies a plan, if the journal has it. Call it in the transaction that records the operation. */
export async function recordApplied(
  recording: Recording,
  { id, applied }: PlanClaim,
  operationId: string,
): Promise<void> {
  if (!applied) return;
  const { length } = await factsOf(recording.queries, id);
  if (length > 0) await appendFacts(recording, [{ subject: subjects.plan(id), value: applied(operationId) }]);
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
  if (!isOpen((await factsOf(recording.queries, id)).map(textOf))) return false;
  await appendFacts(recording, [{ subject: subjects.plan(id), value: entry }]);
  return true;
}
