import { FAILED } from '../../schema.ts';

/** cNGN is counted in millionths, Naira in kobo. */
const CNGN_OF_KOBO = 10_000n;

/**
 * A way in which the account's own balance changes, and the rows that show it. Money leaves when its row is made, and is out when that is
 * completed; until then it is in flight. What failed comes back. Money that arrives counts when it is there.
 */
export interface MovementKind {
  readonly kind: string;
  readonly table: string;
  /** Which rows of the table are the account's own. */
  readonly own: string;
  readonly way: 'in' | 'out';
  /** An SQL expression: the asset. */
  readonly asset: string;
  /** SQL expressions, in the smallest unit of the asset. What arrives is the amount without the fee, what leaves the amount and the fee. */
  readonly amount: string;
  readonly fee: string;
  /** Which rows have completed and which have failed, if it is not their status alone that says so. */
  readonly done?: string;
  readonly failed?: string;
  /** SQL expressions: when it was completed, and when it failed. */
  readonly completedAt: string;
  readonly failedAt: string;
  /** SQL expressions, where they are not the times above: the earliest and the latest moment at which the balance may have changed. */
  readonly beganAt?: string;
  readonly endedAt?: string;
  /** The line that it is added to, if not `in` or `out`. */
  readonly line?: 'traded' | 'refunds' | 'bridged';
}

/** When a row was first seen with a status: an SQL expression. */
const notedOf = (table: string, status: string) =>
  `(SELECT min(seen_at) FROM stored_status_changes WHERE kind = '${table.replace('stored_', '')}' AND id = ${table}.id AND status = ${status})`;

/**
 * When a row of a list without that time ended, as far as is known: an SQL expression. If its status was seen to change, it ended before
 * that, and the look at the balances of that sync is taken to have seen it; otherwise it had ended when it was first seen.
 */
const endNotedOf = (table: string) =>
  `(SELECT coalesce((SELECT max(c.at) FROM stored_balance_checks c WHERE c.at <= s.at AND c.at > ${table}.created_at), s.at)
    FROM (SELECT ${notedOf(table, `${table}.status`)} AS at) s)`;

/** SQL expressions for the end of a row of a table: what stands for it, and the latest that it can be. */
export const endOf = (table: string, hasTime: boolean) => {
  const known = hasTime ? 'completed_at, ' : '';
  return {
    end: `coalesce(${known}${endNotedOf(table)}, created_at)`,
    latest: `coalesce(${known}${notedOf(table, `${table}.status`)}, first_seen_at)`,
  };
};

const TRADE_END = endOf('stored_fx_trades', false);
const DEPOSIT_END = endOf('stored_deposits', true);
const TRANSFER_END = endOf('stored_withdrawals', true);
const FEES_END = endOf('stored_fee_withdrawals', true);
const BRIDGE_END = endOf('stored_bridge_transfers', true);

const trade = (side: 'buy' | 'sell', token: 'usdc' | 'usdt'): readonly MovementKind[] => {
  const own = `side = '${side}' AND lower(pair) LIKE '%${token}'`;
  const stable = `'${token.toUpperCase()}'`;
  const common = {
    ...{ kind: 'trades', table: 'stored_fx_trades', own },
    ...{ completedAt: TRADE_END.end, failedAt: TRADE_END.end, endedAt: TRADE_END.latest },
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
      ...{ ...common, way: 'in', asset: bought, amount: gross },
      // Some answers state the net amount of a sale in the stablecoin, which does not say what was deducted from the cNGN.
      fee: `CASE WHEN net_asset = ${bought} THEN ${gross} - net_minor ELSE 0 END`,
    },
  ];
};

/** The fee of an own deposit: as the row says, or as the service says for such an amount. */
const DEPOSIT_FEE = `coalesce(fee_minor, amount_minor - funding_minor,
  (SELECT f.fee_minor FROM stored_deposit_fees f WHERE f.amount_minor = stored_deposits.amount_minor), 0)`;

/** A payout that the bank sent back after it was completed: the list shows it as failed, and not when it was completed. */
export const CAME_BACK = `${FAILED} AND EXISTS (SELECT 1 FROM stored_status_changes s WHERE s.kind = 'payouts' AND s.id = stored_payouts.id
  AND s.status IN ('completed', 'reversed'))`;

const PAYOUT_FEE = `coalesce(fee_minor, 0) * ${CNGN_OF_KOBO}`;

/** When it was completed: an SQL expression. */
export const CAME_BACK_AFTER = `coalesce(completed_at, ${notedOf('stored_payouts', "'completed'")}, created_at)`;

const isPayout = (cameBack: boolean) => ({
  ...{
    table: 'stored_payouts',
    own: `type = 'fintech_offramp' AND ${cameBack ? '' : 'NOT '}(${CAME_BACK})`,
    asset: "'CNGN'",
  },
  amount: `amount_minor * ${CNGN_OF_KOBO}`,
});

/** What arrives of a bridge transfer. */
const BRIDGED = 'coalesce(arrived_minor, amount_minor)';

/** Whether an address is the account's smart wallet, as other rows of the account name it: an SQL condition. */
const isOwnWallet = (address: string) => {
  const rows = { withdrawals: 'fintech_self_transfer', payouts: 'fintech_offramp', deposits: 'fintech_deposit' };
  const found = Object.entries(rows).map(
    ([table, type]) =>
      `EXISTS (SELECT 1 FROM stored_${table} w WHERE w.wallet_address = ${address} AND w.type = '${type}')`,
  );
  return `(${found.join(' OR ')})`;
};

export const MOVEMENTS: readonly MovementKind[] = [
  {
    ...{ kind: 'deposits', table: 'stored_deposits', own: "type = 'fintech_deposit'", way: 'in', asset: "'CNGN'" },
    ...{ amount: `amount_minor * ${CNGN_OF_KOBO}`, fee: `${DEPOSIT_FEE} * ${CNGN_OF_KOBO}` },
    ...{ completedAt: 'completed_at', failedAt: DEPOSIT_END.end },
  },
  {
    ...{ ...isPayout(false), kind: 'payouts', way: 'out', fee: PAYOUT_FEE },
    ...{ completedAt: 'completed_at', failedAt: 'coalesce(updated_at, completed_at)' },
  },
  {
    ...{ ...isPayout(true), kind: 'payouts', way: 'out', fee: PAYOUT_FEE, done: FAILED, failed: '1 = 0' },
    ...{
      completedAt: CAME_BACK_AFTER,
      failedAt: 'updated_at',
      endedAt: `coalesce(${notedOf('stored_payouts', "'completed'")}, updated_at)`,
    },
  },
  {
    // The bank sends the amount back, and the fee stays with the service.
    ...{ ...isPayout(true), kind: 'refunds', way: 'in', line: 'refunds', fee: '0' },
    ...{ done: FAILED, failed: '1 = 0', completedAt: 'updated_at', failedAt: 'updated_at', beganAt: CAME_BACK_AFTER },
  },
  {
    ...{ kind: 'transfers', table: 'stored_withdrawals', own: "type = 'fintech_self_transfer'", way: 'out' },
    ...{ asset: 'amount_asset', amount: 'amount_minor', fee: '0' },
    ...{ completedAt: 'completed_at', failedAt: TRANSFER_END.end, endedAt: TRANSFER_END.latest },
  },
  ...(['buy', 'sell'] as const).flatMap((side) => (['usdc', 'usdt'] as const).flatMap((token) => trade(side, token))),
  {
    ...{ kind: 'fee withdrawals', table: 'stored_fee_withdrawals', own: '1 = 1', way: 'out', asset: "'NGN'" },
    ...{
      amount: 'amount_minor',
      fee: '0',
      completedAt: FEES_END.end,
      failedAt: FEES_END.end,
      endedAt: FEES_END.latest,
    },
  },
  // What leaves for the bridge is a transfer of the account. What stays its own is no money that came or went, except for the bridge's fee.
  ...([true, false] as const).map((isOwn): MovementKind => {
    const own = `${isOwnWallet('stored_bridge_transfers.to_address')} AND ${isOwn ? '' : 'NOT '}${isOwnWallet('stored_bridge_transfers.from_address')}`;
    return {
      ...{ kind: 'bridge transfers', table: 'stored_bridge_transfers', own },
      ...{
        way: 'in',
        asset: "'CNGN'",
        amount: isOwn ? 'amount_minor' : BRIDGED,
        fee: isOwn ? `amount_minor - ${BRIDGED}` : '0',
      },
      ...{ completedAt: 'completed_at', failedAt: BRIDGE_END.end, ...(isOwn ? { line: 'bridged' } : {}) },
    };
  }),
];
