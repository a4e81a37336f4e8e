import { OPEN_TRADE_STATES } from '../../contract/fx.ts';

/** SQL that holds for an open trade. The index `fx_trade_open` has it as its condition, so SQLite uses that index only for this text. */
export const IS_OPEN_TRADE = `state IN (${OPEN_TRADE_STATES.map((state) => `'${state}'`).join(', ')})`;
