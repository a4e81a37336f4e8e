import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { MIN_CNGN, PAIRS, SIDE_RULE, SIDES } from '../../contract/fx.ts';
import { NETWORKS } from '../../contract/networks.ts';
import { addressProblem } from '../../crypto/address.ts';
import { bankWord } from '../../engine/previews/banks.ts';
import { type Amount, amountForPeople, printable, STABLECOINS, type Token } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { isJson } from '../../present/text.ts';
import {
  amountHelp,
  amountOf,
  amountOfToken,
  argument,
  duration,
  id,
  NO_PROTECTION,
  oneOfAnyCase,
  option,
  type Parameter,
  picked,
  plainText,
  repeated,
  required,
  switchOn,
  withValues,
} from './parameters.ts';

type NamedValue = readonly [name: string, value: unknown];

/** What a value is, if it is not text. */
const LITERAL = /^(true|false|null|-?\d+(\.\d+)?)$/;

/** Parses `tier=gold`. `true`, `false`, `null` and numbers are sent as such, other values as text. Throws CliError usage. */
function property(text: string): NamedValue {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at < 1 || !/^[\w.-]{1,100}$/.test(name))
    throw new CliError('usage', `invalid property "${printable(text)}"; expected name=value`);
  const value = text.slice(at + 1);
  return [name, LITERAL.test(value) && isJson(value) ? parseExactJson(value) : value];
}

/** A repeatable option for an object whose fields are not documented. */
export function properties(name: string, help: string): Parameter<readonly NamedValue[]> {
  return repeated(`${name} <name=value>`, `${help}`, property);
}

/** Returns the object; undefined if the option was not given. Throws CliError usage for a repeated name. */
export function objectOf(given: readonly NamedValue[] | undefined): Record<string, unknown> | undefined {
  if (given === undefined || given.length === 0) return undefined;
  const names = given.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new CliError('usage', `the property "${twice}" was given more than once`);
  return Object.fromEntries(given);
}

/** Joins the groups of four in which a question shows an address, so that it can be pasted back. */
const withoutGroups = (text: string) =>
  /^(0x)?[\da-z]{4}( [\da-z]{4})* [\da-z]{1,4}$/i.test(text) ? text.replaceAll(' ', '') : text;

/** What several commands take, in one text: `--label`, `--note`, `--no-tag` and `--lock-me-out`. */
export const labelOption = option('--label <text>', 'your own label', plainText);

export const noteOption = option('--note <text>', `your own note, at most 500 characters; ${NO_PROTECTION}`, plainText);

export const noTagOption = switchOn('--no-tag', 'omit the tag that ops reconcile looks for');

export const lockMeOutOption = switchOn('--lock-me-out', 'continue even if this locks this machine out');

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

export const optionalSide = option('--side <side>', SIDE_RULE, side, WHICH_SIDE);

/** Throws CliError usage for an amount below what the service quotes. */
export function requireQuotable(value: Amount): Amount {
  if (value.minor >= MIN_CNGN.minor) return value;
  throw new CliError('usage', `${amountForPeople(value)} is below the minimum of ${amountForPeople(MIN_CNGN)}`, {
    code: 'VALIDATION_ERROR',
  });
}

/** The stablecoin that a text names as the unit of an amount, if it does. */
const namedIn = (text: string) =>
  STABLECOINS.find((token) => new RegExp(`^[\\d.,\\s]+${token}$`, 'i').test(text.trim()));

/** Parses an amount of cNGN to trade. Throws CliError usage; for an amount of a stablecoin, with the way to trade it. */
const tradedCngn = (text: string): Amount => {
  const token = namedIn(text);
  if (!token) return amountOf('CNGN')(text);
  throw new CliError('usage', `"${printable(text)}" is an amount of ${token}; expected an amount in cNGN`, {
    code: 'VALIDATION_ERROR',
    hint: advice`get its price with: [fiatrail fx quote --amount "${printable(text)}"], and trade with: [fiatrail fx trade --quote ID]`,
  });
};

/** Parses an amount of either side of a pair. Throws CliError usage for cNGN below the minimum. */
const quotable = (text: string): Amount => {
  const token = namedIn(text);
  return token ? amountOf(token)(text) : requireQuotable(amountOf('CNGN')(text));
};

export const quotedAmount = required(
  '--amount <amount>',
  `${amountHelp('CNGN')}; at least 1000. Or an amount of the stablecoin, such as "5 USDC"`,
  quotable,
  'Amount in cNGN, at least 1000, or such as "5 USDC":',
);

export const requiredCngn = required('--amount <cngn>', amountHelp('CNGN'), amountOf('CNGN'), 'Amount in cNGN:');

export const optionalCngn = option('--amount <cngn>', amountHelp('CNGN'), tradedCngn, 'Amount in cNGN:');

const MINUTE_MS = 60_000;

/** The limit of --wait without a value. */
export const DEFAULT_WAIT_MS = 10 * MINUTE_MS;

/** `--wait [duration]`, in milliseconds; undefined when not given. */
export const waitOption: Parameter<number | undefined> = {
  kind: 'option',
  name: '--wait [duration]',
  help: 'wait for it to finish, up to this long (default 10m)',
  required: false,
  parse: (text) => (text === undefined ? DEFAULT_WAIT_MS : duration(text)),
};

/** The `--wait` flag for a time in milliseconds, in minutes if it is a whole number of them. */
export const waitWords = (waitMs: number): readonly string[] => [
  '--wait',
  ...(waitMs === DEFAULT_WAIT_MS ? [] : [waitMs % MINUTE_MS === 0 ? `${waitMs / MINUTE_MS}m` : `${waitMs}ms`]),
];

/** A required `--amount` of the token that `--token` names; cNGN without it. */
export const amountOfThatToken = {
  ...required('--amount <tokens>', amountHelp('CNGN'), amountOfToken, 'Amount in whole tokens:'),
  fits: (value: ReturnType<typeof amountOfToken>, { token = 'CNGN' }: { readonly token?: unknown }) => {
    value(token as Token);
  },
};
