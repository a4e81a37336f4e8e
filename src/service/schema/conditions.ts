import { OPEN_TRADE_STATES } from '../../contract/fx.ts';

/** Matches a deposit that may still change. SQLite uses the index of such deposits only for a query that has the same condition. */
export const IS_OPEN_DEPOSIT = `state IN ('pending', 'processing', 'refunding')`;

/** When a fee withdrawal last changed. An index has it in this form. */
export const FEE_WITHDRAWAL_AT = 'MAX(created_at, COALESCE(processed_at, 0))';

/** SQL that holds for an open trade. The index `fx_trade_open` has it as its condition, so SQLite uses that index only for this text. */
export const IS_OPEN_TRADE = `state IN (${OPEN_TRADE_STATES.map((state) => `'${state}'`).join(', ')})`;

/** Matches an offramp that may still change. */
export const IS_OPEN_OFFRAMP = `state NOT IN ('completed', 'failed', 'cancelled')`;

/** Matches a payout of the fintech that has not ended. The bank may still reverse a completed one. */
export const IS_OPEN_PAYOUT = `state NOT IN ('completed', 'failed', 'cancelled', 'reversed')`;

/** Matches a withdrawal that has not ended. */
export const IS_OPEN_WITHDRAWAL = `state NOT IN ('completed', 'failed')`;
