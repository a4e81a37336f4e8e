/** A row of a list, as the page shows it. Everything in it is redacted already. */
export type Row = Readonly<Record<string, string | number | null>> & { readonly id: string };

/** Which rows are wanted; `from` counts from the oldest row that matches. */
export interface RowQuery {
  readonly text: string;
  /** What has this state or this class of status; empty for all. */
  readonly state: string;
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
}

export interface List {
  /** The kinds that its rows can be reduced to, where only the server knows them. */
  readonly kinds?: readonly string[];
  page(query: RowQuery): Promise<Page> | Page;
  /** Everything about one row; undefined if there is none. */
  detail(id: string): Promise<unknown> | unknown;
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

/** What the page may show, and do. */
export interface InspectorSource {
  readonly title: string;
  /** What everyone who looks at it should know. */
  readonly notice?: string;
  readonly lists: Readonly<Record<string, List>>;
  /** Documents that are read as a whole. */
  readonly documents: Readonly<Record<string, () => Promise<unknown> | unknown>>;
  /** Changes, which only a sandbox has. */
  readonly actions: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => Promise<unknown>>>;
  find(text: string): Promise<readonly Found[]>;
  /** Changes whenever something shown may have changed. */
  version(): string | Promise<string>;
}
