import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Place } from '../faults/money-groups.ts';
import { rowsIn } from '../support/accounts.ts';
import type { Home } from '../support/built.ts';

/** A row of a campaign: its reference, and the figure by which the service's tables show what it did. */
interface CampaignRow {
  readonly reference: string;
  /** What it moves, in kobo or hundredths of a token; of a row that moves nothing, a number of its own, or 1. */
  readonly figure: number;
  readonly cells: string;
}

/** A file of a campaign, and how the ledger shows what became of it. */
export interface CampaignFile {
  readonly key: string;
  readonly as: string;
  readonly start: string;
  readonly list: string;
  readonly movesMoney: boolean;
  /** Whether it has BVNs, so that only the host with the file goes on with it. */
  readonly isSecret: boolean;
  readonly rows: readonly CampaignRow[];
  readonly text: string;
  /** Selects the figure of what each row did: one line for each time that it was done. */
  readonly done: string;
}

const NUMBERS = ['0123456789', '0123456790'] as const;

/** How many rows have the amount and the destination of the one before: only those can be confused. */
const EQUAL_EVERY = 15;

/** The amounts, in kobo or hundredths of a token, that the ledger took for the work of a table: one line for each set of postings. */
const taken = (event: string, table: string, amount: string) =>
  `SELECT ${amount} AS figure FROM posting_set s JOIN ${table} w ON w.request_id = s.subject WHERE s.event = '${event}'`;

interface Kind {
  readonly as: string;
  readonly start: string;
  readonly list: string;
  readonly header: string;
  readonly done: string;
  /** The cells after the reference. */
  cells(place: Place, amount: string, at: number): string;
  /** The figure of a row that moves no money, and the share of such rows. */
  readonly other?: { figure(at: number): number; readonly share: number };
}

const KINDS: Readonly<Record<string, Kind>> = {
  payouts: {
    as: 'payout create',
    start: 'transactions.fintech-offramp',
    list: 'transactions.list-payouts',
    header: 'Amount,To',
    done: taken('payout.taken', 'payout', 'amount_kobo'),
    cells: (place, amount, at) => `${amount},${at % 2 === 0 ? 'default' : place.bankAccountId}`,
  },
  offramps: {
    as: 'offramp create',
    start: 'transactions.offramp',
    list: 'transactions.list-payouts',
    header: 'User ID,Amount,Bank Code,Account Number',
    done: taken('offramp.taken', 'offramp', 'amount_kobo'),
    cells: ({ userId }, amount, at) => `${userId},${amount},000013,${NUMBERS[at % 2]}`,
  },
  transfers: {
    as: 'transfers create',
    start: 'transactions.fintech-transfer',
    list: 'transactions.list-withdrawals',
    header: 'Token,Amount,To',
    done: taken('transfer.sent', 'withdrawal', 'amount_base / 10000'),
    cells: ({ wallet }, amount) => `CNGN,${amount},${wallet}`,
  },
  withdrawals: {
    as: 'withdrawals create',
    start: 'transactions.withdraw-asset',
    list: 'transactions.list-withdrawals',
    header: 'User ID,Token,Amount,From,To',
    done: taken('withdrawal.sent', 'withdrawal', 'amount_base / 10000'),
    cells: ({ userId, managedWallet, destination }, amount) =>
      `${userId},CNGN,${amount},${managedWallet},${destination}`,
  },
  accounts: {
    as: 'bank-accounts add',
    start: 'banks.add',
    list: 'banks.list',
    header: 'Account Number,Bank Code',
    done: "SELECT CAST(number AS INTEGER) AS figure FROM bank_account WHERE number LIKE '0000%'",
    cells: (_place, _amount, at) => `${numberOf(at)},000013`,
    other: { figure: (at) => Number(numberOf(at)), share: 0.1 },
  },
  users: {
    as: 'users onboard',
    start: 'users.onboard',
    list: 'users.list',
    header: 'BVN',
    // The service stores only digests of BVNs.
    done: "SELECT 1 AS figure FROM onboarding WHERE state = 'completed' AND id > 1",
    cells: (_place, _amount, at) => `33${String(at).padStart(9, '0')}`,
    // Each run makes a slow digest of every BVN.
    other: { figure: () => 1, share: 0.02 },
  },
};

const numberOf = (at: number): string => String(1_000 + at).padStart(10, '0');

/** Makes a file of each kind. They have so many rows together. */
export function campaignFiles(place: Place, rowsOfAll: number): readonly CampaignFile[] {
  const ofOther = ({ other }: Kind) => Math.ceil(rowsOfAll * (other?.share ?? 0));
  const kinds = Object.values(KINDS);
  const ofOthers = kinds.reduce((sum, kind) => sum + ofOther(kind), 0);
  const ofMoney = Math.ceil((rowsOfAll - ofOthers) / kinds.filter(({ other }) => !other).length);
  return Object.entries(KINDS).map(([key, kind]) => {
    const { as, start, list, header, done, cells, other } = kind;
    const rows = Array.from({ length: other ? ofOther(kind) : ofMoney }, (_, index): CampaignRow => {
      const at = index > 0 && index % EQUAL_EVERY === 0 && !other ? index - 1 : index;
      const own = other?.figure(at) ?? 1000 + at;
      return { reference: `${key}-${index}`, figure: own, cells: cells(place, (own / 100).toFixed(2), at) };
    });
    const lines = rows.map(({ reference, cells: others }) => `${reference},${others}`);
    const text = `Reference,${header}\n${lines.join('\n')}\n`;
    return { key, as, start, list, movesMoney: !other, isSecret: key === 'users', rows, done, text };
  });
}

export function writeFile(home: Home, { key, text }: CampaignFile): string {
  const path = join(home.path, `${key}.csv`);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** What rows did at the service: the figure of each time, in order. */
export const doneIn = (server: Home, { done }: CampaignFile): readonly number[] =>
  rowsIn<{ figure: number }>(join(server.stateDir, 'sandbox.db'), done)
    .map(({ figure }) => figure)
    .toSorted((a, b) => a - b);

/** Returns what counts how often rows of a file were done, and is asked again and again. */
export function counterIn(server: Home, { done }: CampaignFile): { count(): number; close(): void } {
  const database = new DatabaseSync(join(server.stateDir, 'sandbox.db'), { readOnly: true, timeout: 20_000 });
  const statement = database.prepare(`SELECT count(*) AS n FROM (${done})`);
  return { count: () => Number(statement.get()?.['n']), close: () => database.close() };
}
