import { CliError } from '../../base/errors.ts';
import { command } from '../../cli/command.ts';
import { amountOrNothingOf, onOrOff, option, percent, word } from '../../cli/parameters.ts';
import { nairaOf } from '../../cli/previews.ts';
import { outcomeOf, type Session } from '../../cli/session.ts';
import type { RequestOf } from '../../contract/endpoint.ts';
import { getFees, manageFees } from '../../contract/endpoints/fees.ts';
import { DIRECTIONS, type Direction } from '../../contract/fees.ts';
import { type Amount, amountForPeople } from '../../money/amount.ts';
import type { WireNumber } from '../../money/decimal.ts';
import { type PercentMillionths, percentFromWire, percentText, percentToWire } from '../../money/rates.ts';
import { toWireNumber } from '../../money/units.ts';

/** What of one direction is to change; what is undefined stays. */
interface Wanted {
  readonly percent: PercentMillionths | undefined;
  readonly cap: Amount | undefined;
  readonly isOn: boolean | undefined;
}

interface Current {
  readonly percentageFee?: WireNumber | null | undefined;
  readonly capFee?: WireNumber | null | undefined;
  readonly enabled?: boolean | null | undefined;
}

const isAsked = (wanted: Wanted) => Object.values(wanted).some((value) => value !== undefined);
const isWhole = (wanted: Wanted) => Object.values(wanted).every((value) => value !== undefined);

/** The whole setting of a direction, since the service takes no part of one: what was not given is sent as it is now. */
async function settingOf(session: Session, direction: Direction, wanted: Wanted, current: Current | undefined) {
  const now = {
    percent: percentFromWire(current?.percentageFee ?? Number.NaN),
    cap: nairaOf(current?.capFee),
    isOn: current?.enabled ?? undefined,
  };
  const value = { percent: wanted.percent ?? now.percent, cap: wanted.cap ?? now.cap, isOn: wanted.isOn ?? now.isOn };
  if (value.percent === undefined || value.cap === undefined || value.isOn === undefined) {
    throw new CliError('usage', `the ${direction} fee is not set yet, so all of it is needed`, {
      code: 'MISSING_INPUT',
      hint: `give --${direction}-percent, --${direction}-cap and --${direction}`,
    });
  }
  const kept = [
    wanted.percent === undefined ? `${percentText(value.percent)}%` : '',
    wanted.cap === undefined ? `at most ${amountForPeople(value.cap)}` : '',
    wanted.isOn === undefined ? (value.isOn ? 'on' : 'off') : '',
  ].filter((part) => part !== '');
  if (kept.length > 0) await session.note(`the ${direction} fee keeps: ${kept.join(', ')}`);
  return {
    percentageFee: percentToWire(value.percent),
    capFee: toWireNumber(value.cap, 'kobo'),
    enabled: value.isOn,
  };
}

function directionOptions(direction: Direction) {
  return {
    percent: option(`--${direction}-percent <percent>`, `the fee on an ${direction}, such as 0.5%`, percent),
    cap: option(
      `--${direction}-cap <naira>`,
      'the most that one transaction pays; whole Naira unless a unit is written',
      amountOrNothingOf('NGN'),
    ),
    isOn: option(`--${direction} <on|off>`, `take it, or take nothing on ${direction}s`, onOrOff),
  };
}

const onramp = directionOptions('onramp');
const offramp = directionOptions('offramp');

/** The fees in force, for reading. */
export const SETTING = [
  { field: 'feeConfiguration.onrampFee.percentageFee', title: 'Onramp fee, percent' },
  { field: 'feeConfiguration.onrampFee.capFee', title: 'Onramp fee, at most' },
  { field: 'feeConfiguration.onrampFee.enabled', title: 'Onramp fee is on' },
  { field: 'feeConfiguration.offrampFee.percentageFee', title: 'Offramp fee, percent' },
  { field: 'feeConfiguration.offrampFee.capFee', title: 'Offramp fee, at most' },
  { field: 'feeConfiguration.offrampFee.enabled', title: 'Offramp fee is on' },
] as const;

const SET = [
  ...SETTING,
  { field: 'exampleCalculation.onramp.amount', title: 'An onramp of' },
  { field: 'exampleCalculation.onramp.fee', title: 'earns you' },
  { field: 'exampleCalculation.offramp.amount', title: 'An offramp of' },
  { field: 'exampleCalculation.offramp.fee', title: 'earns you' },
] as const;

export const setCommand = command({
  words: ['fees', 'set'],
  summary: 'Set the fees the account charges its users',
  details:
    'What is not given stays as it is: the setting is read first, in a dry run too, and sent back whole. The fee is a percentage of the amount, up to the cap.',
  examples: [
    'fiatrail fees set --onramp-percent 0.5% --onramp-cap 500 --onramp on',
    'fiatrail fees set --offramp-percent 0.5% --offramp-cap 500 --offramp off --note "free in August" -o json',
  ],
  endpoints: [manageFees.id, getFees.id],
  parameters: {
    onrampPercent: onramp.percent,
    onrampCap: onramp.cap,
    onramp: onramp.isOn,
    offrampPercent: offramp.percent,
    offrampCap: offramp.cap,
    offramp: offramp.isOn,
    note: option('--note <text>', 'why, for the audit', word),
  },
  run: async (session, input) => {
    const wanted = {
      onramp: { percent: input.onrampPercent, cap: input.onrampCap, isOn: input.onramp },
      offramp: { percent: input.offrampPercent, cap: input.offrampCap, isOn: input.offramp },
    };
    const asked = DIRECTIONS.filter((direction) => isAsked(wanted[direction]));
    if (asked.length === 0) {
      throw new CliError('usage', 'there is nothing to set', {
        code: 'MISSING_INPUT',
        hint: 'for example: fiatrail fees set --onramp-percent 0.5% --onramp-cap 500 --onramp on',
      });
    }
    const now = asked.every((direction) => isWhole(wanted[direction]))
      ? undefined
      : (await session.call(getFees, {}, { isBeforehand: true })).data.feeConfiguration;
    const request: RequestOf<typeof manageFees> = {};
    for (const direction of asked) {
      request[`${direction}Fee`] = await settingOf(
        session,
        direction,
        wanted[direction],
        now?.[`${direction}Fee`] ?? undefined,
      );
    }
    if (input.note !== undefined) request.metadata = { notes: input.note };
    return outcomeOf(session, manageFees, await session.call(manageFees, request), { columns: SET });
  },
});
