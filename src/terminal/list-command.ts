import { CliError } from '../base/errors.ts';
import { type Endpoint, FAILS } from '../contract/endpoint.ts';
import { type FieldMeta, valuesOf } from '../contract/fields.ts';
import { shapeOf, unwrap } from '../contract/rows.ts';
import type { Account } from '../engine/account.ts';
import { filterOf, listed } from '../engine/lists/listed.ts';
import { columnsOf, listingOf } from '../engine/lists/listing-of.ts';
import type { Listing, RowFilter } from '../engine/lists/pages.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Column } from '../present/result.ts';
import type { ServiceList, Thing } from '../things/thing.ts';
import { type Command, command, type Declaration } from './command.ts';
import { networkName } from './parse/field-options.ts';
import {
  id,
  newFile,
  oneOf,
  oneOfAnyCase,
  option,
  type Parameter,
  type Parameters,
  plainText,
  switchOn,
  ticker,
  type Values,
  wholeNumber,
  word,
} from './parse/parameters.ts';
import { periodOf, periodOptions } from './parse/period.ts';
import type { Terminal } from './terminal.ts';

function outputPath(text: string): string {
  if (text !== '-') return newFile(text);
  throw new CliError('usage', '"-" is not a file name', {
    hint: 'give the path of a file; without --output-file, output goes to stdout',
  });
}

/** The options of a local list that is printed in pages. */
export function pageOptions() {
  return {
    limit: option('--limit <count>', 'rows per page, 1 to 100 (default 20)', wholeNumber(1, 100)),
    after: option('--after <cursor>', 'continue after this cursor, printed with the previous page', word),
    all: switchOn('--all', 'print all pages as one list'),
  };
}

/** The options of a list of the service. */
export function listOptions() {
  return {
    ...pageOptions(),
    outputFile: option(
      '--output-file <file>',
      'with --all: write to a new file; after an interruption, run the same command again to resume',
      outputPath,
    ),
  };
}

/** An option that filters a list by one of some words: `--status <status>`. */
export function choice<const V extends readonly string[]>(name: string, values: V) {
  return option(`--${name} <${name}>`, `${values.join(', ')} (default all)`, oneOf(...values));
}

/** The option that filters a list by token. */
const tokenFilter = option('--token <ticker>', 'CNGN, USDC or USDT (default all)', ticker);

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

type ListValues = Values<ReturnType<typeof listOptions> & typeof listPeriod>;

/** Adds to what is printed. `ask` asks for the first row with other filters, and returns the data of the response. */
type Printed = (
  outcome: Outcome,
  list: { readonly account: Account; ask(more: object): Promise<unknown> },
) => Promise<Outcome>;

/** Declares a command that prints a list of the service in pages. Its own parameters filter the list. */
export function listCommand<E extends Endpoint, Row, P extends Parameters>(
  endpoint: E,
  {
    listing,
    printed,
    ...definition
  }: Omit<Declaration<P>, 'endpoints' | 'prints' | 'run'> & {
    listing(filters: Values<P>): Listing<E, Row>;
    readonly printed?: Printed;
  },
): Command {
  const parameters = { ...definition.parameters, ...listPeriod, ...listOptions() };
  const names = Object.keys(definition.parameters);
  const run = async (
    account: Account,
    terminal: Terminal,
    input: Values<P> & ListValues & Readonly<Record<string, unknown>>,
  ) => {
    const period = { since: input.startDate, until: input.endDate };
    const filters = Object.fromEntries(names.map((name) => [name, input[name]])) as Values<P>;
    const listPeriod = periodOf(period, terminal);
    const outcome = await listed(account, listing(filters), { ...input, ...period }, listPeriod);
    const first = listing(filters).request({ size: 1, offset: 0 }, listPeriod);
    const ask = async (more: object) => (await account.call(endpoint, { ...first, ...more })).data;
    return printed ? printed(outcome, { account, ask }) : outcome;
  };
  return command({
    ...definition,
    endpoints: [endpoint.id],
    prints: { response: endpoint },
    parameters,
    run,
  } as unknown as Declaration<P>);
}

/** What the rows of a list without pages have to filter by: names, a time and a state. */
interface RowFields {
  readonly names?: { readonly called: string; readonly fields: readonly string[] };
  readonly time?: string;
  readonly statuses?: readonly string[];
}

type FieldOf = (name: string) => string | null | undefined;

/** Adds the options to a list without pages that filter its rows: the service returns all of them, and fiatrail leaves out what does not match. */
export function wholeList(list: Command, { names, time, statuses }: RowFields): Command {
  const parameters: Parameters = {
    ...list.parameters,
    ...(names ? { search: searchOption(names.called) } : {}),
    ...(statuses ? { status: choice('status', statuses) } : {}),
    ...(time ? periodOptions : {}),
  };
  const run = async (
    account: Account,
    terminal: Terminal,
    input: Partial<Values<typeof periodOptions>> & { readonly search?: string; readonly status?: string },
  ) => {
    const { search, status, since, until } = input;
    const period = periodOf({ since, until }, terminal);
    const outcome = await list.run(account, terminal, input as never);
    const { raw: _, ...result } = outcome.result ?? { data: undefined };
    const { data, lists = '' } = result;
    const rows = (data as Readonly<Record<string, readonly object[]>> | undefined)?.[lists];
    if (!rows || [search, status, since, until].every((given) => given === undefined)) return outcome;
    const fieldOf =
      (row: object): FieldOf =>
      (name) =>
        (row as Readonly<Record<string, string | null>>)[name];
    const searched = searchFilter<object>(search, (row) => names?.fields.map(fieldOf(row)) ?? []);
    const timed = filterOf({ filter: searched, timeOf: (row: object) => fieldOf(row)(time ?? '') }, {}, period);
    const matching = rows.filter(
      (row) => (timed?.matches(row) ?? true) && (status === undefined || fieldOf(row)('status') === status),
    );
    const extent = { isWhole: true, position: { total: matching.length } };
    return { ...outcome, result: { ...result, list: extent, data: { ...(data as object), [lists]: matching } } };
  };
  return { ...list, parameters, run: run as Command['run'] };
}

/** The options that filter a list, by the fields of its request. */
const FILTERS: Readonly<Record<string, (meta: FieldMeta) => Parameter<unknown>>> = {
  status: (meta) => choiceOf('status', meta),
  pair: (meta) => choiceOf('pair', meta),
  side: (meta) => choiceOf('side', meta),
  type: (meta) => choiceOf('type', meta),
  direction: ({ rule = '' }) => option('--direction <direction>', `${rule} (default both)`, oneOf('in', 'out')),
  userId: () => option('--user <user-id>', 'only this user’s', id),
  token: () => tokenFilter,
  fromNetwork: () => option('--from-network <network>', 'only from this network', networkName),
  toNetwork: () => option('--to-network <network>', 'only to this network', networkName),
};

/** An option for the documented values of a field. */
function choiceOf(name: string, meta: FieldMeta): Parameter<unknown> {
  const values = valuesOf(meta) ?? [];
  const isAnyCase = meta.rule?.includes('case-insensitive') === true;
  return option(
    `--${name} <${name}>`,
    `${values.join(', ')} (default all)`,
    (isAnyCase ? oneOfAnyCase : oneOf)(...values),
  );
}

/** What a list command says that its record does not. */
interface ListTexts {
  readonly words?: readonly string[];
  readonly summary?: string;
  readonly details?: string;
  readonly examples?: readonly string[];
  readonly columns?: readonly Column[];
  readonly isView?: boolean;
  readonly printed?: Printed;
  /** Throws CliError usage for filters that exclude each other; returns those to send. */
  readonly checked?: (filters: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

/** Declares the command that prints a list of the service; its request says what it can be filtered by. */
export function serviceListCommand<E extends Endpoint, Row>(
  list: ServiceList<E, Row>,
  {
    words,
    summary,
    examples,
    columns,
    printed,
    checked = (filters) => filters,
    ...texts
  }: ListTexts & Required<Pick<ListTexts, 'words' | 'summary'>>,
  { types, of }: Partial<Pick<Thing, 'types' | 'of'>> = {},
): Command {
  const fields = Object.entries(shapeOf(list.endpoint.request()) ?? {});
  const isAsked = (name: string) =>
    Object.hasOwn(FILTERS, name) && (name !== 'type' || types?.length !== 1) && (name !== 'userId' || of !== 'account');
  const parameters = Object.fromEntries(
    fields.flatMap(([name, field]) => {
      const { meta } = unwrap(field);
      const known = name === 'type' && types && meta ? { ...meta, type: `enum[${types.join(',')}]` } : meta;
      return known && isAsked(name) ? [[name, FILTERS[name]?.(known)]] : [];
    }),
  ) as Parameters;
  const command = `fiatrail ${words.join(' ')}`;
  const documented = (name: string) => {
    const field = fields.find(([each]) => each === name);
    return (field && valuesOf(unwrap(field[1]).meta ?? { type: '' })) ?? [];
  };
  const others = documented('type').filter((type) => !types?.includes(type));
  const values = documented('status');
  const value = values.find((each) => FAILS.status.some((failed) => failed === each)) ?? values.at(0);
  return listCommand(list.endpoint, {
    ...texts,
    words,
    summary,
    examples: examples ?? [
      `${command} --status ${value} --since 7d`,
      `${command} --since 2026-11-01 --until 2026-11-30 --all -o csv`,
    ],
    parameters,
    ...(printed ? { printed } : {}),
    listing: (filters) => {
      const wanted = { ...checked(filters as Readonly<Record<string, unknown>>) };
      const type = wanted['type'] ?? (types?.length === 1 ? types[0] : undefined);
      return listingOf(list, { ...wanted, type } as never, {
        columns: columns ?? columnsOf(list, { type }),
        filter: types && type === undefined ? withoutTypes(others, types) : undefined,
      });
    },
  });
}

/**
 * Leaves out the rows that are another thing: the service filters by one type at a time. A row without a type, or of one that nobody documented, stays.
 */
const withoutTypes = (others: readonly string[], own: readonly string[]): RowFilter<unknown> => ({
  typed: { 'several types': own.join(', ') },
  matches: (row) => !others.includes((row as { readonly type?: string }).type ?? ''),
});

/** Declares the command that lists one kind of thing. */
export function thingListCommand(thing: Thing, texts: ListTexts = {}): Command {
  const { list, lists = '', name, types } = thing;
  if (!list) throw new Error(`no list has ${name}`);
  const words = { words: lists.split(' '), summary: `List ${name}s, newest first`, isView: types !== undefined };
  return serviceListCommand(list, { ...words, ...texts }, thing);
}
