/** A part of a database, such as a table, an index or a trigger, and the words that make it. */
export interface Part {
  readonly kind: string;
  readonly name: string;
  readonly text: string;
}

/** The parts of a database as this version makes them. */
export interface Parts {
  readonly needed: readonly Part[];
  /** Parts that may be there. */
  readonly optional?: readonly Part[];
}

const named = ({ kind, name }: Part) => `${kind} ${name}`;
const whole = (part: Part) => `${named(part)} ${part.text}`;

/** Says what a database lacks, has in another form, or has besides; undefined if it is as this version makes it. */
export function changeIn(found: readonly Part[], { needed, optional = [] }: Parts): string | undefined {
  const left = new Map<string, Part[]>();
  for (const part of found) left.set(whole(part), [...(left.get(whole(part)) ?? []), part]);
  const missing = needed.find((part) => left.get(whole(part))?.pop() === undefined);
  if (missing) return `its ${named(missing)} is missing or another one`;
  for (const part of optional) left.get(whole(part))?.pop();
  const [added] = [...left.values()].flat();
  return added && `${named(added)} was added to it`;
}

/** What SQLite adds of its own accord: the numbers of AUTOINCREMENT, and what ANALYZE found out. */
const OWN_TABLES = `'sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'`;

/** Reads the parts of a SQLite file. */
export const PARTS_OF_FILE = `SELECT type AS kind, name, sql AS text FROM sqlite_schema
  WHERE sql IS NOT NULL AND NOT (type = 'table' AND name IN (${OWN_TABLES}))`;

/** Returns the parts that statements for SQLite make, with the text that it keeps of each. */
export const partsMadeBy = (statements: readonly string[]): readonly Part[] =>
  statements.flatMap((sql) => {
    const text = sql.trim().replace(' IF NOT EXISTS', '');
    const [, kind, name] = /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER|VIEW) (\w+)/.exec(text) ?? [];
    return kind && name ? [{ kind: kind.toLowerCase(), name, text }] : [];
  });

/** How SQLite's own changes of a table space its text differs. */
const spaced = ({ text, ...part }: Part): Part => ({
  ...part,
  text: text.trim().replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/ \)/g, ')'),
});

/** Says in which part a SQLite file differs from what this version makes. */
export function changeOfFile(found: readonly Part[], { needed, optional = [] }: Parts): string | undefined {
  // Almost always each text is the same, and spacing them would take longer than most queries.
  const [there, known] = [new Set(found.map(whole)), new Set([...needed, ...optional].map(whole))];
  if (needed.every((part) => there.has(whole(part))) && [...there].every((text) => known.has(text))) return undefined;
  return changeIn(found.map(spaced), { needed: needed.map(spaced), optional: optional.map(spaced) });
}
