import { advice, type Hint } from '../../base/advice.ts';
import type { Figure, NotKnown } from '../../money/figure.ts';

/** Why a figure of a report is not known, in words, and what to type. */
interface ReasonText {
  /** A sentence without its full stop; `since` is when such figures are known from, for people, and `rows` of how many rows something is not known. */
  says(since: string | undefined, rows?: number): string;
  /** Of a figure of one thing: a sentence without its full stop. */
  readonly ofOne?: string;
  readonly hint: Hint;
}

const from = (since: string | undefined) => (since === undefined ? '' : ` before ${since}`);

const some = (rows: number | undefined, one: string, many: string): string =>
  rows === undefined ? `some ${many}` : `${rows} ${rows === 1 ? one : many}`;

/** Every reason for which a figure is not known exactly. */
export const REASONS = {
  BEFORE_FIRST_SYNC: {
    says: (since) => `not known${from(since)} (first sync)`,
    hint: 'report the time after it with --since, or use an older copy',
  },
  AFTER_LAST_SYNC: {
    says: (since) => `not known after ${since ?? 'the last sync'} (last sync)`,
    hint: advice`run: [fiatrail sync]`,
  },
  BETWEEN_SYNCS: {
    says: () =>
      'balances changed between two syncs, and nothing says on which side of the start or the end of the period',
    hint: 'choose a period that starts and ends at a sync; sync more often from now on',
  },
  LIST_INCOMPLETE: {
    says: () => 'a list has not been read to its end, or the service counts more rows than it shows',
    hint: advice`run: [fiatrail sync]; if it stays so: [fiatrail sync --full]`,
  },
  NOT_STATED: {
    says: (_, rows) =>
      `the service does not state the amount of ${some(rows, 'row', 'rows')}, or not its unit and asset`,
    hint: advice`see the rows with: [fiatrail sql QUERY], where the amount is NULL`,
  },
  NOT_READ: {
    says: () => 'the balances of some users have not been read',
    hint: advice`run: [fiatrail report owed]`,
  },
  USER_NOT_KNOWN: {
    says: (_, rows) => `the users of ${some(rows, 'movement', 'movements')} are not known: no list names their wallets`,
    hint: advice`run: [fiatrail sync]`,
  },
  PAYEE_NOT_KNOWN: {
    says: (since, rows) =>
      `the bank accounts of ${some(rows, 'payment', 'payments')}${since === undefined ? '' : ` until ${since}`} are not in the copy, which deletes personal data after some time`,
    hint: advice`report the time since then with --since; keep personal data longer with: [fiatrail profiles copy set --keep 400d]`,
  },
  UNLISTED: {
    says: () => 'the balance changed between two syncs by what no list shows, and nothing says when',
    hint: advice`see the differences with: [fiatrail report]`,
  },
  FEE_NOT_READ: {
    says: (_, rows) => `the fees of ${some(rows, 'row', 'rows')} have not been read yet`,
    hint: advice`run: [fiatrail sync]`,
  },
  FEE_NOT_STATED: {
    says: (_, rows) => `the service does not state the fees of ${some(rows, 'row', 'rows')}`,
    ofOne: 'the service does not state it',
    hint: advice`see the rows with: [fiatrail sql QUERY], where fee_known is not NULL`,
  },
  FEE_CONTRADICTED: {
    says: (_, rows) => `the service states more than one fee of ${some(rows, 'row', 'rows')}`,
    ofOne: 'the service states more than one',
    hint: advice`see what the service says of it with: [fiatrail find ID -o json]`,
  },
  FEE_PARTS: {
    says: () => 'the parts of some fees disagree with their sum',
    hint: advice`see the rows with: [fiatrail sql QUERY]`,
  },
  FEE_SCHEDULE_NOT_SEEN: {
    says: (since) => `the fee schedule is not known${from(since)}`,
    hint: 'report the time since then with --since',
  },
  FEE_OTHER_ASSET: {
    says: () => 'the service states what was left after some fees in another asset',
    hint: advice`see the rows with: [fiatrail sql QUERY]`,
  },
  BOUGHT_BEFORE: {
    says: () =>
      'some stablecoins were there before the first sync or came without a trade, and nothing says what they cost',
    hint: advice`see the trades with: [fiatrail fx trades list --all]`,
  },
  END_BETWEEN: {
    says: () =>
      'some work ended between two syncs, and nothing says on which side of the start or the end of the period',
    hint: 'choose a period that starts and ends at a sync; sync more often from now on',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

export type Reason = keyof typeof REASONS;

/** Returns why a figure is not known, and since when such figures are. */
export const because = (why: Reason, since: string | null = null, rows?: number): NotKnown => ({
  why,
  since,
  ...(rows === undefined ? {} : { rows }),
});

const isReason = (code: string): code is Reason => Object.hasOwn(REASONS, code);

/** Returns why the figure of one thing is not known: `the service does not state it`. */
export function whyOfOne({ why }: Pick<NotKnown, 'why'>): string {
  const { ofOne, says } = textOfReason(why);
  return ofOne ?? says(undefined);
}

/** Returns what is said of a reason; a code that no one explains is its own explanation. */
export const textOfReason = (code: string): ReasonText =>
  isReason(code) ? REASONS[code] : { says: () => code, hint: advice`run: [fiatrail sync]` };

/** A figure with the name of what it is of, such as its field and asset: the rows of figures with one name are others. */
export interface NamedFigure {
  readonly name: string;
  readonly figure: Figure;
}

/** Returns the reasons for which figures are not known, each once, with the latest time since which such figures are. */
export function reasonsOf(figures: readonly NamedFigure[]): readonly NotKnown[] {
  const why = Map.groupBy(
    figures.filter(({ figure: { known } }) => known),
    ({ figure: { known } }) => known?.why ?? '',
  );
  return [...why].map(([code, all]) => {
    const times = all.flatMap(({ figure: { known } }) => known?.since ?? []).toSorted();
    // The same rows may be in the figures of several names.
    const counts = [...Map.groupBy(all, ({ name }) => name).values()].map((own) =>
      own.reduce((sum, { figure: { known } }) => sum + (known?.rows ?? 0), 0),
    );
    const rows = Math.max(...counts);
    return { why: code, since: times.at(-1) ?? null, ...(rows > 0 ? { rows } : {}) };
  });
}
