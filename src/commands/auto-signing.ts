import { command } from '../cli/command.ts';
import { outcomeOf } from '../cli/session.ts';
import { autoSigningConfig } from '../contract/endpoints/management.ts';

const SHOWN = [
  { field: 'enabled', title: 'Auto-signing' },
  { field: 'thresholdAmount', title: 'Approved up to' },
  { field: 'currency', title: 'Token' },
  { field: 'maxDailyAmount', title: 'A day at most' },
  { field: 'restrictToFintech', title: 'Own only' },
] as const;

const showCommand = command({
  words: ['auto-signing', 'show'],
  summary: 'Show up to which amount cNGN is approved without a person',
  details: 'Amounts at or below the threshold are approved by themselves; above it somebody has to sign.',
  examples: ['fiatrail auto-signing show', 'fiatrail auto-signing show -o json --query thresholdAmount'],
  endpoints: [autoSigningConfig.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, autoSigningConfig, await session.call(autoSigningConfig, {}), { columns: SHOWN }),
});

export const commands = [showCommand];
