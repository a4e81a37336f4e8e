import type { Figure, NotKnown } from '../../money/figure.ts';

/** Why a figure of a report is not known, in words, and what to type. */
interface ReasonText {
  /** A sentence without its full stop; `since` is when such figures are known from, for people. */
  says(since: string | undefined): string;
  readonly hint: string;
}

const from = (since: string | undefined) => (since === undefined ? '' : ` before ${since}`);

/** Every reason for which a figure is not known exactly. */
export const REASONS = {
  BEFORE_FIRST_SYNC: {
    says: (since) => `not known${from(since)}, when this copy first read the balances`,
    hint: 'report the time since then with --since, or ask a copy that is older',
  },
  BETWEEN_SYNCS: {
    says: () =>
      'balances changed between two syncs, and nothing says on which side of the start or the end of the period',
    hint: 'choose a period that starts and ends at a sync; sync more often from now on',
  },
  LIST_INCOMPLETE: {
    says: () => 'a list has not been read to its end, or the service counts more rows than it shows',
    hint: 'run: fiatrail sync; if it stays so: fiatrail sync --full',
  },
  NOT_STATED: {
    says: () => 'the service does not state an amount, its unit or its asset',
    hint: 'see the rows with: fiatrail sql, where the amount is NULL',
  },
  NOT_READ: {
    says: () => 'the balances of some users have not been read',
    hint: 'run: fiatrail report owed',
  },
  USER_NOT_KNOWN: {
    says: () => 'some offramps are of wallets that no list names with a user',
    hint: 'run: fiatrail sync',
  },
  UNLISTED: {
    says: () => 'the balance changed between two syncs by what no list shows, and nothing says when',
    hint: 'see the differences with: fiatrail report',
  },
  FEE_NOT_READ: {
    says: () => 'the fees of some rows have not been read yet',
    hint: 'run: fiatrail sync',
  },
  FEE_PARTS: {
    says: () => 'the parts of some fees disagree with their sum',
    hint: 'see the rows with: fiatrail sql',
  },
  FEE_SCHEDULE_NOT_SEEN: {
    says: (since) => `the fee schedule is not known${from(since)}`,
    hint: 'report the time since then with --since',
  },
  FEE_OTHER_ASSET: {
    says: () => 'the service states what was left after some fees in another asset',
    hint: 'see the rows with: fiatrail sql',
  },
  END_BETWEEN: {
    says: () =>
      'some work ended between two syncs, and nothing says on which side of the start or the end of the period',
    hint: 'choose a period that starts and ends at a sync; sync more often from now on',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

type Reason = keyof typeof REASONS;

/** Returns why a figure is not known, and since when such figures are. */
export const because = (why: Reason, since: string | null = null): NotKnown => ({ why, since });

const isReason = (code: string): code is Reason => Object.hasOwn(REASONS, code);

/** Returns what is said of a reason; a code that no one explains is its own explanation. */
export const textOfReason = (code: string): ReasonText =>
  isReason(code) ? REASONS[code] : { says: () => code, hint: 'run: fiatrail sync' };

/** Returns the reasons for which figures are not known, each once, with the latest time since which such figures are. */
export function reasonsOf(figures: readonly Figure[]): readonly NotKnown[] {
  const reasons = new Map<string, NotKnown>();
  for (const { known } of figures) {
    if (!known) continue;
    const { why, since } = known;
    const other = reasons.get(why)?.since ?? null;
    reasons.set(why, { why, since: since === null || (other !== null && other > since) ? other : since });
  }
  return [...reasons.values()];
}
