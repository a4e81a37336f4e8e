import { CliError } from '../../base/errors.ts';
import { printable } from '../../money/amount.ts';
import { parseExactJson } from '../../money/decimal.ts';
import { type Parameter, repeated } from './parameters.ts';

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

/** Text such as `007` looks like a number but is none. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A repeatable option for an object whose fields are not documented. */
export function properties(name: string, help: string): Parameter<readonly NamedValue[]> {
  return repeated(`${name} <name=value>`, `${help}; may be repeated`, property);
}

/** Returns the object; undefined if the option was not given. Throws CliError usage for a repeated name. */
export function objectOf(given: readonly NamedValue[] | undefined): Record<string, unknown> | undefined {
  if (given === undefined || given.length === 0) return undefined;
  const names = given.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new CliError('usage', `the property "${twice}" was given more than once`);
  return Object.fromEntries(given);
}
