import { CliError } from '../../base/errors.ts';
import { MIN_CNGN, PAIRS, SIDE_RULE, SIDES } from '../../contract/fx.ts';
import { addressProblem } from '../../crypto/address.ts';
import { bankWord } from '../../engine/banks.ts';
import { type Amount, amountForPeople, printable } from '../../money/amount.ts';
import { amountHelp, amountOf, argument, id, oneOfAnyCase, option, picked, required } from './parameters.ts';

/** Validates an EVM address, including its checksum if it has one. Throws CliError usage. */
export const evmAddress = (text: string): string => {
  const problem = addressProblem('evm', text);
  if (problem === undefined) return text;
  const isFormat = problem.startsWith('0x');
  throw new CliError('usage', `invalid EVM address "${printable(text)}"${isFormat ? '' : `: ${problem}`}`, {
    hint: isFormat ? `an EVM address is ${problem}` : 'copy the address again, or write it in lower case',
  });
};

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

export const requiredPair = required('--pair <pair>', PAIR_HELP, pair, `Pair (${PAIR_HELP}):`);
export const requiredSide = required('--side <side>', SIDE_RULE, side, 'Side (buy or sell the stablecoin):');
export const optionalPair = option('--pair <pair>', PAIR_HELP, pair);
export const optionalSide = option('--side <side>', SIDE_RULE, side);

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
export const optionalCngn = option('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'));
