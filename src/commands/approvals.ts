import { autoSigningConfig } from '../contract/endpoints/management.ts';
import { outcomeOf } from '../engine/outcome.ts';
import { command } from '../terminal/command.ts';

const SHOWN = [
  { field: 'enabled', title: 'Auto-signing' },
  { field: 'thresholdAmount', title: 'Threshold' },
  { field: 'currency', title: 'Token' },
  { field: 'maxDailyAmount', title: 'Daily maximum' },
  { field: 'restrictToFintech', title: 'Own wallets only' },
] as const;

const showCommand = command({
  words: ['approvals', 'show'],
  summary: 'Show from which amount on the account’s cNGN needs a manual signature',
  details: 'Amounts up to the threshold are signed automatically; larger amounts need a manual signature.',
  examples: ['fiatrail approvals show', 'fiatrail approvals show -o json --query thresholdAmount.value'],
  endpoints: [autoSigningConfig.id],
  prints: { response: autoSigningConfig },
  parameters: {},
  run: async (session) =>
    outcomeOf(session, autoSigningConfig, await session.call(autoSigningConfig, {}), { columns: SHOWN }),
});

export const commands = [showCommand];
