import { once } from '../../base/calls.ts';
import { CliError } from '../../base/errors.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { accumulatedFees, getFees, manageFees, previewFees } from '../../contract/endpoints/fees.ts';
import { DIRECTIONS, type Direction } from '../../contract/values.ts';
import type { Account } from '../../engine/account.ts';
import { outcomeOf } from '../../engine/outcome.ts';
import { nairaOf } from '../../engine/previews/fees.ts';
import { PREVIEW_READ } from '../../engine/previews/previews.ts';
import {
  type Amount,
  amountForPeople,
  isUnknownFigure,
  printable,
  toWireNumber,
  type UnknownFigure,
} from '../../money/amount.ts';
import type { WireNumber } from '../../money/decimal.ts';
import { type PercentMillionths, percentFromWire, percentText, percentToWire } from '../../money/rates.ts';
import { callCommand, command } from '../../terminal/command.ts';
import {
  amountHelp,
  amountOf,
  amountOrZeroOf,
  nothingTo,
  oneOf,
  onOrOff,
  option,
  percent,
  plainText,
  required,
} from '../../terminal/parse/parameters.ts';
import { change } from '../../terminal/terminal.ts';
import { withdrawalCommands } from './withdraw.ts';

/** The requested changes for one direction; undefined values stay as they are. */
interface WantedFee {
  readonly percent: PercentMillionths | undefined;
  readonly cap: Amount | undefined;
  readonly isOn: boolean | undefined;
}

interface Current {
  readonly percentageFee?: WireNumber | null | undefined;
  readonly capFee?: WireNumber | UnknownFigure | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

const isChanged = (wanted: WantedFee) => Object.values(wanted).some((value) => value !== undefined);

const isComplete = (wanted: WantedFee) => Object.values(wanted).every((value) => value !== undefined);

/** Builds the complete setting for a direction, because the service accepts no partial one. Omitted values are sent unchanged. */
async function settingOf(account: Account, direction: Direction, wanted: WantedFee, current: Current | undefined) {
  const now = {
    percent: percentFromWire(current?.percentageFee ?? Number.NaN),
    cap: nairaOf(current?.capFee),
    isOn: current?.enabled ?? undefined,
  };
  if (wanted.cap === undefined && isUnknownFigure(current?.capFee))
    throw new CliError(
      'network',
      `the cap of the ${direction} fee is "${printable(current.capFee.value)}", which is not known to be in kobo; nothing was sent`,
      {
        code: 'UNUSABLE_RESPONSE',
        hint: `add --${direction}-cap`,
      },
    );
  const value = { percent: wanted.percent ?? now.percent, cap: wanted.cap ?? now.cap, isOn: wanted.isOn ?? now.isOn };
  if (value.percent === undefined || value.cap === undefined || value.isOn === undefined) {
    throw new CliError('usage', `the ${direction} fee is not set yet; all of its settings are required`, {
      code: 'VALIDATION_ERROR',
      hint: `add --${direction}-percent, --${direction}-cap and --${direction}`,
    });
  }
  const unchanged = [
    wanted.percent === undefined ? `${percentText(value.percent)}%` : '',
    wanted.cap === undefined ? `cap ${amountForPeople(value.cap)}` : '',
    wanted.isOn === undefined ? (value.isOn ? 'on' : 'off') : '',
  ].filter((part) => part !== '');
  if (unchanged.length > 0) await account.notices.note(`unchanged for the ${direction} fee: ${unchanged.join(', ')}`);
  return {
    percentageFee: percentToWire(value.percent),
    capFee: toWireNumber(value.cap, 'kobo'),
    enabled: value.isOn,
  };
}

/** `0.5%, at most ₦500.00`, as far as the setting says it. */
function settingInWords(setting: Current | null | undefined): string | undefined {
  if (!setting) return undefined;
  const { percentageFee, capFee, enabled } = setting;
  const percentage = percentageFee == null ? undefined : percentFromWire(percentageFee);
  const cap = nairaOf(capFee);
  const parts = [
    percentage === undefined ? '' : `${percentText(percentage)}%`,
    cap ? `at most ${amountForPeople(cap)}` : '',
    enabled === false ? 'off' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function directionOptions(direction: Direction) {
  return {
    percent: option(`--${direction}-percent <percent>`, `percentage charged on an ${direction}, such as 0.5%`, percent),
    cap: option(
      `--${direction}-cap <naira>`,
      'maximum fee per transaction, in Naira unless a unit is given',
      amountOrZeroOf('NGN'),
    ),
    isOn: option(`--${direction} <on|off>`, `turn the ${direction} fee on or off`, onOrOff),
  };
}

const onramp = directionOptions('onramp');

const offramp = directionOptions('offramp');

/** The columns of the current fee settings. */
const SETTING = [
  { field: 'feeConfiguration.onrampFee.percentageFee', title: 'Onramp fee percentage' },
  { field: 'feeConfiguration.onrampFee.capFee', title: 'Onramp fee cap' },
  { field: 'feeConfiguration.onrampFee.enabled', title: 'Onramp fee enabled' },
  { field: 'feeConfiguration.offrampFee.percentageFee', title: 'Offramp fee percentage' },
  { field: 'feeConfiguration.offrampFee.capFee', title: 'Offramp fee cap' },
  { field: 'feeConfiguration.offrampFee.enabled', title: 'Offramp fee enabled' },
] as const;

const SET = [
  ...SETTING,
  { field: 'exampleCalculation.onramp.amount', title: 'Example onramp' },
  { field: 'exampleCalculation.onramp.fee', title: 'Fee earned' },
  { field: 'exampleCalculation.offramp.amount', title: 'Example offramp' },
  { field: 'exampleCalculation.offramp.fee', title: 'Fee earned' },
] as const;

const SETTINGS = {
  onrampPercent: onramp.percent,
  onrampCap: onramp.cap,
  onramp: onramp.isOn,
  offrampPercent: offramp.percent,
  offrampCap: offramp.cap,
  offramp: offramp.isOn,
};

const setCommand = command({
  words: ['fees', 'set'],
  summary: 'Set the fees that the account charges its users',
  details:
    'The fee is a percentage of the amount, up to the cap. Omitted settings stay unchanged: the current settings are read first, even in a dry run, and sent back in full.',
  examples: [
    'fiatrail fees set --onramp-percent 0.5% --onramp-cap 500 --onramp on',
    'fiatrail fees set --offramp-percent 0.5% --offramp-cap 500 --offramp off --note "free in August" --yes -o json',
  ],
  endpoints: [manageFees.id, getFees.id],
  prints: { response: manageFees },
  parameters: {
    ...SETTINGS,
    note: option('--note <text>', 'reason, for the audit log', plainText),
    description: option('--description <text>', 'description of the settings, for the audit log', plainText),
    updatedBy: option('--updated-by <name>', 'who changes the settings, for the audit log', plainText),
  },
  fields: {
    'onrampFee.percentageFee': 'onrampPercent',
    'onrampFee.capFee': 'onrampCap',
    'onrampFee.enabled': 'onramp',
    'offrampFee.percentageFee': 'offrampPercent',
    'offrampFee.capFee': 'offrampCap',
    'offrampFee.enabled': 'offramp',
    'metadata.notes': 'note',
  },
  run: async (account, terminal, input) => {
    const wanted = {
      onramp: { percent: input.onrampPercent, cap: input.onrampCap, isOn: input.onramp },
      offramp: { percent: input.offrampPercent, cap: input.offrampCap, isOn: input.offramp },
    };
    const changed = DIRECTIONS.filter((direction) => isChanged(wanted[direction]));
    if (changed.length === 0) throw nothingTo('set', SETTINGS);
    const isWhole = changed.every((direction) => isComplete(wanted[direction]));
    const read = once(
      async () => (await account.call(getFees, {}, isWhole ? PREVIEW_READ : { isBeforehand: true })).data,
    );
    const current = isWhole ? undefined : (await read()).feeConfiguration;
    const request: RequestOf<typeof manageFees> = {};
    for (const direction of changed) {
      request[`${direction}Fee`] = await settingOf(
        account,
        direction,
        wanted[direction],
        current?.[`${direction}Fee`] ?? undefined,
      );
    }
    const metadata = { notes: input.note, description: input.description, lastUpdatedBy: input.updatedBy };
    if (Object.values(metadata).some((value) => value !== undefined)) request.metadata = metadata;
    const replaces = changed.map((direction) => ({
      label: `${direction} fee`,
      next: settingInWords(request[`${direction}Fee`]) ?? '',
      read: async () => {
        const { feeConfiguration, hasConfiguration } = await read();
        return { now: hasConfiguration === false ? 'none' : settingInWords(feeConfiguration?.[`${direction}Fee`]) };
      },
    }));
    const summary = `set the ${replaces.map(({ label, next }) => `${label} to ${next}`).join(' and the ')}`;
    const reply = await change(account, terminal, manageFees, request, { summary, lines: [], replaces });
    return outcomeOf(account, manageFees, reply, { columns: SET });
  },
});

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
    'fiatrail fees preview --amount 5000 --transaction-type onramp',
    'fiatrail fees preview --amount ₦150,000 --transaction-type offramp -o json --query finalFee.value',
  ],
  parameters: {
    amount: required('--amount <naira>', amountHelp('NGN'), amountOf('NGN'), 'Amount in Naira:'),
    direction: required(
      '--transaction-type <type>',
      'onramp or offramp',
      oneOf(...DIRECTIONS),
      'Type (onramp or offramp):',
    ),
  },
  fields: { transactionType: 'direction' },
  request: ({ amount, direction }) => ({ amount: toWireNumber(amount, 'kobo'), transactionType: direction }),
  columns: PREVIEW,
});

export const commands = [showCommand, setCommand, earnedCommand, previewCommand, ...withdrawalCommands];
