import { autoSigningConfig } from '../contract/endpoints/management.ts';
import { callCommand } from '../terminal/command.ts';

const SHOWN = [
  { field: 'enabled', title: 'Auto-signing' },
  { field: 'thresholdAmount', title: 'Threshold' },
  { field: 'currency', title: 'Token' },
  { field: 'maxDailyAmount', title: 'Daily maximum' },
  { field: 'restrictToFintech', title: 'Own wallets only' },
] as const;

const showCommand = callCommand(autoSigningConfig, {
  words: ['approvals', 'show'],
  summary: 'Show from which amount on the account’s cNGN needs a manual signature',
  details: 'Amounts up to the threshold are signed automatically; larger amounts need a manual signature.',
  examples: ['fiatrail approvals show', 'fiatrail approvals show -o json --query thresholdAmount.value'],
  parameters: {},
  request: () => ({}),
  columns: SHOWN,
});

export const commands = [showCommand];
