import { advice, type Hint } from '../../../base/advice.ts';
import { CliError } from '../../../base/errors.ts';
import { CLOSED_FUNCTIONS } from '../../../sqlite/query.ts';

/** A part of an SQL text that is neither a space nor a comment. */
interface SqlToken {
  readonly kind: 'word' | 'text' | 'number' | 'sign';
  /** A word without its quotes; anything else as it stands there. */
  readonly text: string;
  /** Whether a word has quotes, so that it is no keyword. */
  readonly isQuoted: boolean;
  readonly at: number;
  readonly end: number;
}

/** An SQL text that may run: one statement that reads. */
export interface SqlStatement {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
  readonly isExplained: boolean;
  /** Whether columns that tell about someone are null, whatever the query computes of them. */
  readonly hidesPersonal?: boolean;
}

/** No question is this long, and a parser that gets more takes minutes. In characters. */
export const MAX_SQL_LENGTH = 1_000_000;

// As SQLite's own tokenizer (sqlite.org/src: tokenize.c), so that no name can be hidden in what this takes for a text or a comment. A comment
// or a quote that is not closed goes to the end.
const TOKENS = new RegExp(
  [
    '(?<space>[ \\t\\n\\f\\r\\ufeff]+|--[^\\n]*|/\\*[^*]*(?:\\*(?!/)[^*]*)*(?:\\*/|$))',
    `(?<text>'[^']*(?:''[^']*)*(?:'|$))`,
    '(?<quoted>"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\\[[^\\]]*(?:\\]|$))',
    '(?<word>[A-Za-z_\\u0080-\\uffff][\\w$\\u0080-\\uffff]*)',
    '(?<number>\\d\\w*)',
    '(?<sign>[^])',
  ].join('|'),
  'y',
);

/** Says where something is: people count from 1. */
export function positionIn(sql: string, at: number): string {
  const lines = sql.slice(0, at).split('\n');
  const column = `column ${[...(lines.at(-1) ?? '')].length + 1}`;
  return sql.trim().includes('\n') ? `line ${lines.length}, ${column}` : column;
}

/** Returns the tokens of an SQL text. */
function tokensOf(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  TOKENS.lastIndex = 0;
  for (let at = 0; at < sql.length; at = TOKENS.lastIndex) {
    const { text, quoted, word, number, sign } = TOKENS.exec(sql)?.groups ?? {};
    const found = text ?? quoted ?? word ?? number ?? sign;
    if (found === undefined) continue;
    const kind = text !== undefined ? 'text' : number !== undefined ? 'number' : sign !== undefined ? 'sign' : 'word';
    tokens.push({
      kind,
      at,
      end: TOKENS.lastIndex,
      isQuoted: quoted !== undefined,
      text: quoted === undefined ? found : withoutQuotes(quoted),
    });
  }
  return tokens;
}

function withoutQuotes(quoted: string): string {
  const quote = quoted[0] === '[' ? ']' : (quoted[0] ?? '');
  return quoted.slice(1, -1).replaceAll(quote + quote, quote);
}

const READS = ['SELECT', 'VALUES', 'WITH'];
/** What may follow the definitions of WITH. */
const AFTER_WITH = ['SELECT', 'VALUES', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE'];

const ONLY_READS = 'fiatrail sql only reads: SELECT, WITH … SELECT, VALUES and EXPLAIN of one of these';

const keyword = (token: SqlToken | undefined): string =>
  token?.kind === 'word' && !token.isQuoted ? token.text.toUpperCase() : '';

/** Returns a text as a statement that only reads. Throws CliError usage for anything else. */
export function statementOf(sql: string, isExplained: boolean): SqlStatement {
  const refused = (message: string, token?: SqlToken, hint: Hint = ONLY_READS) =>
    new CliError('usage', token ? `${message}, at ${positionIn(sql, token.at)}` : message, {
      code: 'QUERY_INVALID',
      hint,
    });
  if (sql.length > MAX_SQL_LENGTH) throw refused(`the query is longer than ${MAX_SQL_LENGTH} characters`);
  if (sql.includes('\0')) throw refused('the query has a null character');
  const all = tokensOf(sql);
  const isEnd = ({ kind, text }: SqlToken) => kind === 'sign' && text === ';';
  const tokens = all.slice(0, all.findLastIndex((token) => !isEnd(token)) + 1);
  const [first] = tokens;
  if (!first)
    throw refused('the query is empty', undefined, advice`for example: [fiatrail sql "select count(*) from users"]`);
  const next = tokens.find(isEnd);
  if (next) throw refused('there is more than one statement', next, 'run one statement at a time');
  const variable = tokens.find(({ kind, text }) => kind === 'sign' && '?:@#$'.includes(text));
  if (variable) throw refused('the query has a variable', variable, 'write its value into the query');
  const bare = withoutExplain(tokens);
  const [verb = first] = bare;
  const changes = keyword(verb) === 'WITH' ? verbAfterWith(bare) : verb;
  if (!READS.includes(keyword(verb)) || (changes && !READS.includes(keyword(changes)))) {
    const { text } = changes ?? verb;
    throw refused(`a query cannot begin with "${text.slice(0, 40)}"`, changes ?? verb);
  }
  const end = tokens.at(-1)?.end ?? 0;
  return { sql: sql.slice(0, end), tokens, isExplained: isExplained && bare.length === tokens.length };
}

function withoutExplain(tokens: readonly SqlToken[]): readonly SqlToken[] {
  if (keyword(tokens[0]) !== 'EXPLAIN') return tokens;
  return tokens.slice(keyword(tokens[1]) === 'QUERY' && keyword(tokens[2]) === 'PLAN' ? 3 : 1);
}

/** The verb of a statement after its WITH, which may also be one that writes. */
function verbAfterWith(tokens: readonly SqlToken[]): SqlToken | undefined {
  let depth = 0;
  for (const token of tokens.slice(1)) {
    if (token.kind === 'sign' && token.text === '(') depth += 1;
    else if (token.kind === 'sign' && token.text === ')') depth -= 1;
    else if (depth === 0 && AFTER_WITH.includes(keyword(token))) return token;
  }
  return undefined;
}

/** Names that reach what is not documented, whatever the database has. */
const INTERNAL = /^(?:sqlite|pragma)_\w*$/;

/**
 * Finds the first name that a query must not use. SQLite has no other way to write a name than these tokens, and takes a text in quotes for a
 * name where it expects one.
 */
export function closedName(
  { tokens }: SqlStatement,
  readable: readonly string[],
  open: ReadonlySet<string>,
): SqlToken | undefined {
  const closed = new Set([...CLOSED_FUNCTIONS, ...readable.filter((name) => !open.has(name))]);
  return tokens.find((token) => {
    if (token.kind !== 'word' && token.kind !== 'text') return false;
    const name = (token.kind === 'text' ? withoutQuotes(token.text) : token.text).toLowerCase();
    return closed.has(name) || INTERNAL.test(name);
  });
}
