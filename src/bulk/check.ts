import { CliError } from '../base/errors.ts';
import { problemsFinder } from '../contract/check.ts';
import { type Movement, movementOf } from '../contract/moves.ts';
import { type Amount, type Asset, amount, amountForPeople, assetNamed, printable } from '../money/amount.ts';
import { amountText, type CellProblem, problemOfCell, problemOfDigits } from './cells.ts';
import { type Header, type RowColumn, type RowCommand, savedColumn } from './columns.ts';
import type { FileRow } from './csv.ts';
import { type Findings, findingsOf } from './findings.ts';
import { firstLines } from './first-lines.ts';
import { likelyBanks, mayBeNuban } from './nuban.ts';

/** A row that can be sent: what it is called, and the text of each parameter, by its key; as "name", also whom it names as the holder. */
export interface ReadyRow {
  readonly line: number;
  readonly reference: string;
  readonly texts: Readonly<Record<string, string>>;
  readonly request: unknown;
  /** What it moves, if it moves anything. */
  readonly movement: Movement | undefined;
  /** Whom the row names as the holder of the account. */
  readonly name: string | undefined;
}

/** What a check must know besides the file. */
export interface CheckFacts {
  /** Returns the code of a bank, or what is wrong with how it is named. */
  bank(text: string): string | CellProblem;
  /** Returns the id of the saved bank account with a number at a bank, or why there is none. */
  savedAccount(accountNumber: string, bankCode: string): string | CellProblem;
  /** The codes of all banks. */
  readonly bankCodes: readonly string[];
  /** When something equal was sent in the last 24 hours, by its movement. */
  readonly recent: ReadonlyMap<string, string>;
}

/** The check of the rows of one file, in order. */
export interface RowCheck {
  /** Returns a row that can be sent; undefined for one that cannot, or the file's own total. */
  row(row: FileRow): ReadyRow | undefined;
  readonly findings: Findings;
  rows(): number;
  /** The totals that the file itself has below its rows. */
  readonly totals: readonly { readonly line: number; readonly text: string }[];
}

/** A row, and what it is read by. */
interface GivenRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Returns the text of a cell without spaces around it; empty if there is no such column. */
  text(at: number | undefined): string;
}

const TOTAL = /^(?:grand |sub ?)?totals?:?$/i;

const isTotal = (cells: readonly string[], reference: string): boolean =>
  (reference === '' || TOTAL.test(reference)) && cells.some((cell) => TOTAL.test(cell.trim()));

/** Starts the check of a file whose header was found. */
export function checkRows(command: RowCommand, header: Header, facts: CheckFacts): RowCheck {
  const findings = findingsOf(header);
  const totals: { line: number; text: string }[] = [];
  let rows = 0;
  const checkReference = referenceCheck(header, findings);
  const valuesOf = valueReader(command, header, facts, findings);
  const movementIn = requestReader(command, header, facts, findings);
  return {
    findings,
    totals,
    rows: () => rows,
    row: ({ line, cells }) => {
      if (line <= header.line) return undefined;
      const text = (at: number | undefined) => (at === undefined ? '' : (cells[at] ?? '').trim());
      const reference = text(header.own.reference);
      if (isTotal(cells, reference)) {
        totals.push({ line, text: text(header.at.get('amount')) });
        return undefined;
      }
      rows += 1;
      const before = findings.errors();
      const row = { line, cells, text };
      if (!hasWidth(row, header, findings)) return undefined;
      checkReference(row);
      const read = valuesOf(row);
      if (findings.errors() > before) return undefined;
      const found = movementIn(row, read);
      if (!found || findings.errors() > before) return undefined;
      return { line, reference, texts: read.texts, name: text(header.own.name) || undefined, ...found };
    },
  };
}

function hasWidth({ line, cells }: GivenRow, { width }: Header, { error }: Findings): boolean {
  const isPadded = cells.length > width && cells.slice(width).every((cell) => cell.trim() === '');
  if (cells.length === width || isPadded) return true;
  const hint =
    cells.length < width
      ? 'the file may be cut; export it again'
      : 'an amount such as 5,000 must stand in quotes; export the sheet again';
  error({ line }, { problem: `the row has ${cells.length} cells, and the header ${width}`, hint });
  return false;
}

const LONGEST_REFERENCE = 40;

/** What is wrong with a reference, which names the row for good. */
function problemOfReference(text: string): CellProblem | undefined {
  if (text === '') return { problem: 'is missing' };
  if (text.length > LONGEST_REFERENCE)
    return { problem: `has ${text.length} characters; a reference has at most ${LONGEST_REFERENCE}` };
  return problemOfCell(text);
}

/** Returns what checks that each row has a reference of its own. */
function referenceCheck({ own }: Header, { error }: Findings): (row: GivenRow) => void {
  const lines = new Map<string, number>();
  return ({ line, text }) => {
    const reference = text(own.reference);
    const cell = { line, at: own.reference, text: reference === '' ? undefined : reference };
    const found = problemOfReference(reference);
    const earlier = lines.get(reference);
    if (found) return error(cell, found);
    if (earlier === undefined) lines.set(reference, line);
    else error(cell, { problem: `is that of line ${earlier} too`, hint: 'give each row a reference of its own' });
  };
}

type Parse = (text: string) => { readonly text: string; readonly value: unknown } | CellProblem;

const isProblem = (found: object): found is CellProblem => 'problem' in found;

const notValid = ({ message, hint }: CliError): CellProblem => ({ problem: `is not valid: ${message}`, hint });

/** Returns what reads the cells of a column, after the checks that all columns have in common. */
function parserOf(column: RowColumn, header: Header, facts: CheckFacts): Parse {
  const parsed: Parse = (text) => {
    try {
      return { text, value: column.parse(text) };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      return notValid(error);
    }
  };
  const after =
    (corrected: (text: string) => string | CellProblem): Parse =>
    (text) => {
      const found = corrected(text);
      return typeof found === 'string' ? parsed(found) : found;
    };
  if (column.names === 'bank') return after(facts.bank);
  if (column.key === 'amount') return after((text) => amountText(text, header.delimiter !== ','));
  if (column.key === 'accountNumber') return after((text) => problemOfDigits(text, 10) ?? text);
  return parsed;
}

/** Parameters whose texts repeat from row to row: they name something. */
const isRepeating = ({ names, key }: RowColumn): boolean => names !== undefined || key === 'token' || key === 'network';

/** Different texts of a column that are remembered with what they mean. */
const MOST_REMEMBERED = 2_000;

function remembering(parse: Parse): Parse {
  const known = new Map<string, ReturnType<Parse>>();
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const parsed = parse(text);
    if (known.size < MOST_REMEMBERED) known.set(text, parsed);
    return parsed;
  };
}

interface ReadValues {
  readonly texts: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Returns what reads the values of a row, and says what is wrong with each. */
function valueReader(command: RowCommand, header: Header, facts: CheckFacts, { error }: Findings) {
  const columns = command.columns.flatMap((column) => {
    const at = header.at.get(column.key);
    const parse = parserOf(column, header, facts);
    const read: Parse = (text) => problemOfCell(text) ?? parse(text);
    return at === undefined ? [] : [{ column, at, read: isRepeating(column) ? remembering(read) : read }];
  });
  const bank = command.columns.find(({ names }) => names === 'bank');
  const fillIn = savedAccountReader(command, header, facts, { error });
  return ({ line, text }: GivenRow): ReadValues => {
    const values: Record<string, unknown> = {};
    const texts: Record<string, string> = {};
    const wrong = new Set<string>();
    for (const { column, at, read } of columns) {
      const typed = text(at);
      if (typed === '') {
        if (column.isRequired && !(fillIn && column.names === 'bank account'))
          error({ line, at }, { problem: 'is missing' });
        continue;
      }
      const found = read(typed);
      if (isProblem(found)) {
        error({ line, at, text: column.isSecret ? undefined : typed }, found);
        wrong.add(column.key);
      } else {
        if (!column.isOther) values[column.key] = found.value;
        texts[column.key] = found.text;
      }
    }
    // Staged with the row, so that an approver can compare it with the holder of the account.
    const holder = text(header.own.name);
    if (holder !== '') texts['name'] ??= holder;
    const named = text(header.bankNameAt);
    const code = bank && named !== '' ? facts.bank(named) : undefined;
    const given = texts[bank?.key ?? ''];
    if (typeof code === 'string' && given !== undefined && code !== given)
      error(
        { line, at: header.bankNameAt, text: named },
        {
          problem: `is bank ${code}, and the code of the row is ${given}`,
          hint: 'correct one of them, or remove the column',
        },
      );
    fillIn?.(line, { texts, values, wrong });
    return { texts, values };
  };
}

/** Returns what fills in the id of the saved bank account that a row names by its number; undefined for a file without such numbers. */
function savedAccountReader(
  command: RowCommand,
  header: Header,
  facts: CheckFacts,
  { error }: Pick<Findings, 'error'>,
) {
  const saved = savedColumn(command);
  const at = header.at.get('accountNumber');
  if (!saved || at === undefined) return undefined;
  return (
    line: number,
    {
      texts,
      values,
      wrong,
    }: { texts: Record<string, string>; values: Record<string, unknown>; wrong: ReadonlySet<string> },
  ): void => {
    // What is wrong with them has been said.
    if (['accountNumber', 'bankCode', saved.key].some((key) => wrong.has(key))) return;
    const { accountNumber, bankCode, [saved.key]: id } = texts;
    const cell = { line, at, text: accountNumber };
    if (accountNumber === undefined) {
      if (id === undefined) error(cell, { problem: 'is missing' });
      return;
    }
    if (bankCode === undefined) {
      error(cell, { problem: 'is a number at a bank that the row does not name', hint: 'give the bank too' });
      return;
    }
    const found = facts.savedAccount(accountNumber, bankCode);
    if (typeof found !== 'string') {
      error(cell, found);
      return;
    }
    if (id !== undefined && id !== found)
      error(cell, {
        problem: `is the number of the saved account ${found}, and the row names ${printable(id)} too`,
        hint: 'remove one of them',
      });
    texts[saved.key] = found;
    values[saved.key] = saved.parse(found);
  };
}

/** Returns what makes the request of a row, checks it as a whole, and warns of what is unlikely. */
function requestReader(command: RowCommand, header: Header, facts: CheckFacts, findings: Findings) {
  const { endpoint } = command;
  const positions = new Map(command.columns.map(({ key, title }) => [title, header.at.get(key)] as const));
  const warn = warningsOf(header, facts, findings);
  const problemsIn = problemsFinder(endpoint.request());
  return ({ line, text }: GivenRow, { texts, values }: ReadValues) => {
    let request: unknown;
    try {
      request = command.requestOf(values);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      findings.error({ line }, notValid(error));
      return undefined;
    }
    for (const { field, message } of problemsIn(request))
      findings.error({ line, at: positions.get(command.titleOf(field)) }, { problem: message });
    const movement = endpoint.moves && movementOf(endpoint, request);
    const currency = text(header.own.currency);
    if (movement && currency !== '' && assetNamed(currency) !== movement.amount.asset)
      findings.error(
        { line, at: header.own.currency, text: currency },
        { problem: `is not ${movement.amount.asset}, in which the amount is sent` },
      );
    else if (movement) {
      const { asset, minor } = movement.amount;
      findings.sums.set(asset, (findings.sums.get(asset) ?? 0n) + minor);
    }
    warn(line, movement, texts);
    return { request, movement };
  };
}

/** Check digits that are named one by one: a list of made-up numbers has one on nearly every line. */
const MOST_DIGITS = 100;

/** Returns what warns of a row that is unlikely, after those before it. */
export function warningsOf(header: Header, { recent, bankCodes }: CheckFacts, { warning }: Findings) {
  const firstWith = firstLines();
  let digits = 0;
  const at = { amount: header.at.get('amount'), accountNumber: header.at.get('accountNumber') };
  return (line: number, movement: Movement | undefined, texts: ReadValues['texts']): void => {
    const { bankCode, accountNumber, to } = texts;
    if (movement) {
      const earlier = firstWith(movement.text, line);
      const sent = recent.size === 0 ? undefined : recent.get(movement.text);
      if (earlier !== undefined)
        warning({ line, at: at.amount }, { problem: `has the amount and the destination of line ${earlier}` });
      if (sent !== undefined)
        warning({ line, at: at.amount }, { problem: `the same was sent to the same destination at ${sent}` });
    }
    // The bank has verified an account that is saved.
    if (to !== undefined || bankCode === undefined || accountNumber === undefined) return;
    if (mayBeNuban(bankCode, accountNumber)) return;
    digits += 1;
    if (digits > MOST_DIGITS) return;
    const likely = likelyBanks(accountNumber, bankCodes);
    const hint = likely.length === 0 ? undefined : `it has the check digit of: ${likely.slice(0, 5).join(', ')}`;
    const cell = { line, at: at.accountNumber, text: accountNumber };
    warning(cell, { problem: `does not have the check digit of bank ${bankCode}`, hint });
  };
}

/** What a person says that a file has. */
export interface Controls {
  readonly count?: number | undefined;
  readonly total?: string | undefined;
}

/** Compares a sum with what someone says that it is. Returns what is wrong; undefined if nothing is. */
export function problemOfTotal(
  text: string,
  sums: ReadonlyMap<Asset, bigint>,
  mayHaveDecimalComma: boolean,
  parse: (text: string, asset: Asset) => Amount,
): CellProblem | undefined {
  const [only, ...others] = sums;
  if (!only || others.length > 0) return { problem: 'a total needs rows of one asset' };
  const [asset, minor] = only;
  const figure = amountText(text, mayHaveDecimalComma);
  if (typeof figure !== 'string') return figure;
  try {
    const stated = parse(figure, asset);
    const found = amountForPeople(amount(asset, minor));
    return stated.minor === minor
      ? undefined
      : { problem: `the total is ${amountForPeople(stated)}, and that of the rows is ${found}` };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { problem: error.message };
  }
}
