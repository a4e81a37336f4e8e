import { CliError } from '../base/errors.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { listed } from '../engine/lists/listed.ts';
import type { Listing, RowFilter } from '../engine/lists/resume.ts';
import type { Outcome } from '../engine/outcome.ts';
import { type Command, command, type Declaration } from './command.ts';
import {
  id,
  newFile,
  oneOf,
  option,
  type Parameters,
  plainText,
  switchOn,
  ticker,
  type Values,
  wholeNumber,
  word,
} from './parse/parameters.ts';
import { periodOf, periodOptions } from './parse/period.ts';
import type { Session } from './session.ts';

function outputPath(text: string): string {
  if (text !== '-') return newFile(text);
  throw new CliError('usage', '"-" is not a file name', {
    hint: 'give the path of a file; without --output-file, output goes to stdout',
  });
}

/** The options of a local list that is printed in pages; `rows` names its rows in the help. */
export function pageOptions(rows: string) {
  return {
    limit: option('--limit <count>', `${rows} per page, 1 to 100 (default 20)`, wholeNumber(1, 100)),
    after: option('--after <cursor>', 'the next page: the cursor that the page before ends with', word),
    all: switchOn('--all', 'print all pages as one list'),
  };
}

/** The options of a list of the service. */
export function listOptions(rows: string) {
  return {
    ...pageOptions(rows),
    outputFile: option(
      '--output-file <file>',
      'with --all: write to a new file; after an interruption, run the same command again to resume',
      outputPath,
    ),
  };
}

/** The states of a bank transfer in the history. */
export const BANK_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;

/** The states of a withdrawal in the history. */
export const WITHDRAWAL_STATUSES = ['pending', 'completed', 'failed'] as const;

/** An option that filters a list by one of some words: `--status <status>`. */
export function choice<const V extends readonly string[]>(name: string, values: V) {
  return option(`--${name} <${name}>`, `${values.join(', ')} (default all)`, oneOf(...values));
}

/** The option that filters a list by user. */
export const userOption = (help: string) => option('--user <user-id>', help, id);

/** The option that filters a list by token. */
export const tokenFilter = option('--token <ticker>', 'token: CNGN, USDC or USDT (default all)', ticker);

/** The option that filters a list by names; `names` says which. */
export const searchOption = (names: string) =>
  option('--search <text>', `only rows whose ${names} contains this`, plainText);

/** A filter of rows by a text in one of their names, ignoring case. */
export function searchFilter<Row>(
  search: string | undefined,
  namesOf: (row: Row) => readonly (string | null | undefined)[],
): RowFilter<Row> | undefined {
  if (search === undefined) return undefined;
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return {
    typed: { '--search': search },
    matches: (row) => {
      const names = namesOf(row).join(' ').toLowerCase();
      return wanted.every((word) => names.includes(word));
    },
  };
}

/** The options for the period of a list, by the fields of its request. */
export const listPeriod = { startDate: periodOptions.since, endDate: periodOptions.until };

type Page = Values<ReturnType<typeof listOptions> & typeof listPeriod>;

/** Declares a command that prints a list of the service in pages. Its own parameters filter the list. */
export function listCommand<E extends Endpoint, Row, P extends Parameters>(
  endpoint: E,
  {
    rows,
    listing,
    printed,
    ...definition
  }: Omit<Declaration<P>, 'endpoints' | 'prints' | 'run'> & {
    /** The name of the rows in the help of --limit. */
    readonly rows: string;
    listing(filters: Values<P>): Listing<E, Row>;
    /** Adds to what is printed. */
    readonly printed?: (outcome: Outcome) => Outcome;
  },
): Command {
  const parameters = { ...definition.parameters, ...listPeriod, ...listOptions(rows) };
  const names = Object.keys(definition.parameters);
  const run = async (session: Session, input: Values<P> & Page & Readonly<Record<string, unknown>>) => {
    const period = { since: input.startDate, until: input.endDate };
    const filters = Object.fromEntries(names.map((name) => [name, input[name]])) as Values<P>;
    const outcome = await listed(session, listing(filters), { ...input, ...period }, periodOf(period, session));
    return printed ? printed(outcome) : outcome;
  };
  return command({
    ...definition,
    ...{ endpoints: [endpoint.id], prints: { response: endpoint }, parameters, run },
  } as unknown as Declaration<P>);
}
