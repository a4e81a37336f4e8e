import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../faults/money-groups.ts';
import { rowsIn } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';

/** A row of a campaign: its reference, and what it moves, in kobo or hundredths of a token. */
interface CampaignRow {
  readonly reference: string;
  readonly cents: number;
  readonly cells: string;
}

/** A file of a campaign, and how the ledger shows what became of it. */
export interface CampaignFile {
  readonly key: string;
  readonly as: string;
  readonly start: string;
  readonly list: string;
  readonly rows: readonly CampaignRow[];
  readonly text: string;
  /** Selects what the ledger took, in the unit of the rows: one line for each movement. */
  readonly moved: string;
}

const NUMBERS = ['0123456789', '0123456790'] as const;

/** How many rows have the amount and the destination of the one before: only those can be confused. */
const EQUAL_EVERY = 15;

/** The amounts, in kobo or hundredths of a token, that the ledger took for the work of a table: one line for each set of postings. */
const taken = (event: string, table: string, amount: string) =>
  `SELECT ${amount} AS cents FROM posting_set s JOIN ${table} w ON w.request_id = s.subject WHERE s.event = '${event}'`;

interface Kind {
  readonly as: string;
  readonly start: string;
  readonly list: string;
  readonly header: string;
  readonly moved: string;
  /** The cells after the reference. */
  cells(place: Place, amount: string, at: number): string;
}

const KINDS: Readonly<Record<string, Kind>> = {
  payouts: {
    as: 'payout create',
    start: 'transactions.fintech-offramp',
    list: 'transactions.list-payouts',
    header: 'Amount,To',
    moved: taken('payout.taken', 'payout', 'amount_kobo'),
    cells: (place, amount, at) => `${amount},${at % 2 === 0 ? 'default' : place.bankAccountId}`,
  },
  offramps: {
    as: 'offramp create',
    start: 'transactions.offramp',
    list: 'transactions.list-payouts',
    header: 'User ID,Amount,Bank Code,Account Number',
    moved: taken('offramp.taken', 'offramp', 'amount_kobo'),
    cells: ({ userId }, amount, at) => `${userId},${amount},000013,${NUMBERS[at % 2]}`,
  },
  transfers: {
    as: 'transfers create',
    start: 'transactions.fintech-transfer',
    list: 'transactions.list-withdrawals',
    header: 'Token,Amount,To',
    moved: taken('transfer.sent', 'withdrawal', 'amount_base / 10000'),
    cells: ({ wallet }, amount) => `CNGN,${amount},${wallet}`,
  },
  withdrawals: {
    as: 'withdrawals create',
    start: 'transactions.withdraw-asset',
    list: 'transactions.list-withdrawals',
    header: 'User ID,Token,Amount,From,To',
    moved: taken('withdrawal.sent', 'withdrawal', 'amount_base / 10000'),
    cells: ({ userId, managedWallet, destination }, amount) =>
      `${userId},CNGN,${amount},${managedWallet},${destination}`,
  },
};

/** Makes a file of each kind that moves money, with so many rows. */
export function campaignFiles(place: Place, rowsOfEach: number): readonly CampaignFile[] {
  return Object.entries(KINDS).map(([key, { as, start, list, header, moved, cells }]) => {
    const rows = Array.from({ length: rowsOfEach }, (_, index): CampaignRow => {
      const at = index > 0 && index % EQUAL_EVERY === 0 ? index - 1 : index;
      const cents = 1000 + at;
      return { reference: `${key}-${index}`, cents, cells: cells(place, (cents / 100).toFixed(2), at) };
    });
    const lines = rows.map(({ reference, cells: others }) => `${reference},${others}`);
    return { key, as, start, list, rows, moved, text: `Reference,${header}\n${lines.join('\n')}\n` };
  });
}

export function writeFile(home: Home, { key, text }: CampaignFile): string {
  const path = join(home.path, `${key}.csv`);
  writeFileSync(path, text);
  return path;
}

/** What the rows have moved at the service: the amount of each movement, in order. */
export const movedIn = (server: Home, { moved }: CampaignFile): readonly number[] =>
  rowsIn<{ cents: number }>(join(server.stateDir, 'sandbox.db'), moved)
    .map(({ cents }) => cents)
    .toSorted((a, b) => a - b);
