import type { Zone } from '../../base/zone.ts';
import type { statementIn } from '../../copy/questions/report/statement.ts';
import { amountForPeople } from '../../money/amount.ts';
import type { Figure } from '../../money/figure.ts';
import { documentPage, type PageTable, TEST_NOTICE } from '../../present/document-page.ts';
import { timeText } from '../../present/times.ts';

type Statement = Awaited<ReturnType<typeof statementIn>>;

/** What a page says of a statement besides its figures. */
interface PageHead {
  readonly title: string;
  readonly of: string;
  readonly since: string;
  readonly until: string;
  readonly issuedAt: string;
  readonly syncedAt: string | null;
  readonly profile: string;
  /** Whether the account is one of a sandbox. */
  readonly isTest: boolean;
  /** Why some figures are not known, in sentences. */
  readonly reasons: readonly string[];
}

/** A figure in words: `at least ₦5,000.00`, `not known`. */
export function figureWords({ asset, minor, known }: Figure): string {
  if (asset === null || minor === null) return 'not known';
  const text = amountForPeople({ asset, minor });
  return known ? `${known.is} ${text}` : text;
}

/** A figure under the name of its asset. */
const withoutAsset = (figure: Figure): string => figureWords(figure).replace(/₦| (?:cNGN|USDC|USDT)$/, '');

/** What a row is, in words: `payout, taken`, or that no list shows it. */
export const rowWords = ({ thing, step }: Pick<Statement['rows'][number], 'thing' | 'step'>): string =>
  thing === null
    ? step === 'opening'
      ? 'first reading of the balance'
      : 'in no list'
    : `${thing}, ${step?.replace('-', ' ')}`;

/** Draws a statement as a page of HTML. Times are in the zone, which the page names. */
export function statementPage({ sums, rows }: Statement, head: PageHead, zone: Zone): string {
  const at = (time: string) => timeText(time, { zone }, true) ?? time;
  const period = `${at(head.since)} to ${at(head.until)}`;
  const balances: PageTable = {
    title: 'Balances',
    columns: [
      { title: 'Asset', as: 'word' },
      ...['Opening', 'In', 'Out', 'Closing'].map((title) => ({ title, as: 'amount' }) as const),
    ],
    rows: sums.map((each) => [each.asset, ...[each.opening, each.in, each.out, each.closing].map(withoutAsset)]),
  };
  const tables = sums.map(
    ({ asset }): PageTable => ({
      title: `Movements in ${asset}`,
      columns: [
        { title: 'Time', as: 'time' },
        { title: 'Movement' },
        { title: 'ID', as: 'code' },
        { title: 'Amount', as: 'amount' },
        { title: 'Balance', as: 'amount' },
      ],
      rows: rows
        .filter((row) => row.asset === asset)
        .map((row) => [
          // The zone is named once, at the end.
          at(row.at).replace(/ [+-][\d:]+$/, ''),
          [rowWords(row), row.who].filter(Boolean).join(': '),
          row.id ?? '',
          withoutAsset(row.amount),
          withoutAsset(row.balance),
        ]),
    }),
  );
  const [first, ...others] = sums.map(({ closing }) => figureWords(closing));
  const isKnown = head.reasons.length === 0;
  return documentPage({
    title: [head.title, head.of, period].join(' · '),
    heading: head.title,
    from: head.of,
    tone: isKnown ? 'good' : 'open',
    state: isKnown ? 'Complete' : 'Not complete',
    stateText: isKnown
      ? 'Opening and movements add up to closing; every figure is known.'
      : `Some figures are not known: ${head.reasons.join('; ')}.`,
    notices: head.isTest ? [TEST_NOTICE] : [],
    sum: first ?? 'No movements',
    sumAlso: [...others, `Closing, ${period}`],
    party: undefined,
    sections: [],
    tables: [balances, ...tables.filter((table) => table.rows.length > 0)],
    footer: [
      `Issued ${at(head.issuedAt)} from the local copy of profile ${head.profile}${head.syncedAt ? `, synced ${at(head.syncedAt)}` : ''}.`,
      `Times are in ${zone.name}.`,
    ],
  });
}
