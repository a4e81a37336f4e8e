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
  const changeShared: Journal['changeShared'] = (changes, unchanged = []) =>
    append(async (recording) => {
      for (const { name, before } of [...changes, ...unchanged])
        if ((await sharedIn(recording.queries, name)) !== before) return false;
      await appendFacts(
        recording,
        changes.map(({ name, text }) => ({ subject: subjects.shared(name), value: text ?? null })),
      );
      return true;
    });
  const sharedUnder = async (start: string) => {
    const about = subjects.shared(start);
    const where = `e.subject >= ? AND e.subject < ? AND ${IS_LAST} ORDER BY e.sequence`;
    const found = await read((queries) => factsWhere(queries, where, about, `${about.slice(0, -1)}!`));
    return new Map(
      found.flatMap(({ subject, value }) => (value === null ? [] : [[subject.slice(about.length), value] as const])),
    );
  };
  return {
    shared: (name) => read((queries) => sharedIn(queries, name)),
    setShared: (name, text, before) => changeShared([{ name, text, before }]),
    changeShared,
    sharedUnder,
    approverLists: () => sharedUnder('approvers '),
    knowsLive: () => read(knowsLive),
  };
}
