import { payout } from '../../../things/bank-transfers.ts';
import { bridgeTransfer } from '../../../things/bridge-transfer.ts';
import { deposit } from '../../../things/deposits.ts';
import { feeWithdrawal } from '../../../things/fee-withdrawal.ts';
import { trade } from '../../../things/market.ts';
import type { Thing } from '../../../things/thing.ts';
import { transfer } from '../../../things/token-transfers.ts';
import { CAME_BACK } from '../../fees.ts';
import { hasFailed, isDone, isThing, stored } from '../../schema.ts';
import { type CopyTable, tableOf } from '../../tables.ts';
import type { Reason } from '../reasons.ts';

/** cNGN is counted in millionths, Naira in kobo. */
const CNGN_OF_KOBO = 10_000n;

/**
 * A way in which the account's own balance changes, and the rows that show it. Money leaves when its row is made, and is out when that is
 * completed; until then it is in flight. What failed comes back. Money that arrives counts when it is there.
 */
export interface MovementKind {
  readonly kind: string;
  readonly table: CopyTable;
  /** Which rows of the table are the account's own. */
  readonly own: string;
  readonly way: 'in' | 'out';
  /** An SQL expression: the asset. */
  readonly asset: string;
  /** SQL expressions, in the smallest unit of the asset. What arrives is the amount without the fee, what leaves the amount and the fee. */
  readonly amount: string;
  /** NULL if it is not known. */
  readonly fee: string;
  /** Why it is not known, if not because it was not read. */
  readonly feeWhy?: Reason;
  /** Which rows have completed and which have failed. */
  readonly done: string;
  readonly failed: string;
  /** SQL expressions: when it was completed, and when it failed. */
  readonly completedAt: string;
  readonly failedAt: string;
  /** SQL expressions, where they are not the times above: the earliest and the latest moment at which the balance may have changed. */
  readonly beganAt?: string;
  readonly endedAt?: string;
  /** The line that it is added to, if not `in` or `out`. */
  readonly line?: 'traded' | 'refunds' | 'bridged';
}

/** The rows that show a thing of the account. */
function rowsOf(thing: Thing): Pick<MovementKind, 'kind' | 'table' | 'own' | 'done' | 'failed'> {
  const table = tableOf(thing);
  return { kind: `${thing.name}s`, table, own: isThing(thing), done: isDone(table), failed: hasFailed(table) };
}

const NO_ROW = '1 = 0';

/** When a row was first seen with a status, of which a condition says which: an SQL expression. */
const notedOf = (table: CopyTable, status: string) =>
  `(SELECT min(seen_at) FROM stored_status_changes c WHERE c.kind = '${table.name}' AND c.id = ${stored(table)}.id AND c.${status})`;

/**
 * When a row of a list without that time ended, as far as is known: an SQL expression. If its status was seen to change, it ended before
 * that, and the look at the balances of that sync is taken to have seen it; otherwise it had ended when it was first seen.
 */
const endNotedOf = (table: CopyTable) =>
  `(SELECT coalesce((SELECT max(c.at) FROM stored_balance_checks c WHERE c.at <= s.at AND c.at > ${stored(table)}.created_at), s.at)
    FROM (SELECT ${notedOf(table, `status = ${stored(table)}.status`)} AS at) s)`;

/** SQL expressions for the end of a thing's row: what stands for it, and the latest that it can be. */
export const endOf = (thing: Thing) => {
  const table = tableOf(thing);
  const known = table.columns.some(({ name }) => name === 'completed_at') ? 'completed_at, ' : '';
  return {
    end: `coalesce(${known}${endNotedOf(table)}, created_at)`,
    latest: `coalesce(${known}${notedOf(table, `status = ${stored(table)}.status`)}, first_seen_at)`,
  };
};

const TRADE_END = endOf(trade);
const DEPOSIT_END = endOf(deposit);
const TRANSFER_END = endOf(transfer);
const FEES_END = endOf(feeWithdrawal);
const BRIDGE_END = endOf(bridgeTransfer);

const legsOf = (side: 'buy' | 'sell', token: 'usdc' | 'usdt'): readonly MovementKind[] => {
  const own = `side = '${side}' AND lower(pair) LIKE '%${token}'`;
  const stable = `'${token.toUpperCase()}'`;
  const common = {
    ...rowsOf(trade),
    own,
    completedAt: TRADE_END.end,
    failedAt: TRADE_END.end,
    endedAt: TRADE_END.latest,
    line: 'traded',
  } as const;
  const tokenMinor = `${token}_minor`;
  const gross = side === 'buy' ? tokenMinor : 'cngn_minor';
  const bought = side === 'buy' ? stable : "'CNGN'";
  return [
    {
      ...common,
      way: 'out',
      asset: side === 'buy' ? "'CNGN'" : stable,
      amount: side === 'buy' ? 'cngn_minor' : tokenMinor,
      fee: '0',
    },
    {
      ...common,
      way: 'in',
      asset: bought,
      amount: gross,
      // Some answers state the net amount of a sale in the stablecoin, which does not say what was deducted from the cNGN.
      fee: `CASE WHEN net_asset = ${bought} THEN ${gross} - net_minor END`,
      feeWhy: 'FEE_OTHER_ASSET',
    },
  ];
};

/** The fee of an own deposit; NULL if it is not known. */
const DEPOSIT_FEE = 'platform_fee_minor';

const PAYOUTS = rowsOf(payout);

/** Whether rows of a list may have been sent back by the bank after they had completed. */
export const mayComeBack = ({ name }: Pick<CopyTable, 'name'>): boolean => name === PAYOUTS.table.name;

/** When it was first seen as completed: an SQL expression. */
const PAYOUT_NOTED = notedOf(PAYOUTS.table, PAYOUTS.done);

const PAYOUT_FEE = `fee_minor * ${CNGN_OF_KOBO}`;

/** When it was completed: an SQL expression. */
export const CAME_BACK_AFTER = `coalesce(completed_at, ${PAYOUT_NOTED}, created_at)`;

const payoutRows = (cameBack: boolean) => ({
  ...PAYOUTS,
  own: `${PAYOUTS.own} AND ${cameBack ? '' : 'NOT '}(${CAME_BACK})`,
  asset: "'CNGN'",
  amount: `amount_minor * ${CNGN_OF_KOBO}`,
});

/** What came back was completed before, and did not fail in any other way. */
const CAME_BACK_ROWS = { ...payoutRows(true), done: PAYOUTS.failed, failed: NO_ROW };

/** What arrives of a bridge transfer. */
const BRIDGED = 'coalesce(arrived_minor, amount_minor)';

/** Whether an address is the account wallet, as other rows of the account name it: an SQL condition. */
const isOwnWallet = (address: string) => {
  const found = [transfer, payout, deposit].map(
    (thing) =>
      `EXISTS (SELECT 1 FROM ${stored(tableOf(thing))} w WHERE w.wallet_address = ${address} AND w.${isThing(thing)})`,
  );
  return `(${found.join(' OR ')})`;
};

export const MOVEMENTS: readonly MovementKind[] = [
  {
    ...rowsOf(deposit),
    way: 'in',
    asset: "'CNGN'",
    amount: `amount_minor * ${CNGN_OF_KOBO}`,
    fee: `${DEPOSIT_FEE} * ${CNGN_OF_KOBO}`,
    completedAt: 'completed_at',
    failedAt: DEPOSIT_END.end,
  },
  {
    ...payoutRows(false),
    way: 'out',
    fee: PAYOUT_FEE,
    completedAt: 'completed_at',
    failedAt: 'coalesce(updated_at, completed_at)',
  },
  {
    ...CAME_BACK_ROWS,
    way: 'out',
    fee: PAYOUT_FEE,
    completedAt: CAME_BACK_AFTER,
    failedAt: 'updated_at',
    endedAt: `coalesce(${PAYOUT_NOTED}, updated_at)`,
  },
  {
    // The bank sends the amount back, and the fee stays with the service.
    ...CAME_BACK_ROWS,
    kind: 'refunds',
    way: 'in',
    line: 'refunds',
    fee: '0',
    completedAt: 'updated_at',
    failedAt: 'updated_at',
    beganAt: CAME_BACK_AFTER,
  },
  {
    ...rowsOf(transfer),
    way: 'out',
    asset: 'amount_asset',
    amount: 'amount_minor',
    fee: '0',
    completedAt: 'completed_at',
    failedAt: TRANSFER_END.end,
    endedAt: TRANSFER_END.latest,
  },
  ...(['buy', 'sell'] as const).flatMap((side) => (['usdc', 'usdt'] as const).flatMap((token) => legsOf(side, token))),
  {
    ...rowsOf(feeWithdrawal),
    way: 'out',
    asset: "'NGN'",
    amount: 'amount_minor',
    fee: '0',
    completedAt: FEES_END.end,
    failedAt: FEES_END.end,
    endedAt: FEES_END.latest,
  },
  // What leaves for the bridge is a transfer of the account. Bridging to an own wallet is neither income nor spending, except for the fee.
  ...([true, false] as const).map((isOwn): MovementKind => {
    const own = `${isOwnWallet('stored_bridge_transfers.to_address')} AND ${isOwn ? '' : 'NOT '}${isOwnWallet('stored_bridge_transfers.from_address')}`;
    return {
      ...rowsOf(bridgeTransfer),
      own,
      way: 'in',
      asset: "'CNGN'",
      amount: isOwn ? 'amount_minor' : BRIDGED,
      fee: isOwn ? `amount_minor - ${BRIDGED}` : '0',
      completedAt: 'completed_at',
      failedAt: BRIDGE_END.end,
      ...(isOwn ? { line: 'bridged' } : {}),
    };
  }),
];
