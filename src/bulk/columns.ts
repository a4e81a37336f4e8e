import { advice } from '../base/advice.ts';
import { isOneEditApart } from '../base/edit-distance.ts';
import { CliError } from '../base/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { printable } from '../money/amount.ts';
import { DELIMITERS, type Delimiter } from './csv.ts';

/** A column of a file: a parameter of the command that runs for each row. */
export interface RowColumn {
  /** The name of the parameter. */
  readonly key: string;
  /** As the column is called, such as `account number`. */
  readonly title: string;
  readonly help: string;
  readonly isRequired: boolean;
  /** Never printed, stored or staged. */
  readonly isSecret: boolean;
  /** What its values name, such as `bank` or `active user`. */
  readonly names?: string | undefined;
  /** Whether it is none of the command's parameters: it says in another way what the column of the saved bank account says. */
  readonly isOther?: boolean;
  /** Throws CliError usage. */
  parse(text: string): unknown;
}

/** A command that runs for each row of a file. */
export interface RowCommand {
  /** Such as `offramp create`. */
  readonly words: string;
  readonly endpoint: Endpoint;
  readonly columns: readonly RowColumn[];
  /** Returns the request of a row whose bank is a code. Throws CliError usage. */
  requestOf(values: Readonly<Record<string, unknown>>): unknown;
  /** Returns the title of the column that a field of the request comes from. */
  titleOf(field: string): string;
}

/** Returns the column that names a saved bank account, if a file may name one by its number too. */
export const savedColumn = ({ columns }: Pick<RowCommand, 'columns'>): RowColumn | undefined =>
  columns.some(({ isOther }) => isOther) ? columns.find(({ names }) => names === 'bank account') : undefined;

/** Returns the values of a row by the names of its parameters. */
export const rowValues = (
  texts: Readonly<Record<string, string>>,
  { columns }: Pick<RowCommand, 'columns'>,
): Record<string, unknown> =>
  Object.fromEntries(
    columns.flatMap(({ key, isOther, parse }) => {
      const text = texts[key];
      return text === undefined || isOther ? [] : [[key, parse(text)] as const];
    }),
  );

/** What a cell is that belongs to no parameter. */
type OwnKey = 'reference' | 'name' | 'currency';

const OWN: readonly OwnKey[] = ['reference', 'name', 'currency'];

/** Other words for the titles of columns, as sheets have them. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  reference: [
    'ref',
    'reference no',
    'reference number',
    'reference id',
    'payment reference',
    'payment ref',
    'transaction reference',
    'transaction ref',
    'customer reference',
    'unique reference',
    'invoice',
    'invoice no',
    'invoice number',
  ],
  'bank code': [
    'beneficiary bank code',
    'destination bank code',
    'vendor bank code',
    'nibss code',
    'nip code',
    'bank sort code',
    'vendor bank sort code',
  ],
  'account number': [
    'account',
    'account no',
    'acct no',
    'acct number',
    'a/c no',
    'nuban',
    'beneficiary account',
    'beneficiary account no',
    'beneficiary account number',
    'vendor account number',
    'vendor account no',
    'vendor acct number',
    'credit account number',
    'destination account',
    'destination account number',
  ],
  amount: ['amount ngn', 'amount naira', 'amount ₦', 'payment amount', 'transaction amount', 'net amount', 'value'],
  'user id': ['user', 'customer id'],
  note: ['narration', 'remark', 'remarks', 'description', 'purpose', 'payment details'],
  token: ['asset', 'ticker'],
  to: ['destination', 'destination address', 'bank account', 'bank account id'],
  from: ['wallet', 'source wallet'],
  name: [
    'account name',
    'beneficiary',
    'beneficiary name',
    'holder',
    'payee',
    'recipient',
    'supplier',
    'supplier name',
    'vendor',
    'vendor name',
  ],
  currency: ['ccy', 'payment currency'],
};

/** Words for a column that gives a bank by name beside one that gives its code. */
const BANK_NAMES: readonly string[] = [
  'bank',
  'bank name',
  'beneficiary bank',
  'beneficiary bank name',
  'destination bank',
];

const normal = (text: string): string =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}₦/]+/gu, ' ')
    .trim();

/** Where the cells of each column are. */
export interface Header {
  readonly line: number;
  readonly delimiter: Delimiter;
  readonly width: number;
  /** The position of each column that a command has, by its key. */
  readonly at: ReadonlyMap<string, number>;
  /** The position of the name of a bank, if another column has its code. */
  readonly bankNameAt: number | undefined;
  readonly own: Readonly<Partial<Record<OwnKey, number>>>;
  /** What the columns are called in the file, by position. */
  readonly titles: readonly string[];
  /** The titles of columns that nothing reads. */
  readonly unused: readonly string[];
}

/** The columns that each title of a command may stand for. */
function titlesOf({ columns }: RowCommand): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  const add = (title: string, key: string) => {
    for (const word of [title, ...(OTHER_WORDS[title] ?? [])]) if (!taken.has(word)) taken.set(word, key);
  };
  for (const { key, title } of columns) taken.set(title, key);
  for (const { key, title } of columns) add(title, key);
  for (const key of OWN) add(key, key);
  const bank = columns.find(({ names }) => names === 'bank');
  for (const word of bank ? BANK_NAMES : []) if (!taken.has(word)) taken.set(word, 'bank name');
  return taken;
}

/** Lines before the header: a title, or comments. */
const MOST_BEFORE = 30;

interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Finds the header in the first lines of a file, and what its cells are separated by. Throws CliError usage that names the columns that are missing, or
 * may be misspelled.
 */
export function headerIn(sample: string, command: RowCommand): Header {
  const titles = titlesOf(command);
  const lines = sample
    .replace(/^\u{FEFF}/u, '')
    .split(/\r\n|\n|\r/)
    .slice(0, MOST_BEFORE);
  const found = DELIMITERS.flatMap((delimiter) =>
    lines.map((text, index) => {
      const cells = cellsOf(text, delimiter);
      const known = cells.filter((cell) => titles.has(normal(cell))).length;
      return { delimiter, line: index + 1, cells, known };
    }),
  );
  const best = found.reduce((one, other) => (other.known > one.known ? other : one));
  if (best.known === 0)
    throw missing(
      command,
      command.columns.filter(({ isRequired }) => isRequired),
    );
  return headerOf(best, best.delimiter, command, titles);
}

/** Splits a line of titles, which have no line ends in them. */
function cellsOf(text: string, delimiter: Delimiter): readonly string[] {
  const cells: string[] = [];
  let isQuoted = false;
  let cell = '';
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      cells.push(cell);
      cell = '';
    } else cell += character;
  }
  return [...cells, cell];
}

function headerOf(
  { line, cells }: Line,
  delimiter: Delimiter,
  command: RowCommand,
  titles: ReadonlyMap<string, string>,
): Header {
  const at = new Map<string, number>();
  const unused: string[] = [];
  for (const [index, cell] of cells.entries()) {
    const key = titles.get(normal(cell));
    const before = key === undefined ? undefined : at.get(key);
    if (key === undefined) {
      if (cell.trim() !== '') unused.push(cell.trim());
      requireNoTypo(cell, titles, line);
    } else if (before === undefined) at.set(key, index);
    else throw twice(line, cells[before] ?? '', cell);
  }
  const bank = command.columns.find(({ names }) => names === 'bank');
  const bankNameAt = at.get('bank name');
  at.delete('bank name');
  const isBankByName = bank !== undefined && bankNameAt !== undefined && !at.has(bank.key);
  if (isBankByName) at.set(bank.key, bankNameAt);
  const byNumber = at.has('accountNumber') ? savedColumn(command) : undefined;
  const lacking = command.columns.filter(({ key, isRequired }) => isRequired && !at.has(key) && key !== byNumber?.key);
  if (lacking.length > 0 || !at.has('reference')) throw missing(command, lacking, at.has('reference'), line);
  const own = Object.fromEntries(OWN.map((key) => [key, at.get(key)] as const));
  for (const key of OWN) if (!command.columns.some((column) => column.key === key)) at.delete(key);
  return {
    line,
    delimiter,
    width: cells.length,
    at,
    bankNameAt: isBankByName ? undefined : bankNameAt,
    own,
    titles: cells.map((cell) => cell.trim()),
    unused,
  };
}

/** Throws CliError usage for a title that is nearly that of a column, which would otherwise be left out in silence. */
function requireNoTypo(cell: string, titles: ReadonlyMap<string, string>, line: number): void {
  const typed = normal(cell);
  const meant = [...titles.keys()].find((title) => title.length > 4 && isOneEditApart(title, typed));
  if (meant === undefined) return;
  throw new CliError('usage', `line ${line}: there is no column "${printable(cell.trim())}"; nothing was sent`, {
    code: 'UNKNOWN_COLUMN',
    hint: `write "${meant}" if that is meant, or give the column another name`,
  });
}

const twice = (line: number, one: string, other: string) =>
  new CliError(
    'usage',
    `line ${line}: "${printable(one.trim())}" and "${printable(other.trim())}" are the same column; nothing was sent`,
    { code: 'COLUMN_TWICE', hint: 'remove one of them' },
  );

function missing(command: RowCommand, columns: readonly RowColumn[], hasReference = false, line?: number): CliError {
  const titles = [...(hasReference ? [] : ['reference']), ...columns.map(({ title }) => title)];
  const where = line === undefined ? 'the file has no line with the titles of columns' : `line ${line}`;
  const what = titles.length === 1 ? 'a column is' : 'columns are';
  return new CliError('usage', `${where}: ${what} missing: ${titles.join(', ')}; nothing was sent`, {
    code: 'MISSING_COLUMN',
    hint: advice`see the columns with: [fiatrail bulk template "${command.words}"]`,
  });
}
