import { knowsLive } from './accounts.ts';
import { type Append, appendFacts, factAbout, factsWhere, IS_LAST, subjects } from './entries.ts';
import type { Journal, SharedName } from './interface.ts';
import type { Queries, Store } from './store.ts';

type SharedPart = Pick<
  Journal,
  'shared' | 'setShared' | 'changeShared' | 'sharedUnder' | 'approverLists' | 'knowsLive'
>;

/** Returns what keeps texts that all hosts of a journal share. */
export function sharedPart({ read }: Store, append: Append): SharedPart {
  const sharedIn = async (queries: Queries, name: SharedName) =>
    (await factAbout(queries, subjects.shared(name))) ?? undefined;
  const changeShared: Journal['changeShared'] = (changes) =>
    append(async (recording) => {
      for (const { name, before } of changes) if ((await sharedIn(recording.queries, name)) !== before) return false;
      await appendFacts(
        recording,
        changes.map(({ name, text }) => ({ subject: subjects.shared(name), value: text ?? null })),
      );
      return true;
    });
  return {
    shared: (name) => read((queries) => sharedIn(queries, name)),
    setShared: (name, text, before) => changeShared([{ name, text, before }]),
    changeShared,
    sharedUnder: async (start) => {
      const about = subjects.shared(start);
      const found = await read((queries) =>
        factsWhere(queries, `e.subject >= ? AND e.subject < ? AND ${IS_LAST}`, about, `${about.slice(0, -1)}!`),
      );
      return new Map(
        found.flatMap(({ subject, value }) => (value === null ? [] : [[subject.slice(about.length), value] as const])),
      );
    },
    approverLists: async () => {
      const about = subjects.shared('approvers ');
      const rows = await read((queries) =>
        queries.all<{ subject: string; value: string | null }>(
          `SELECT subject, value FROM entry e WHERE subject >= ? AND subject < ?
             AND sequence = (SELECT max(sequence) FROM entry WHERE subject = e.subject) ORDER BY sequence`,
          about,
          `${about.slice(0, -1)}!`,
        ),
      );
      return new Map(
        rows.flatMap(({ subject, value }) => (value === null ? [] : [[subject.slice(about.length), value] as const])),
      );
    },
    knowsLive: () => read(knowsLive),
  };
}
