import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { LONGEST_PLAN_MS } from '../../engine/plans/lifetime.ts';
import {
  type Amount,
  AmountError,
  ANY_TOKEN_WORDS,
  ASSET_LABEL,
  type Asset,
  amountForm,
  isAsset,
  parseAmount,
  printable,
  TOKENS,
  type Token,
} from '../../money/amount.ts';
import { type PercentMillionths, percentFromText } from '../../money/rates.ts';
import { hasControls, visible } from '../../present/text.ts';

/** One argument or option of a command: its syntax, its help text and its parser. */
export interface Parameter<T> {
  readonly kind: 'argument' | 'option';
  /** `user-id` for an argument, `--amount <amount>` or `--yes` for an option. */
  readonly name: string;
  readonly help: string;
  readonly required: boolean;
  /** Parses the text; it is undefined for a switch and for a bare `--wait`. Throws CliError usage. */
  readonly parse: (text: string | undefined) => T;
  /** The prompt shown on a terminal when a value is missing that is required, or needed by the others. */
  readonly question?: string;
  readonly isSecret?: boolean;
  /** Whether it lets a command that reads change something: on this machine, or what others rely on. */
  readonly changes?: true;
  /** Whether a value that was asked for fits the values before it, so that it can be asked for again. Throws CliError usage. */
  fits?(value: T, input: Readonly<Record<string, unknown>>): void;
  /** Whether it may be repeated; `parse` is called with each text. */
  readonly repeats?: boolean;
  /** The accepted texts, when they can be listed; used for completion, and offered where a missing value is asked for. */
  readonly values?: readonly string[];
  /** What a missing value is chosen from on a terminal, so that nobody types an id. */
  readonly picks?: Picked;
}

/** What a person picks by description instead of typing its id. `request`: work that commands of the same group started on this machine. */
export type PickedThing =
  | 'external wallet'
  | 'wallet of the user'
  | 'bridge network'
  | 'order'
  | 'trade'
  | 'request'
  | 'operation'
  | 'accepted operation'
  | 'unknown outcome'
  | 'sandbox event'
  | 'profile';

/** What a missing value can be picked from. */
export type Picked = 'active user' | 'inactive user' | 'user' | 'bank account' | 'bank' | PickedThing;

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of a command's parameters. */
export type Values<P> = { readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

/** A parser; `values` lists the accepted texts, when they can be listed. */
interface Parse<T> {
  (text: string): T;
  readonly values?: readonly string[];
}

const valuesOf = ({ values }: Parse<unknown>) => (values ? { values } : {});

/** Lists the values that a parser is known to accept. */
export function withValues<T>(values: readonly string[], parse: (text: string) => T): Parse<T> {
  return Object.assign((text: string) => parse(text), { values });
}

/** A required parameter; it is prompted for on a terminal. */
function needed<T>(
  kind: Parameter<T>['kind'],
  name: string,
  help: string,
  parse: Parse<T>,
  question = kind === 'option' ? `${name}:` : `${name[0]?.toUpperCase()}${name.slice(1).replaceAll('-', ' ')}:`,
): Parameter<T> {
  return { kind, name, help, required: true, parse: (text = '') => parse(text), question, ...valuesOf(parse) };
}

/** An optional parameter. */
function possible<T>(
  kind: Parameter<T>['kind'],
  name: string,
  help: string,
  parse: Parse<T>,
  question?: string,
): Parameter<T | undefined> {
  const parsePossible = (text: string | undefined) => (text === undefined ? undefined : parse(text));
  const asked = question === undefined ? {} : { question };
  return { kind, name, help, required: false, parse: parsePossible, ...asked, ...valuesOf(parse) };
}

export function argument<T>(name: string, help: string, parse: Parse<T>, question?: string): Parameter<T> {
  return needed('argument', name, help, parse, question);
}

export function optionalArgument<T>(
  name: string,
  help: string,
  parse: Parse<T>,
  question?: string,
): Parameter<T | undefined> {
  return possible('argument', name, help, parse, question);
}

/** One or more arguments, at the end of the command line. */
export function someArguments<T>(
  name: string,
  help: string,
  parse: Parse<T>,
  question: string,
): Parameter<readonly T[]> {
  return { kind: 'argument', name, help, required: true, repeats: true, parse: (text = '') => [parse(text)], question };
}

export function required<T>(name: string, help: string, parse: Parse<T>, question?: string): Parameter<T> {
  return needed('option', name, help, parse, question);
}

/** An optional option; `question` asks for it where other values need it. */
export function option<T>(name: string, help: string, parse: Parse<T>, question?: string): Parameter<T | undefined> {
  return possible('option', name, help, parse, question);
}

export function repeated<T>(name: string, help: string, parse: Parse<T>): Parameter<readonly T[]> {
  return {
    kind: 'option',
    name,
    help,
    required: false,
    repeats: true,
    parse: (text = '') => [parse(text)],
    ...valuesOf(parse),
  };
}

export function switchOn(name: string, help: string): Parameter<boolean> {
  return { kind: 'option', name, help, required: false, parse: () => true };
}

/** The error of a command that is given none of the values that it sets: it names them. */
export function nothingTo(does: 'set' | 'update', parameters: Parameters): CliError {
  const flags = Object.values(parameters).flatMap(({ name }) => /--[\w-]+/.exec(name) ?? []);
  const others = flags.slice(0, -1).join(', ');
  return new CliError('usage', `nothing to ${does}: give ${others} or ${flags.at(-1) ?? ''}`, {
    code: 'VALIDATION_ERROR',
  });
}

/** A parameter with which a command that reads changes something. */
export const changing = <T>(parameter: Parameter<T>): Parameter<T> => ({ ...parameter, changes: true });

/** A parameter whose missing value is chosen from a list on a terminal. */
export const picked = <T>(picks: Picked, parameter: Parameter<T>): Parameter<T> => ({ ...parameter, picks });

// Parsers.

export const word: Parse<string> = (text) => {
  if (text === '') throw new CliError('usage', 'the value is empty', { hint: 'give a value or omit the option' });
  return text;
};

const LONGEST_ID = 500;

/** Ids are opaque: any printable ASCII text is sent to the service. */
export const id: Parse<string> = (text) => {
  if (/^(null|undefined)$/.test(text))
    throw new CliError('usage', `invalid id "${text}"`, {
      hint: 'the command or the variable that it comes from has no value',
    });
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= LONGEST_ID) return text;
  if (text === '') throw new CliError('usage', 'the id is empty', { hint: 'check the variable that it comes from' });
  const rule = /\s/.test(text)
    ? 'ids have no spaces'
    : text.length > LONGEST_ID
      ? `ids have at most ${LONGEST_ID} characters`
      : 'ids are printable ASCII';
  throw new CliError('usage', `invalid id "${printable(text)}"; ${rule}`, {
    hint: 'copy the whole id exactly as it was printed',
  });
};

export const secret: Parse<Secret> = (text) => new Secret(text);

export const amountOf =
  (asset: Asset): Parse<Amount> =>
  (text) =>
    orUsage(() => parseAmount(text, asset));

/** An amount with its asset on either side: `12,918,474.63 CNGN`. */
export const amountWithAsset: Parse<Amount> = (text) =>
  orUsage(() => {
    const words = text.trim().split(/\s+/);
    const asset = words.map((each) => each.toUpperCase()).find(isAsset);
    if (asset === undefined || words.length !== 2)
      throw new AmountError(`expected an amount and its asset, not "${printable(text)}"; for example "264,490.51 NGN"`);
    return parseAmount(words.filter((each) => each.toUpperCase() !== asset).join(''), asset);
  });

/** Turns an AmountError into a CliError. */
function orUsage<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AmountError) throw new CliError('usage', error.message, { code: 'VALIDATION_ERROR' });
    throw error;
  }
}

/** An amount whose token is known only after all options are parsed. `typed` is equal for equal amounts. */
interface AmountOfToken {
  (token: Token): Amount;
  readonly typed: unknown;
}

/** An amount of the token that another option names; `flag` is for messages. */
export const amountOfTokenIn =
  (flag: string): Parse<AmountOfToken> =>
  (text) => {
    const named = TOKENS.find((token) => new RegExp(`[\\d\\s]${token}$`, 'i').test(text.trim()));
    // Without a ticker, the token is known only with the other options, so messages must not name one.
    const { minor } = named ? amountOf(named)(text) : orUsage(() => parseAmount(text, 'USDC', ANY_TOKEN_WORDS));
    const inToken = (token: Token) => {
      if (isAmountOf(text, token)) return amountOf(token)(text);
      throw new CliError('usage', `${flag}: "${printable(text)}" is not an amount of ${ASSET_LABEL[token]}`, {
        code: 'VALIDATION_ERROR',
        hint: 'omit the unit, or choose another token with --token',
      });
    };
    return Object.assign(inToken, { typed: [String(minor), named] });
  };

export const amountOfToken = amountOfTokenIn('--amount');

function isAmountOf(text: string, token: Token): boolean {
  try {
    return parseAmount(text, token).minor > 0n;
  } catch {
    return false;
  }
}

/** Like `amountOf`, but accepts 0. */
export const amountOrZeroOf =
  (asset: Asset): Parse<Amount> =>
  (text) =>
    /^₦?0(\.0+)?$/.test(text) ? { asset, minor: 0n } : amountOf(asset)(text);

/** Parses the path of a file to create. Rejects the path of a folder, and `-`, which means a standard stream in other programs. */
export const newFile: Parse<string> = (text) => {
  const path = word(text);
  const isFolder = /(?:^|[/\\])\.{0,2}$/.test(path);
  if (path !== '-' && !isFolder) return path;
  throw new CliError('usage', `"${printable(path)}" ${isFolder ? 'names a folder' : 'is not a file name'}`, {
    hint: 'give the path of a file',
  });
};

export const amountHelp = (asset: Asset) =>
  `amount in ${asset === 'NGN' ? 'Naira' : 'whole tokens'} unless a unit is given: ${amountForm(asset)}`;

export const digits =
  (what: string, minimum: number, maximum = minimum): Parse<string> =>
  (text) => {
    // Account numbers are printed in groups.
    const figures = /^[0-9]+( [0-9]+)*$/.test(text) ? text.replaceAll(' ', '') : '';
    if (figures.length >= minimum && figures.length <= maximum) return figures;
    const count = minimum === maximum ? `${minimum}` : `${minimum} to ${maximum}`;
    throw new CliError('usage', `invalid ${what} "${printable(text)}"; expected ${count} digits`);
  };

export const wholeNumber =
  (minimum: number, maximum: number): Parse<number> =>
  (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw new CliError(
      'usage',
      `invalid number "${printable(text)}"; expected a whole number from ${minimum} to ${maximum}`,
    );
  };

export const oneOf = <const V extends readonly string[]>(...values: V): Parse<V[number]> =>
  withValues(values, (text) => {
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    throw new CliError('usage', `invalid value "${printable(text)}"; expected one of ${values.join(', ')}`);
  });

/** Like `oneOf`, but ignores case. */
export const oneOfAnyCase = <const V extends readonly string[]>(...values: V): Parse<V[number]> =>
  withValues(values, (text) => {
    const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
    return found ?? oneOf(...values)(text);
  });

/** A token ticker, ignoring case. */
export const ticker = oneOfAnyCase(...TOKENS);

export const onOrOff = withValues(['on', 'off'], (text) => oneOf('on', 'off')(text) === 'on');

/** A setting that is on or off: the flag alone turns it on. */
export function switchOnOrOff(name: string, help: string): Parameter<boolean | undefined> {
  const parse = (text: string | undefined) => text === undefined || onOrOff(text);
  return {
    kind: 'option',
    values: ['on', 'off'],
    name: `${name} [on|off]`,
    help: `${help}; "off" removes it`,
    required: false,
    parse,
  };
}

/** `0.5%` or `0.5`, from 0 to 100. */
export const percent: Parse<PercentMillionths> = (text) => {
  const value = percentFromText(text.replace(/\s?%$/, ''));
  if (value !== undefined && value >= 0n && value <= 100_000_000n) return value;
  throw new CliError('usage', `invalid percentage "${printable(text)}"; expected 0 to 100`, {
    hint: 'write 0.5% or 0.5, with at most 6 decimal places',
  });
};

const DURATION_UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 365 * 86_400_000,
};

/** Writes a duration as `duration` parses it, in the largest unit of which it is a whole number: `90s`, `10m`, `2h`. */
function shortDuration(durationMs: number): string {
  const whole = ['d', 'h', 'm', 's'].find((unit) => durationMs % (DURATION_UNITS_MS[unit] ?? Number.NaN) === 0);
  return whole === undefined ? `${durationMs}ms` : `${durationMs / (DURATION_UNITS_MS[whole] ?? 1)}${whole}`;
}

const LONGEST_MS = 200 * 365 * 86_400_000;

/** `500ms`, `30s`, `6m` (minutes), `2h`, `5d`, `100y`; in milliseconds. */
export const duration: Parse<number> = (text) => {
  const [, figure, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d|y)$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(figure) * (DURATION_UNITS_MS[unit] ?? Number.NaN));
  if (milliseconds >= 1 && milliseconds <= LONGEST_MS) return milliseconds;
  if (milliseconds > LONGEST_MS || /^\d{10,}(ms|s|m|h|d|y)$/.test(text))
    throw new CliError('usage', `the duration "${printable(text)}" is too long`, { hint: 'the maximum is 200y' });
  throw new CliError('usage', `invalid duration "${printable(text)}"; expected a positive number with a unit`, {
    hint: 'for example 500ms, 30s, 6m (minutes), 2h, 5d or 100y',
  });
};

/** Parses a duration, or 0. Throws CliError usage. */
export const durationOrZero: Parse<number> = (text) => (/^0(?:ms|s|m|h|d|y)?$/.test(text) ? 0 : duration(text));

/**
 * Parses a text that others will read, such as a label. Throws CliError usage for a character that a terminal hides or acts on: a name with
 * a bidirectional control can read like another name.
 */
export const plainText = (text: string): string => {
  const given = word(text);
  if (!hasControls(given)) return given;
  const shown = visible(given);
  throw new CliError(
    'usage',
    `"${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}" has a control or invisible character`,
    { hint: 'type the text again without it' },
  );
};

const MAX_KEY_LENGTH = 200;

/** Parses an idempotency key. Throws CliError usage. */
function idempotencyKey(text: string): string {
  if (text.trim() === '')
    throw new CliError('usage', 'the idempotency key is empty', { hint: 'use a name such as fees-2026-11' });
  if (text.length > MAX_KEY_LENGTH)
    throw new CliError('usage', `the idempotency key has ${text.length} characters; the maximum is ${MAX_KEY_LENGTH}`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) || text !== text.trim())
    throw new CliError('usage', 'the idempotency key contains invisible characters', {
      hint: 'use letters, digits and hyphens',
    });
  return text;
}

/** The end of the help of a text that may look as if it kept a command from running twice. */
export const NO_PROTECTION = 'not an idempotency key; use --once';

/** Parses how long a plan holds. Throws CliError usage. */
function planLifetime(text: string): number {
  const durationMs = duration(text);
  if (durationMs <= LONGEST_PLAN_MS) return durationMs;
  throw new CliError('usage', `the duration "${text}" is too long`, {
    hint: `the maximum is ${shortDuration(LONGEST_PLAN_MS)}`,
  });
}

/** `--plan [file]`: the path of a file, or true for the journal. */
const PLAN_OPTION: Parameter<string | true | undefined> = {
  kind: 'option',
  name: '--plan [file]',
  help: 'send nothing; write what would be sent into the journal, or to a file, for plans approve and plans apply',
  required: false,
  parse: (text) => (text === undefined ? true : planFile(text)),
};

/** An id that follows `--plan` is an argument of the command, and no file. Throws CliError usage. */
function planFile(text: string): string {
  if (!/^[0-9a-f]{8}-[0-9a-f-]{20,}$/i.test(text)) return newFile(text);
  throw new CliError('usage', `--plan: "${printable(text)}" is an id, and not the name of a file`, {
    hint: 'put --plan at the end of the line to write the plan into the journal; or give a file with its folder: --plan ./FILE',
  });
}

/** The flags of every command whose change can be planned. */
export const PLAN_OPTIONS = {
  plan: PLAN_OPTION,
  planExpires: option('--plan-expires <duration>', 'how long the plan can be applied (default 24h)', planLifetime),
} as const;

const ONCE_OPTION = option(
  '--once <key>',
  'idempotency key: the money moves at most once under it, and later runs print the recorded result; {year}, {month}, {day} and {hour} are filled in (Lagos time)',
  idempotencyKey,
);

/** The flags of a command that moves money and is guarded against repetitions. */
export const MONEY_OPTIONS = {
  once: ONCE_OPTION,
  again: switchOn('--again', 'repeat an equal operation of the last 10 minutes, unless its outcome is unknown'),
  ...PLAN_OPTIONS,
} as const;

/** The flags of a command that moves money and may be repeated at any time. */
export const UNGUARDED_OPTIONS = { once: ONCE_OPTION, ...PLAN_OPTIONS } as const;
