import type { Endpoint, RequestOf, RequestWithoutConsent, ResponseOf } from '../../contract/endpoint.ts';
import { listDeposits, listPayouts, listTransactions } from '../../contract/endpoints/history.ts';
import { listWithdrawals } from '../../contract/endpoints/withdrawals.ts';
import type { Listing, RowFilter } from './resume.ts';

const WHEN = { field: 'createdAt', title: 'When', isBrief: true } as const;
const AMOUNT = { field: 'amount', title: 'Amount' } as const;
const STATUS = { field: 'status', title: 'Status' } as const;
const ID = { field: 'id', title: 'ID' } as const;
/** The status of an onramp is read by its wallet: nothing in a deposit is its request id. */
const WALLET = { field: 'walletAddress', title: 'Wallet' } as const;
const typeOf = ({ type }: { readonly type?: string | undefined }) =>
  type === undefined ? ([{ field: 'type', title: 'Type', isWide: true }] as const) : [];

/** What a list of the history is filtered by, apart from its period. */
type HistoryFilters<E extends Endpoint> = Omit<RequestOf<E>, 'limit' | 'offset' | 'startDate' | 'endDate'>;

/** A list whose pages have limit, offset and hasMore beside the rows. */
function ofHistory<
  E extends typeof listDeposits | typeof listPayouts | typeof listTransactions | typeof listWithdrawals,
  Row,
>(
  wanted: HistoryFilters<E>,
  list: Pick<Listing<E, Row>, 'endpoint' | 'columns' | 'rowsOf' | 'idOf' | 'filter'>,
): Listing<E, Row> {
  return {
    ...list,
    request: ({ size, offset }, period) => ({ ...wanted, ...period, limit: size, offset }) as RequestWithoutConsent<E>,
    totalOf: (data: ResponseOf<E>) => (data as { readonly total?: number | null }).total,
  };
}

/** Incoming bank transfers. */
export const depositsBy = (wanted: HistoryFilters<typeof listDeposits>) =>
  ofHistory(wanted, {
    endpoint: listDeposits,
    columns: [
      ...[wanted.type === 'user_onramp' ? WALLET : ID, WHEN, AMOUNT, STATUS, ...typeOf(wanted)],
      { field: 'depositor.name', title: 'From', isWide: true },
    ],
    rowsOf: ({ deposits }) => deposits,
    idOf: (row: { readonly id?: string | null | undefined }) => row.id,
  });

/** Outgoing bank transfers. */
export const payoutsBy = (wanted: HistoryFilters<typeof listPayouts>) =>
  ofHistory(wanted, {
    endpoint: listPayouts,
    columns: [
      ...[ID, WHEN, AMOUNT, STATUS, ...typeOf(wanted)],
      { field: 'bankAccount.accountName', title: 'To', isWide: true },
    ],
    rowsOf: ({ payouts }) => payouts,
    idOf: (row: { readonly id?: string | null | undefined }) => row.id,
  });

/** Bank transfers in both directions. */
export const transactionsBy = (wanted: HistoryFilters<typeof listTransactions>) =>
  ofHistory(wanted, {
    endpoint: listTransactions,
    columns: [ID, WHEN, { field: 'direction', title: 'Direction' }, AMOUNT, STATUS, ...typeOf(wanted)],
    rowsOf: ({ transactions }) => transactions,
    idOf: (row: { readonly id?: string | null | undefined }) => row.id,
  });

export type Withdrawal = NonNullable<NonNullable<ResponseOf<typeof listWithdrawals>['withdrawals']>[number]>;

/** Transfers of tokens to addresses outside, of users and of the account. */
export const withdrawalsBy = (wanted: HistoryFilters<typeof listWithdrawals>, filter?: RowFilter<Withdrawal>) =>
  ofHistory(wanted, {
    endpoint: listWithdrawals,
    columns: [
      { field: 'requestId', title: 'Request' },
      ...[WHEN, AMOUNT, STATUS, ...typeOf(wanted)],
      { field: 'network', title: 'Network', isWide: true },
      { field: 'destinationAddress', title: 'To', isWide: true },
    ],
    rowsOf: ({ withdrawals }) => withdrawals,
    idOf: ({ requestId }: Withdrawal) => requestId,
    filter,
  });
