import { accumulatedFees, getFees } from '../contract/fees.ts';
import { command } from './command.ts';
import { outcomeOf } from './session.ts';

const showCommand = command({
  words: ['fees', 'show'],
  summary: "Show the account's own fees on onramps and offramps",
  examples: ['fiatrail fees show', 'fiatrail fees show -o json --query feeConfiguration.onrampFee'],
  endpoints: [getFees.id],
  parameters: {},
  run: async (session) => outcomeOf(session, getFees, await session.call(getFees, {})),
});

const earnedCommand = command({
  words: ['fees', 'earned'],
  summary: 'Show the fees earned, and what of them can be withdrawn',
  examples: ['fiatrail fees earned', 'fiatrail fees earned -o json --query summary.availableForWithdrawal.value'],
  endpoints: [accumulatedFees.id],
  parameters: {},
  run: async (session) => outcomeOf(session, accumulatedFees, await session.call(accumulatedFees, {})),
});

export const commands = [showCommand, earnedCommand];
