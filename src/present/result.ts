import type * as z from 'zod/mini';
import { CliError } from '../base/errors.ts';
import type { Clock, OutputStream } from '../base/world.ts';
import type { Zone } from '../base/zone.ts';
import type { Mask } from '../contract/mask/index.ts';
import type { Amount } from '../money/amount.ts';

/** A column of a table. */
export interface Column {
  /** Name of the field as printed; dots select nested fields. */
  readonly field: string;
  readonly title: string;
  /** The dots are part of the name. */
  readonly hasDots?: true;
  /** Left out: amounts are right, and everything else left. */
  readonly align?: 'right' | 'left';
  /** Shows a time without seconds. */
  readonly isBrief?: true;
  /** Left out where a row then takes fewer lines; of several, the last one goes first. */
  readonly isWide?: true;
  /** For a list in a document: the columns of its table, which then shows every row. Empty columns are omitted. */
  readonly columns?: readonly Column[];
}

/** A price level of an order book. */
export interface Level {
  readonly price: Amount;
  /** The price that a taker pays or gets; undefined if the service does not give the spread. */
  readonly takerPrice: Amount | undefined;
  readonly amount: Amount;
}

/** An order book for a chart; each side starts with its best price. */
export interface Depth {
  readonly title: string;
  readonly upper: { readonly title: string; readonly levels: readonly Level[] };
  readonly lower: { readonly title: string; readonly levels: readonly Level[] };
  /** The spread, shown between the two sides. */
  readonly middle: string;
}

/** Something drawn over time, in the order of its points. */
export interface Panel {
  readonly title: string;
  readonly points: readonly Point[];
}

/** A value at a time. */
export interface Point {
  readonly label: string;
  /** How long its bar is beside the others of its panel; null if it is not known, which is drawn as a gap. */
  readonly size: bigint | null;
  /** What it is, in words. */
  readonly text: string;
  /** Whether it may be more, or less. */
  readonly isBound?: boolean;
}

/** Where the printed rows are in the whole list. One form for every list; null means that the service does not say. */
export type Pagination = {
  readonly total: number | null;
  /** The size of the page; null if there are no pages, or all of them were read. */
  readonly limit: number | null;
  /** The number of rows before the first one. */
  readonly offset: number | null;
  readonly hasMore: boolean | null;
  /** The cursor of the next page, for --after; null if there is none. */
  readonly after: string | null;
};

/** How much of a list the service returns. */
interface ListExtent {
  /** Every row, because the service has no pages, or because all were read. */
  readonly isWhole: boolean;
  /** What the command knows of where the rows are in the list. */
  readonly position?: Partial<Pagination>;
}

/** A table below a list. */
export interface Below {
  /** Shown by a quiet command also if it found no rows. */
  readonly isAlways?: true;
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string>>[];
  readonly columns: readonly Column[];
}

/** What a command passes to `present`. */
export interface Result {
  /** The data of the response in wire form. */
  readonly data: unknown;
  /** Its schema, which defines the units of money. Without one, data is already plain and may contain Amounts. */
  readonly schema?: z.ZodMiniType;
  /** Someone else chose the names of its fields, as those of a query: nobody knows what its texts are. */
  readonly isForeign?: 'texts';
  /** The request, which may name the token of an amount that the data does not. */
  readonly request?: unknown;
  /** The nested object that is merged with the fields around it (endpoint.nests). */
  readonly nests?: string;
  /** The list in data whose rows are printed (endpoint.lists); not needed if data is an array. */
  readonly lists?: string;
  /** For a list: how much of it this is. `pagination` is printed beside its rows. */
  readonly list?: ListExtent;
  /** Further pages of rows in wire form, for --all. Requested one page at a time. */
  readonly more?: AsyncIterable<readonly unknown[]>;
  /** The rows continue an earlier run's, so CSV has no header. */
  readonly isContinued?: boolean;
  /** Where rows are printed instead of standard output; `finish` is called when all of them are. */
  readonly sink?: { readonly out: OutputStream; finish(): Promise<void> };
  /** Ends what the rows come from. Called when they are printed, or cannot be. */
  close?(): void;
  /** Turns the error of a list that stopped in the middle into one that says how to go on. */
  stopped?(error: unknown): Promise<unknown>;
  /** The columns of a table (default: the scalar fields of its rows), or the fields shown for a document. */
  readonly columns?: readonly Column[];
  /** Its amounts are figures of a report, of which CSV says in a column of its own how far each is known. */
  readonly hasFigures?: true;
  /** Smaller tables below the rows of a list, or below a document. Other formats have their content in data. */
  readonly below?: Below | readonly Below[];
  /** For `-o raw`: the source text of the service's `data`, with every digit kept. */
  readonly raw?: string;
  /** For `-o raw` into a file or a pipe: the exact bytes. A terminal gets `raw`, without what it would act on. */
  readonly exact?: Uint8Array;
  /** A fixed format that overrides -o: JSON, lines of JSON, or plain text such as a script. */
  readonly always?: 'json' | 'ndjson' | 'text';
  /** An order book, drawn as a chart instead of a table. */
  readonly depth?: Depth;
  /** Drawn in a table’s stead. The tables below it stay. */
  readonly bars?: readonly Panel[];
}

/** The parts of a Result that are known before anything is sent, enough to validate the options. */
export type ResultShape = Pick<Result, 'schema' | 'nests' | 'lists' | 'always'>;

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml', 'raw'] as const;

export type Format = (typeof FORMATS)[number];

export interface PresentOptions {
  readonly format: Format;
  /** Names of the fields to print, in order; dots select nested fields. */
  readonly fields?: readonly string[] | undefined;
  /** A JMESPath expression over the whole document. */
  readonly query?: string | undefined;
  /** For CSV: prints text that looks like a formula unchanged. */
  readonly isCsvRaw?: boolean;
  /** Whether a query that finds nothing is an error. */
  readonly isQueryRequired?: boolean;
  /** Masks what is printed, in every format. */
  readonly mask?: Mask | undefined;
  readonly color: boolean;
  /** Turns web addresses in tables into links, for a terminal that supports them. */
  readonly hasLinks?: boolean;
  /** Draws charts in ASCII, for plain terminals. */
  readonly isPlain?: boolean;
  /** Maximum table width in columns. Default: the terminal's width, or as much as the text needs without a terminal. */
  readonly width?: number | undefined;
  /** The zone of the times in tables (default: UTC). Every other format has them in UTC. */
  readonly zone?: Zone;
  /** On a terminal, tables also show how long ago a time was, where there is room for it. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Another program reads the table, so each row is one line, however wide. */
  readonly isPiped?: boolean;
  /** A table without rows prints nothing. */
  readonly isQuiet?: boolean;
  /** Called with the columns for which a list has no room. */
  leavesOut?(columns: readonly Column[]): void;
}

/** Throws CliError usage if what is printed is masked: `what` would say all of it, or be of no use to a program without it. */
export function requireUnmasked({ mask }: PresentOptions, what: string): void {
  if (!mask) return;
  throw new CliError('usage', `${what} what --mask hides`, { hint: 'leave it out, or add --no-mask' });
}
