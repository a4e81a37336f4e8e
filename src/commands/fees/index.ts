import { accumulatedFees, getFees, previewFees } from '../../contract/endpoints/fees.ts';
import { DIRECTIONS } from '../../contract/values.ts';
import { toWireNumber } from '../../money/amount.ts';
import { callCommand } from '../../terminal/command.ts';
import { amountHelp, amountOf, oneOf, required } from '../../terminal/parse/parameters.ts';
import { SETTING, setCommand } from './set.ts';
import { withdrawalCommands } from './withdraw.ts';

const showCommand = callCommand(getFees, {
  words: ['fees', 'show'],
  summary: 'Show the fees that the account charges its users',
  examples: ['fiatrail fees show', 'fiatrail fees show -o json --query feeConfiguration.onrampFee'],
  parameters: {},
  request: () => ({}),
  columns: [...SETTING, { field: 'timestamps.updatedAt', title: 'Updated' }],
});

const EARNED = [
  { field: 'summary.availableForWithdrawal', title: 'Available to withdraw' },
  { field: 'summary.pendingWithdrawals', title: 'Pending withdrawals' },
  { field: 'summary.collectedFees', title: 'Collected' },
  { field: 'summary.pendingFees', title: 'Not collected yet' },
  { field: 'summary.totalAccumulatedFees', title: 'Total earned' },
  { field: 'summary.onrampFees', title: 'From onramps' },
  { field: 'summary.offrampFees', title: 'From offramps' },
  { field: 'summary.transactionCount', title: 'Transactions' },
  { field: 'details.minimumWithdrawal', title: 'Minimum withdrawal' },
  { field: 'details.maximumWithdrawal', title: 'Maximum withdrawal' },
  { field: 'details.lastUpdated', title: 'Last updated' },
] as const;

const earnedCommand = callCommand(accumulatedFees, {
  words: ['fees', 'earned'],
  summary: 'Show earned and withdrawable fees',
  examples: ['fiatrail fees earned', 'fiatrail fees earned -o json --query summary.availableForWithdrawal.value'],
  parameters: {},
  request: () => ({}),
  columns: EARNED,
});

const PREVIEW = [
  { field: 'amount', title: 'Amount' },
  { field: 'transactionType', title: 'Direction' },
  { field: 'finalFee', title: 'Platform fee' },
  { field: 'feePercentage', title: 'Percentage' },
  { field: 'calculatedFee', title: 'Before the cap' },
  { field: 'fixedFee', title: 'Fixed part' },
  { field: 'appliedCap', title: 'Capped at' },
  { field: 'tierUsed.minAmount', title: 'Tier from' },
  { field: 'tierUsed.maxAmount', title: 'Tier to' },
  { field: 'usedFintechOverride', title: 'Custom rate' },
] as const;

const previewCommand = callCommand(previewFees, {
  words: ['fees', 'preview'],
  summary: 'Preview the platform fee on an amount',
  details: 'The account’s own fee is added on top; see it with: fiatrail fees show',
  examples: [
    'fiatrail fees preview --amount 5000 --operation onramp',
    'fiatrail fees preview --amount ₦150,000 --operation offramp -o json --query finalFee.value',
  ],
  parameters: {
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    direction: required(
      '--operation <operation>',
      'onramp or offramp',
      oneOf(...DIRECTIONS),
      'Operation (onramp or offramp):',
    ),
  },
  fields: { transactionType: 'direction' },
  request: ({ amount, direction }) => ({ amount: toWireNumber(amount, 'kobo'), transactionType: direction }),
  columns: PREVIEW,
});

export const commands = [showCommand, setCommand, earnedCommand, previewCommand, ...withdrawalCommands];
