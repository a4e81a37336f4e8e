/** A title, and where the forms of a row have its value: the first one that has it counts. */
export type Fact = readonly [title: string, ...fields: string[]];

/**
 * A kind of thing that has an id: where it is, what is shown of it, and what its statuses mean. Fields are those of a row of its list, and of the
 * answer of `read`.
 */
export interface Kind {
  /** As printed: `payout`. */
  readonly name: string;
  /** The table of the mirror that has it; of several kinds in one table, `types` says which. */
  readonly table?: string;
  readonly types?: readonly string[];
  /** The endpoints that start it. */
  readonly starts?: readonly string[];
  /** The endpoint that looks its id up directly, and the field of its request. */
  readonly read?: { readonly load: () => Promise<unknown>; readonly field: string };
  /** The sum that it moves. */
  readonly amount?: readonly string[];
  /** Whose name tells it from others. */
  readonly who?: readonly string[];
  readonly facts: readonly Fact[];
  /** What happened at which of its times. */
  readonly times: readonly Fact[];
  /** The statuses in which it has ended; everything else goes on. Without them, it is a thing and no work. */
  readonly ends?: { readonly done: readonly string[]; readonly failed: readonly string[] };
  /** Where its list or its status says why it failed. */
  readonly reason?: readonly string[];
  /** Why it fails if the service does not say it. */
  readonly usualReason?: string;
  /** What becomes of it after it failed, and the commands that help then. */
  readonly afterFailure?: string;
  readonly ifFailed?: readonly string[];
  /** Where the values are that other rows have too: what these rows move belongs to it. */
  readonly links?: readonly string[];
  /** The command that shows it; ID follows. */
  readonly shows?: string;
  /** Whether that command follows it with --wait. */
  readonly isFollowed?: true;
  /** Other commands, with ID in place of its id. */
  readonly more?: readonly string[];
}
