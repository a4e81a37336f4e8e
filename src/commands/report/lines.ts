import * as z from 'zod/mini';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import type { Reach } from '../../copy/questions/in-copy.ts';
import {
  type AccountReport,
  type AssetMoved,
  type AssetReport,
  isWorthARow,
} from '../../copy/questions/report/balance.ts';
import type { Difference } from '../../copy/questions/report/differences.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import type { Figure } from '../../money/figure.ts';
import { amountSchema, figureSchema } from '../../present/prints.ts';
import type { Below, Column } from '../../present/result.ts';
import { timeText } from '../../present/times.ts';
import type { ReportPeriod } from './period.ts';

/** The lines of a balance, in the order in which they add up. */
export const LINES = [
  ['opening', 'Opening'],
  ['in', 'In'],
  ['earned', 'Fees earned'],
  ['out', 'Out'],
  ['fees', 'Fees paid'],
  ['traded', 'Traded'],
  ['refunds', 'Refunds'],
  ['inFlight', 'In transit'],
  ['unlisted', 'In no list'],
  ['closing', 'Closing'],
] as const;

/** The lines of what moved. */
export const MOVED = ['in', 'earned', 'out', 'fees', 'traded', 'refunds', 'unlisted'] as const;

export const titleOfLine = (field: string) => LINES.find(([name]) => name === field)?.[1] ?? field;

/** What moved of an asset, as printed: what the balance fell by is negative. */
export const printedMoved = ({ count: movements, ...moved }: AssetMoved) => ({ ...moved, movements });

export const printedAsset = ({ count: movements, ...report }: AssetReport) => ({ ...report, movements });

type PrintedAsset = ReturnType<typeof printedAsset>;

/** Whether an asset is worth a row: it was not empty at the end, or something moved, or may have. */
export const isShown = (report: AssetReport) =>
  (report.opening.minor ?? 0n) !== 0n ||
  report.closing.minor !== 0n ||
  MOVED.some((field) => isWorthARow(report[field]));

export const movedSchema = () => ({
  asset: z.string(),
  ...Object.fromEntries([...MOVED, 'accepted'].map((name) => [name, figureSchema()])),
  movements: z.int(),
  failed: z.int(),
});

export const assetSchema = () =>
  z.object({
    ...movedSchema(),
    opening: figureSchema(),
    inFlight: figureSchema(),
    closing: figureSchema(),
  });

/** An amount under the name of its asset: without the name, and with no more decimals than it needs. */
function shortFigure({ asset, minor, known }: Figure): string {
  if (minor === null || asset === null) return 'not known';
  const text = amountForPeople(amount(asset, minor))
    .replace(/[^\d.,-]/g, '')
    .replace(/(\.\d\d\d*?)0+$/, '$1');
  return known ? `${known.is} ${text}` : text;
}

/** The assets side by side, as people read a balance. */
export function balanceLines(assets: readonly PrintedAsset[]): Below {
  const rows = LINES.map(([field, title]) => ({
    line: title,
    ...Object.fromEntries(
      assets.map((each) => {
        const isEmpty = each[field].minor === 0n && field !== 'opening' && field !== 'closing';
        return [each.asset, isEmpty ? '' : shortFigure(each[field])];
      }),
    ),
  })).filter(({ line: _, ...cells }) => Object.values(cells).some((text) => text !== ''));
  const columns = [
    { field: 'line', title: 'Balance' },
    ...assets.map(({ asset }) => ({ field: asset, title: asset, align: 'right' as const })),
  ];
  return { title: 'Balances', isAlways: true, rows: rows as Readonly<Record<string, string>>[], columns };
}

/** A difference as printed. */
export const printedDifference = ({ asset, from, to, minor, known, accepted, reason }: Difference) => ({
  asset,
  from,
  until: to,
  amount: amount(asset, minor),
  isSure: known === null,
  accepted: amount(asset, accepted),
  reason,
});

export const differenceSchema = () =>
  z.object({
    asset: z.string(),
    from: z.iso.datetime(),
    until: z.iso.datetime(),
    amount: amountSchema(),
    isSure: z.boolean(),
    accepted: amountSchema(),
    reason: z.nullable(z.string()),
  });

const DIFFERENCE_COLUMNS: readonly Column[] = [
  { field: 'from', title: 'Between', isBrief: true },
  { field: 'until', title: 'and', isBrief: true },
  { field: 'amount', title: 'Amount', align: 'right' },
  { field: 'accepted', title: 'Accepted' },
];

/** The differences below a report; none if there are none. */
export function differenceLines(differences: readonly Difference[]): readonly Below[] {
  if (differences.length === 0) return [];
  const rows = differences.map(({ asset, from, to, minor, known, accepted, reason }) => ({
    from,
    until: to,
    amount: `${known === null ? '' : 'about '}${amountForPeople(amount(asset, minor))}`,
    accepted: minor === accepted ? (reason ?? 'yes') : 'no',
  }));
  return [{ title: 'In no list', isAlways: true, rows, columns: DIFFERENCE_COLUMNS }];
}

/** How many completed offramps no wallet says whose they are; a user’s sums lack them. */
const unownedText = (count: number) =>
  `${count} ${count === 1 ? 'offramp is' : 'offramps are'} of users whom no wallet in the copy names, and in no row`;

interface ChecksOf {
  /** Whether it says that the money of users is left out. */
  readonly isOwnOnly?: boolean;
  readonly unowned?: number;
}

/** What was checked, if anything was, and how old the copy is. */
export function checkLines(
  account: AccountReport | undefined,
  { syncedAt, partial }: Reach,
  zone: Zone,
  { isOwnOnly = false, unowned = 0 }: ChecksOf = {},
): Below {
  const time = (at: string) => timeText(at, { zone }, true) ?? at;
  const compared = account?.compared;
  const balances = compared
    ? `compared from ${time(compared.from)} to ${time(compared.to)}`
    : 'not verified yet; run: fiatrail sync';
  const copy = syncedAt
    ? `synced ${time(syncedAt)} by this machine’s clock`
    : 'not synced completely yet; run: fiatrail sync';
  const uncounted = account?.uncounted ?? 0;
  const amounts = `${uncounted} ${uncounted === 1 ? 'movement has no known amount and is' : 'movements have no known amount and are'} in no sum`;
  const lacking = partial.map((table) => ({ check: 'Table', says: `may lack rows: ${table.replaceAll('_', ' ')}` }));
  return {
    title: 'Checks',
    isAlways: true,
    rows: [
      ...(account ? [{ check: 'Balances', says: balances }] : []),
      ...(uncounted > 0 ? [{ check: 'Amounts', says: amounts }] : []),
      { check: 'Copy', says: copy },
      ...lacking,
      ...(isOwnOnly ? [{ check: 'Users', says: 'their money is not included; see: fiatrail report --by user' }] : []),
      ...(unowned > 0 ? [{ check: 'Users', says: unownedText(unowned) }] : []),
    ],
    columns: [
      { field: 'check', title: 'Check' },
      { field: 'says', title: 'Result' },
    ],
  };
}

/** The error of movements that no list shows and nobody accepted; each counts, also if another one cancels it. */
export function unexplained(differences: readonly Difference[], { typed }: ReportPeriod): CliError | undefined {
  const wrong = differences.filter(({ minor, accepted }) => minor !== accepted);
  if (wrong.length === 0) return undefined;
  const figures = wrong.map(({ asset, minor, accepted }) => amountForPeople(amount(asset, minor - accepted)));
  const shown = figures.length > 4 ? [...figures.slice(0, 3), `${figures.length - 3} more amounts`] : figures;
  return new CliError('declined', `the balance changed by ${shown.join(' and ')} that no list shows`, {
    code: 'UNEXPLAINED',
    hint: advice`look for it with: [fiatrail sync --full]; if it is right, such as tokens that came from a chain: [fiatrail report accept ${wrong[0]?.asset} ${typed.split(' ')} --reason "…"]`,
  });
}
