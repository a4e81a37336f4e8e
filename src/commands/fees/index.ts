import { command } from '../../cli/command.ts';
import { amountHelp, amountOf, oneOf, required } from '../../cli/parameters.ts';
import { outcomeOf } from '../../cli/session.ts';
import { accumulatedFees, getFees, previewFees } from '../../contract/endpoints/fees.ts';
import { DIRECTIONS } from '../../contract/fees.ts';
import { toWireNumber } from '../../money/units.ts';
import { SETTING, setCommand } from './set.ts';
import { withdrawalCommands } from './withdraw.ts';

const showCommand = command({
  words: ['fees', 'show'],
  summary: "Show the account's own fees on onramps and offramps",
  examples: ['fiatrail fees show', 'fiatrail fees show -o json --query feeConfiguration.onrampFee'],
  endpoints: [getFees.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, getFees, await session.call(getFees, {}), {
      columns: [...SETTING, { field: 'timestamps.updatedAt', title: 'Last changed' }],
    }),
});

const EARNED = [
  { field: 'summary.availableForWithdrawal', title: 'Can be withdrawn' },
  { field: 'summary.pendingWithdrawals', title: 'Being withdrawn' },
  { field: 'summary.collectedFees', title: 'Collected' },
  { field: 'summary.pendingFees', title: 'Not yet collected' },
  { field: 'summary.totalAccumulatedFees', title: 'Earned in all' },
  { field: 'summary.onrampFees', title: 'On onramps' },
  { field: 'summary.offrampFees', title: 'On offramps' },
  { field: 'summary.transactionCount', title: 'Transactions' },
  { field: 'details.minimumWithdrawal', title: 'Withdraw at least' },
  { field: 'details.maximumWithdrawal', title: 'Withdraw at most' },
  { field: 'details.lastUpdated', title: 'Last earned' },
] as const;

const earnedCommand = command({
  words: ['fees', 'earned'],
  summary: 'Show the fees earned, and what of them can be withdrawn',
  examples: ['fiatrail fees earned', 'fiatrail fees earned -o json --query summary.availableForWithdrawal.value'],
  endpoints: [accumulatedFees.id],
  parameters: {},
  run: async (session) =>
    outcomeOf(session, accumulatedFees, await session.call(accumulatedFees, {}), { columns: EARNED }),
});

const PREVIEW = [
  { field: 'amount', title: 'Amount' },
  { field: 'transactionType', title: 'Direction' },
  { field: 'finalFee', title: 'Platform fee' },
  { field: 'feePercentage', title: 'Percentage' },
  { field: 'calculatedFee', title: 'Before the cap' },
  { field: 'fixedFee', title: 'Of it fixed' },
  { field: 'appliedCap', title: 'Capped at' },
  { field: 'tierUsed.minAmount', title: 'Tier from' },
  { field: 'tierUsed.maxAmount', title: 'Tier to' },
  { field: 'usedFintechOverride', title: 'A rate of your own' },
] as const;

const previewCommand = command({
  words: ['fees', 'preview'],
  summary: "Show the platform's own fee on an amount",
  details: 'What the account itself takes comes on top: fiatrail fees show',
  examples: [
    'fiatrail fees preview --amount 5000 --direction onramp',
    'fiatrail fees preview --amount ₦150,000 --direction offramp -o json --query finalFee.value',
  ],
  endpoints: [previewFees.id],
  parameters: {
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    direction: required(
      '--direction <direction>',
      'onramp or offramp',
      oneOf(...DIRECTIONS),
      'Direction (onramp or offramp):',
    ),
  },
  run: async (session, { amount, direction }) => {
    const request = { amount: toWireNumber(amount, 'kobo'), transactionType: direction };
    return outcomeOf(session, previewFees, await session.call(previewFees, request), { columns: PREVIEW });
  },
});

export const commands = [showCommand, setCommand, earnedCommand, previewCommand, ...withdrawalCommands];
