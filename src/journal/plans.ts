import { NO_HASH } from './chain.ts';
import { type Append, appendFacts, changed, factsWhere, type Head, subjects } from './entries.ts';
import { factsOf, textOf } from './plan-entries.ts';
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
