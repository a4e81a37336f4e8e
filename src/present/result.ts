import type * as z from 'zod/mini';

/** A column of a table. */
export interface Column {
  /** Name in the row as printed; dots lead into nested objects. */
  readonly field: string;
  readonly title: string;
  readonly align?: 'right';
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
}

/** What of a Result is known before anything is sent: enough to check the options. */
export type ResultShape = Pick<Result, 'schema' | 'nests' | 'lists'>;

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml', 'raw'] as const;

export type Format = (typeof FORMATS)[number];

export interface PresentOptions {
  readonly format: Format;
  /** Names of fields to print, in order; dots lead into nested objects. */
  readonly fields?: readonly string[] | undefined;
  /** A JMESPath expression over the whole document. */
  readonly query?: string | undefined;
  readonly color: boolean;
  /** Columns a table may take. Default: the terminal's, and 80 off a terminal. */
  readonly width?: number | undefined;
}
