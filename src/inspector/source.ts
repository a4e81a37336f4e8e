/** A row of a list, as the page shows it. Everything in it is redacted already. */
export type Row = Readonly<Record<string, string | number | null>> & { readonly id: string };

/** To which rows a list is reduced; what is left out or empty reduces nothing. */
export interface RowFilter {
  readonly text: string;
  /** What has this state or this class of status; empty for all. */
  readonly state: string;
  /** What looks so: a `Look`. */
  readonly look?: string;
  /** What began at these times or between them, ISO 8601 in UTC; the second one is not among them. */
  readonly since?: string;
  readonly until?: string;
  /** What is of the user with this id. */
  readonly user?: string;
  /** What moves at least, and at most, as much of its asset, as a decimal. */
  readonly least?: string;
  readonly most?: string;
  /** Whether the text is looked for in bodies and postings, too. */
  readonly isDeep?: boolean;
}

/** Which rows are wanted; `from` counts from the oldest row that matches. */
export interface RowQuery extends RowFilter {
  readonly from: number;
  readonly limit: number;
}

export interface Page {
  readonly total: number;
  readonly rows: readonly Row[];
  /** Changes when earlier rows are gone, so that positions known before are no longer right. */
  readonly generation: number;
  /** Whether there are older rows that the list does not have. */
  readonly hasOlder?: boolean;
  /** Why rows are missing that should be there. */
  readonly gap?: string;
  /** What time it is for these rows, ISO 8601 in UTC. */
  readonly now?: string;
}

/** What rows move together, of one asset. */
export interface RowSum {
  readonly asset: string;
  readonly amount: string;
  /** Of what ended well. */
  readonly done: string;
}

/** The filters that a list has besides its text and its states. */
export type FilterName = 'look' | 'time' | 'user' | 'amount';

export interface List {
  /** The kinds that its rows can be reduced to, where only the server knows them. */
  readonly kinds?: readonly string[];
  /** The filters that it has besides its text and its states. */
  readonly filters?: readonly FilterName[];
  page(query: RowQuery): Promise<Page> | Page;
  /** What the rows move that match. */
  sums?(filter: RowFilter): Promise<readonly RowSum[]> | readonly RowSum[];
  /** Everything about one row; undefined if there is none. In brief, it leaves out what takes long to read, for whoever wants many. */
  detail(id: string, isBrief?: boolean): Promise<unknown> | unknown;
}

/** Returns the newest rows of a list, and the position of the first one. */
export async function newestOf(list: List, query: Omit<RowQuery, 'from'>): Promise<Page & { readonly from: number }> {
  const { total } = await list.page({ ...query, from: 0, limit: 0 });
  const from = Math.max(0, total - query.limit);
  const page = await list.page({ ...query, from });
  // Of rows that came in the meantime, the page is told again.
  return { ...page, from, total: from + page.rows.length };
}

/** Something that was found: the list it is in, and its id there. */
export interface Found {
  readonly list: string;
  readonly id: string;
  readonly text: string;
  readonly at?: string | null;
  readonly state?: string | null;
  readonly look?: string | null;
}

/** Where a text that names something leads. */
export type LinksTo = Readonly<Record<string, { readonly list: string; readonly id: string }>>;

/** Something that happened to a thing. */
export interface Moment {
  readonly at: string;
  /** What the machine's clock showed, where that is another one. */
  readonly machineAt?: string;
  readonly what: string;
  readonly source: string;
  /** Where more is said of it. */
  readonly list?: string;
  readonly id?: string;
  readonly state?: string;
  readonly look?: string;
}

/** Where a picture of states has its steps from. */
export interface Life {
  readonly states: readonly string[];
  readonly steps: readonly { readonly from: string; readonly to: string; readonly on: string }[];
  readonly state: string;
  /** The states that it went through, in order. */
  readonly path: readonly { readonly state: string; readonly at: string | null }[];
  /** Whether the path was observed, and not only concluded from where it is now. */
  readonly isObserved: boolean;
}

/** What the page asks of a document, by name. */
export type Asked = Readonly<Record<string, string>>;

/** What the page may show, and do. */
export interface InspectorSource {
  readonly title: string;
  /** The name of the time zone in which times are shown. */
  readonly zone: string;
  /** What everyone who looks at it should know, if it shows what was saved once. */
  readonly saved?: { readonly at: string; readonly notice: string };
  readonly lists: Readonly<Record<string, List>>;
  /** Documents that are read as a whole. */
  readonly documents: Readonly<Record<string, (asked: Asked) => Promise<unknown> | unknown>>;
  /** What documents can be asked for: of each, the values that a name may have, the usual one first. */
  readonly choices?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Changes, which only a sandbox has. */
  readonly actions: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => Promise<unknown>>>;
  find(text: string): Promise<readonly Found[]>;
  /** What has these ids, hashes, addresses or account numbers; those that nothing has are left out. */
  linksOf(texts: readonly string[]): Promise<LinksTo>;
  /** Changes whenever something shown may have changed. */
  version(): string | Promise<string>;
}
