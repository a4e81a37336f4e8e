import { CliError } from '../../base/errors.ts';
import { MIN_CNGN, PAIRS, SIDE_RULE, SIDES } from '../../contract/fx.ts';
import { NETWORKS } from '../../contract/networks.ts';
import { addressProblem } from '../../crypto/address.ts';
import { bankWord } from '../../engine/banks.ts';
import { type Amount, amountForPeople, printable } from '../../money/amount.ts';
import {
  amountHelp,
  amountOf,
  argument,
  id,
  oneOfAnyCase,
  option,
  picked,
  required,
  withValues,
} from './parameters.ts';

/** Joins the groups of four in which a question shows an address, so that it can be pasted back. */
const withoutGroups = (text: string) =>
  /^(0x)?[\da-z]{4}( [\da-z]{4})* [\da-z]{1,4}$/i.test(text) ? text.replaceAll(' ', '') : text;

/** An address on any network, which the service checks. Throws CliError usage. */
export const anyAddress = (text: string): string => id(withoutGroups(text));

/** Validates an EVM address, including its checksum if it has one. Throws CliError usage. */
export const evmAddress = (typed: string): string => {
  const text = withoutGroups(typed);
  const problem = addressProblem('evm', text);
  if (problem === undefined) return text;
  const isFormat = problem.startsWith('0x');
  throw new CliError('usage', `invalid EVM address "${printable(text)}"${isFormat ? '' : `: ${problem}`}`, {
    hint: isFormat ? `an EVM address is ${problem}` : 'copy the address again, or write it in lower case',
  });
};

/** The name of a network, which the service checks: it may know more of them than we do. */
export const networkName = withValues(
  NETWORKS.map(({ key }) => key),
  (text) => id(text),
);

/** The argument that names a user. */
export const userArgument = (picks: 'active user' | 'inactive user' | 'user', help = 'user id, from users list') =>
  picked(picks, argument('user-id', help, id, 'Which user?'));

const BANK_HELP = 'NIBSS bank code, from banks, or a name that matches one bank';

/** The option for a bank that may be left out, and the one for a bank that is needed. */
export const bankOption = option('--bank-code <code>', BANK_HELP, bankWord);
export const requiredBank = picked('bank', required('--bank-code <code>', BANK_HELP, bankWord, 'Bank code or name:'));

export const pair = oneOfAnyCase(...PAIRS);
const side = oneOfAnyCase(...SIDES);

const PAIR_HELP = PAIRS.join(' or ');

const WHICH_PAIR = `Pair (${PAIR_HELP}):`;
const WHICH_SIDE = 'Side (buy or sell the stablecoin):';

export const requiredPair = required('--pair <pair>', PAIR_HELP, pair, WHICH_PAIR);
export const requiredSide = required('--side <side>', SIDE_RULE, side, WHICH_SIDE);
export const optionalPair = option('--pair <pair>', PAIR_HELP, pair, WHICH_PAIR);
export const optionalSide = option('--side <side>', SIDE_RULE, side, WHICH_SIDE);

/** Parses an amount that the service quotes. Throws CliError usage if it is below the minimum. */
const quotableCngn = (text: string): Amount => {
  const value = amountOf('CNGN')(text);
  if (value.minor >= MIN_CNGN.minor) return value;
  throw new CliError('usage', `${amountForPeople(value)} is below the minimum of ${amountForPeople(MIN_CNGN)}`, {
    code: 'VALIDATION_ERROR',
  });
};

export const quotedCngn = required(
  '--amount <cngn>',
  `${amountHelp('CNGN')}; at least 1000`,
  quotableCngn,
  'Amount in cNGN, at least 1000:',
);
export const requiredCngn = required('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:');
export const optionalCngn = option('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:');
