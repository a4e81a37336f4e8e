import { CliError } from '../../base/errors.ts';
import { FORMER_GROUPS, RENAMED, RENAMED_FLAGS } from '../../contract/renamed.ts';
import { shellWord } from '../../present/text.ts';
import type { Command } from '../command.ts';
import type { Parameter } from './parameters.ts';

/** A command line: what was typed before the words of its command, these words with arguments, and the rest from the first option. */
interface Line {
  readonly before: readonly string[];
  readonly words: readonly string[];
  readonly rest: readonly string[];
}

type FindCommand = (name: string) => Promise<Command | undefined>;

/**
 * Returns the error for a command line with a command's former name; undefined for any other. The hint is what to type instead.
 * The first `known` words are the name of a command.
 */
export async function renamedForm(line: Line, find: FindCommand, known = 0): Promise<CliError | undefined> {
  const { words, rest } = line;
  for (let count = words.length; count > known; count -= 1) {
    const former = words.slice(0, count).join(' ');
    const named = RENAMED.get(former);
    if (named === undefined) continue;
    const { now, given } = split(former, named, [...words.slice(count), ...rest]);
    return renamedError(former, now, hintLine(line.before, now, given, await find(now)));
  }
  const group = FORMER_GROUPS.get(words.join(' '));
  if (group === undefined || known > 0) return undefined;
  return renamedError(words.join(' '), group, hintLine(line.before, group, rest, await find(group)));
}

const renamedError = (former: string, now: string, hint: string) =>
  new CliError('usage', `fiatrail ${former} has another name now: fiatrail ${now}`, { code: 'USAGE', hint });

/** Some commands did two things. What was typed after their name says which. */
function split(former: string, now: string, given: readonly string[]) {
  if (former === 'completion cache' && ['on', 'off'].includes(given[0] ?? ''))
    return { now: 'completion cache set', given };
  const sets = /^--(url|local|independent|password-stdin)(=|$)/;
  if (former === 'profiles journal' && given.some((word) => sets.test(word)))
    return { now: 'profiles journal set', given };
  const accept = given.indexOf('--accept');
  if (former === 'keys platform' && accept !== -1) {
    const isValue = given[accept + 1]?.startsWith('-') === false;
    return { now: 'keys platform accept', given: given.toSpliced(accept, 1, ...(isValue ? ['--fingerprint'] : [])) };
  }
  return { now, given };
}

/** What a page is called by now is another value than what it was called by then. */
const PAGE_FLAGS: readonly string[] = ['--before', '--offset', '--page'];

/** Returns the error for a flag's former name, if the command has the flag that it is now; undefined for any other. */
export function renamedFlag(line: Line, command: Command, flag: string): CliError | undefined {
  const now = flagNow(flag, command);
  if (now === undefined) return undefined;
  const name = command.words.join(' ');
  const given = [...line.words.slice(command.words.length), ...line.rest];
  return new CliError('usage', `${flag} has another name now: ${now}`, {
    code: 'USAGE',
    hint: PAGE_FLAGS.includes(flag)
      ? `each page ends with its cursor, for ${now}: run it without ${flag} for the first page, or add --all`
      : hintLine(line.before, name, given, command),
  });
}

const longFlag = ({ kind, name }: Parameter<unknown>) => (kind === 'option' ? /--[\w-]+/.exec(name)?.[0] : undefined);

function flagNow(flag: string, command: Command): string | undefined {
  const flags = Object.values(command.parameters).map(longFlag);
  const now = RENAMED_FLAGS.get(flag);
  return now !== undefined && flags.includes(now) && !flags.includes(flag) ? now : undefined;
}

/** The line to type, with the flags of today and without secrets. */
function hintLine(
  before: readonly string[],
  now: string,
  given: readonly string[],
  command: Command | undefined,
): string {
  const renamed = command === undefined ? given : withFlagsOfToday(given, command);
  const words = [...before.map((word) => withoutSecret(word)), now, ...withoutSecrets(renamed, now, command)];
  return `type: fiatrail ${words.join(' ')}`;
}

function withFlagsOfToday(given: readonly string[], command: Command): string[] {
  return given.flatMap((word, at) => {
    const [flag = '', before = ''] = [word, given[at - 1]].map((each) => each?.replace(/=.*/s, ''));
    const isOldPage = (each: string) => PAGE_FLAGS.includes(each) && flagNow(each, command) !== undefined;
    if (isOldPage(flag) || (given[at - 1] === before && isOldPage(before))) return [];
    const now = flagNow(flag, command);
    return [now === undefined ? word : word.replace(flag, now)];
  });
}

/** Typed words of a command for a message. BVNs, and long words that may be keys, become placeholders. */
function withoutSecrets(given: readonly string[], name: string, command: Command | undefined): string[] {
  const parameters = Object.values(command?.parameters ?? {});
  const args = parameters.filter(({ kind }) => kind === 'argument');
  const ofFlag = (flag: string) => parameters.find((each) => longFlag(each) === flag);
  const takesValue = (flag: string) => ofFlag(flag)?.name.includes('<') ?? flag.startsWith('-');
  let arg = 0;
  const shown = given.map((word, at) => {
    const [, flag = '', value = ''] = /^(--?[\w-]+(?==))=(.*)$/s.exec(word) ?? [];
    if (flag !== '') return `${flag}=${shownValue(value, name, ofFlag(flag), false)}`;
    if (word.startsWith('-')) return withoutSecret(word);
    const before = given[at - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && takesValue(before))
      return shownValue(word, name, ofFlag(before), false);
    arg += 1;
    return shownValue(word, name, args[arg - 1], true);
  });
  // A BVN may have been typed in parts.
  return shown.filter((word, at) => word !== 'BVN' || shown[at - 1] !== 'BVN');
}

function shownValue(value: string, name: string, parameter: Parameter<unknown> | undefined, isArgument: boolean) {
  const isPartOfBvn = name === 'users onboarding start' && isArgument && /^\d+$/.test(value);
  const isLikeBvn = /^\d{11}$/.test(value.replace(/[\s-]/g, ''));
  if (isPartOfBvn || (isLikeBvn && (isArgument || name.startsWith('users ')))) return 'BVN';
  return withoutSecret(value, parameter);
}

/** Longer words without a break may be keys. */
const KEY_LIKE = /(?=[\w+=]*\d)[\w+=]{20,}/;

/** A typed word for a message; `…` for what may be a key. Where an id belongs, a long one is shown. */
function withoutSecret(value: string, parameter?: Parameter<unknown>): string {
  if (value.length < 20 || /^0x[\da-f]{40}$/i.test(value) || /^[\w{}]+(-[\w{}]+)+$/.test(value))
    return shellWord(value);
  const takesId = /^[\w-]*-id$|<[\w-]*-id>|<cursor>|<fingerprint>/.test(parameter?.name ?? '');
  if (takesId && /^([\da-f]{64}|[\w-]+\.[\w.-]+)$/i.test(value)) return shellWord(value);
  const hasCredentials = /:\/\/[^/]*@|\?/.test(value);
  const isPlain = (parameter ? !parameter.isSecret : /\s/.test(value)) && !KEY_LIKE.test(value) && !hasCredentials;
  return isPlain ? shellWord(value) : '…';
}
