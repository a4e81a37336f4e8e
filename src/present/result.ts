import type * as z from 'zod/mini';
import type { Amount } from '../money/amount.ts';

/** A column of a table. */
export interface Column {
  /** Name in the row as printed; dots lead into nested objects. */
  readonly field: string;
  readonly title: string;
  readonly align?: 'right';
  /** A time without its seconds. */
  readonly isBrief?: true;
  /** Only on a wide terminal. */
  readonly isWide?: true;
  /** Of a list inside a document: the columns of its table, which then has every row; those without a value are left out. */
  readonly columns?: readonly Column[];
}

/** One price of an order book, and how much stands at it. */
export interface Level {
  readonly price: Amount;
  readonly amount: Amount;
}

/** An order book as a chart has it: each side with its best price first. */
export interface Depth {
  readonly title: string;
  readonly upper: { readonly title: string; readonly levels: readonly Level[] };
  readonly lower: { readonly title: string; readonly levels: readonly Level[] };
  /** Between the two: the spread in words. */
  readonly middle: string;
}

/** What a command hands to present. */
export interface Result {
  /** The answer's data as it came (wire shape). */
  readonly data: unknown;
  /** Its schema, which knows the units of money; absent: data is plain already and may hold Amounts. */
  readonly schema?: z.ZodMiniType;
  /** Name of the nested object that is merged with the fields around it (endpoint.nests). */
  readonly nests?: string;
  /** Name of the list inside data whose rows are printed (endpoint.lists). Data that is an array is its own list. */
  readonly lists?: string;
  /** Further pages of rows (wire shape, same element schema), for --all: pulled one page at a time. */
  readonly more?: AsyncIterable<readonly unknown[]>;
  /** The columns of its table; default: the scalar fields of its rows. Of a document: the fields it shows. */
  readonly columns?: readonly Column[];
  /** For `-o raw`: the service's `data` as source text, every digit kept. */
  readonly raw?: string;
  /** The one form it has, whatever -o asks for: JSON, or text of its own such as a script. */
  readonly always?: 'json' | 'text';
  /** Both sides of an order book, drawn in the place of a table. */
  readonly depth?: Depth;
}

/** What of a Result is known before anything is sent: enough to check the options. */
export type ResultShape = Pick<Result, 'schema' | 'nests' | 'lists' | 'always'>;

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml', 'raw'] as const;

export type Format = (typeof FORMATS)[number];

export interface PresentOptions {
  readonly format: Format;
  /** Names of fields to print, in order; dots lead into nested objects. */
  readonly fields?: readonly string[] | undefined;
  /** A JMESPath expression over the whole document. */
  readonly query?: string | undefined;
  readonly color: boolean;
  /** The terminal has letters only, no bars. */
  readonly isPlain?: boolean;
  /** Columns a table may take. Default: the terminal's, and 80 off a terminal. */
  readonly width?: number | undefined;
}
