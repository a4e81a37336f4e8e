import type { Part } from '../../sqlite/parts.ts';
import { formOnServer } from '../../store/ddl.ts';
import type { Table } from '../../store/table.ts';

/**
 * The parts of a schema in PostgreSQL, from two sides: as the records of tables and the statements say that make them, and as the server
 * describes what is there. Both become the same words, so that there is no second list of what is expected.
 */

/** The names that may stand before another one, with a dot: of the schema, and in older servers of the table that a view reads. */
type Qualifiers = ReadonlySet<string>;

/** A word of SQL, without what a server adds or leaves out when it describes something: parentheses and brackets. */
const TOKEN =
  /\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'|"(?:[^"]|"")*"|::(?:text|bigint|integer)(?:\[\])?|[A-Za-z_]\w*|\d+|[^\s()[\];]/g;

/** A cast, which a server adds too. */
const isCast = (token: string) => token.startsWith('::');

/** Returns a word in lower case, unless it is quoted; of a text between dollars, without its tag. */
function spelled(token: string): string {
  if (token.startsWith('$')) return token.replace(/^\$\w*\$([\s\S]*)\$\w*\$$/, '$$$1');
  return token.startsWith("'") || token.startsWith('"') ? token : token.toLowerCase();
}

/** Returns SQL as words in lower case, without what a server writes in its own way; what is quoted stays as it is. */
function wordsOf(sql: string, qualifiers: Qualifiers): string {
  // Without the groups of each match, which would take most of the time: a view has thousands of words.
  const tokens = (sql.match(TOKEN) ?? []).filter((token) => !isCast(token)).map(spelled);
  const isQualifier = (at: number) => tokens[at + 1] === '.' && qualifiers.has(tokens[at] ?? '');
  return tokens
    .filter((_, at) => !isQualifier(at) && !(at > 0 && isQualifier(at - 1)))
    .join(' ')
    .replace(/^create or replace /, 'create ')
    .replace(' if not exists', '')
    .replace(' using btree', '')
    .replaceAll(' = any array ', ' in ')
    .replaceAll(' < > all array ', ' not in ')
    .replaceAll(' ~ ~ ', ' like ')
    .replaceAll(' else null end', ' end')
    .replaceAll(/\b(\w+) as \1\b/g, '$1')
    .replaceAll(NAMED_BY_SERVER, '');
}

/** What a server says of a value without a name, and what it leaves out of a cast. */
const NAMED_BY_SERVER = /\bcast | as (?:min|max|sum|count|coalesce|case|bigint|text)\b/g;

/** Returns a table, its columns and its constraints. */
function partsOfTable(table: Table, words: (sql: string) => string): readonly Part[] {
  const { columns, constraints } = formOnServer(table);
  return [
    { kind: 'table', name: table.name, text: '' },
    ...columns.map(({ name, form }) => ({ kind: 'column', name: `${table.name}.${name}`, text: words(form) })),
    ...constraints.map((text) => ({ kind: 'constraint', name: `of ${table.name}`, text: words(text) })),
  ];
}

const MADE = /^CREATE (?:OR REPLACE )?(?:UNIQUE )?(INDEX|TRIGGER|FUNCTION|VIEW) (?:IF NOT EXISTS )?(\w+)/;

/** Reads the parts of a schema from what makes them and from what a server says of them. */
interface PartReader {
  /** Returns the parts that tables and statements make. */
  madeBy(tables: readonly Table[], statements: readonly string[]): readonly Part[];
  /** Returns a part that a server describes, in the same words. */
  described(part: Part): Part;
}

/** Returns what reads the parts of a schema with these tables. */
export function partsIn(schema: string, tables: readonly Table[]): PartReader {
  const qualifiers = new Set([schema, ...tables.map(({ name }) => name)]);
  const words = (sql: string) => wordsOf(sql, qualifiers);
  const partsOf = (statement: string): readonly Part[] => {
    const sql = statement.trim();
    const [, kind = '', name = ''] = MADE.exec(sql) ?? [];
    const text = kind === 'VIEW' ? sql.replace(/^.*? AS\b\s*/s, '') : sql;
    return kind === '' ? [] : [{ kind: kind.toLowerCase(), name, text: words(text) }];
  };
  return {
    madeBy: (made, statements) => [
      ...made.flatMap((table) => partsOfTable(table, words)),
      ...statements.flatMap(partsOf),
    ],
    described: ({ kind, name, text }) => ({ kind, name, text: words(text) }),
  };
}
