import { CATEGORIES, type Category } from '../../base/errors.ts';
import { type Command, type Group, usesProfile } from '../command.ts';
import { ALIASES } from '../parse/aliases.ts';
import { GLOBAL_OPTIONS } from '../parse/globals.ts';
import type { Parameter } from '../parse/parameters.ts';
import { effectOf } from './effects.ts';
import { asksForConsent, OPTIONS_OF_ALL, optionsOf, pageNamed, partSummary, usageOf } from './help.ts';
import { VALUE_FORMS, type ValueForm } from './values.ts';

/** The width of a text in which no line is broken. */
const ONE_LINE = Number.MAX_SAFE_INTEGER;

/**
 * Returns what programs need to know of the commands below some words: of one command, its record; of a group or the program, the
 * records of all. `docs/reference/commands.json` is that of the program.
 */
export async function mapOf(words: readonly string[], catalogue: readonly Group[]): Promise<object> {
  const [name] = words;
  const groups = catalogue.filter((group) => name === undefined || group.name === name);
  const all = (
    await Promise.all(groups.map(async (group) => (await group.load()).map((each) => ({ group, each }))))
  ).flat();
  const below = all.filter(({ each }) => words.every((word, at) => each.words[at] === word));
  const records = await Promise.all(
    below.map(({ group, each }) =>
      recordOf(
        each,
        group,
        all.map((other) => other.each),
      ),
    ),
  );
  const [only] = records;
  const [group] = groups;
  if (only && only.words.length === words.length) return only;
  if (group && name !== undefined)
    return { words, summary: partSummary(group, words) ?? group.summary, commands: records };
  return { commands: records, globalOptions: globalOptions(), exitCodes: exitCodes() };
}

/** Returns a page of `fiatrail help NAME` for programs. */
export async function pageDocument(name: string, catalogue: readonly Group[]): Promise<object> {
  if (name === 'commands') return mapOf([], catalogue);
  if (name === 'options') return { globalOptions: globalOptions() };
  const { TOPICS } = await import('./topics/index.ts');
  const topics = TOPICS.map((topic) => ({
    name: topic.name,
    title: topic.title,
    command: `fiatrail help ${topic.name}`,
  }));
  const found = TOPICS.find((topic) => topic.name === name);
  if (!found) return { topics };
  return { name, title: found.title, text: await pageNamed([name], catalogue, ONE_LINE), page: `docs/${found.more}` };
}

const globalOptions = () => OPTIONS_OF_ALL.map(([syntax, help]) => ({ ...flagsIn(syntax), syntax, help }));

const exitCodes = () =>
  [...Map.groupBy(Object.entries(CATEGORIES), ([, { exit }]) => exit)].map(([code, found]) => ({
    code,
    categories: found.map(([category]) => category),
  }));

/** What programs need to know of a command. */
async function recordOf(command: Command, group: Group, others: readonly Command[]) {
  const { words, summary, details, examples, parameters, endpoints, prints } = command;
  const name = words.join(' ');
  const effect = await effectOf(command);
  return {
    words,
    aliases: aliasesOf(words, others),
    section: group.section,
    summary,
    details: details ?? null,
    usage: ['fiatrail', name, usageOf(command)].filter(Boolean).join(' '),
    effect,
    /** Whether it asks for missing values on a terminal. */
    asks: command.guide !== undefined || Object.values(parameters).some(isAskedFor),
    /** Whether it asks before it does something; without a terminal it then needs --yes. */
    needsYes: asksForConsent(command),
    isPlannable: Object.hasOwn(parameters, 'plan'),
    // A list is only filtered by it.
    takesOnce: effect !== 'read' && Object.hasOwn(parameters, 'once'),
    parameters: Object.values(parameters).map((each) => parameterOf(each, command)),
    globalOptions: (await optionsOf(command)).map(([syntax]) => flagsIn(syntax).name),
    exitCodes: exitCodesOf(command, effect !== 'read'),
    schema: prints ? `fiatrail schema ${name}` : null,
    endpoints,
    examples,
  };
}

const isAskedFor = ({ required, question, picks }: Parameter<unknown>) =>
  question !== undefined || (required && picks !== undefined);

/** What may be typed for the command as well: `users get` for `users show`. */
function aliasesOf(words: readonly string[], commands: readonly Command[]): string[] {
  const [start, verb] = [words.slice(0, -1).join(' '), words.at(-1)];
  const names = commands.map((each) => each.words.join(' '));
  if (start === '') return [];
  return [...ALIASES]
    .filter(([, verbs]) => verbs.find((each) => names.includes(`${start} ${each}`)) === verb)
    .map(([alias]) => `${start} ${alias}`)
    .filter((alias) => !names.includes(alias));
}

/** `-f, --field <key=value>` as its name and its short form. */
function flagsIn(syntax: string): { readonly name: string; readonly short?: string } {
  const flags = syntax.replace(/ [<[].*$/, '').split(', ');
  const short = flags.find((flag) => /^-\w$/.test(flag));
  return { name: flags.find((flag) => flag.startsWith('--')) ?? syntax, ...(short === undefined ? {} : { short }) };
}

/** What is not so, or not known, is left out. */
function parameterOf(parameter: Parameter<unknown>, command: Command) {
  const { kind, name, help, required, repeats = false, isSecret = false, changes = false, values } = parameter;
  const { type, format, unit, example } = formOfValue(parameter);
  const examples = [exampleIn(command, parameter), values?.[0], example];
  return {
    ...(kind === 'option' ? flagsIn(name) : { name }),
    kind,
    help,
    type,
    ...given({ format, unit, values, default: defaultIn(help) }),
    isRequired: required,
    ...given({ isRepeatable: repeats, isSecret, changes, isValueOptional: kind === 'option' && name.endsWith(']') }),
    ...given({
      example: type === 'boolean' ? null : examples.find((each) => each != null && accepts(parameter, each)),
    }),
  };
}

const given = (fields: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && value !== false));

/** The form of a value that is one of a list, and that of a switch, which has no value. */
const CHOICE: Omit<ValueForm, 'example'> = { type: 'string', format: 'choice', unit: null };
const SWITCH = { type: 'boolean', format: null, unit: null, example: null } as const;

/** The word that stands for a value in help; undefined for a switch. */
const wordOf = ({ kind, name }: Parameter<unknown>): string | undefined =>
  kind === 'argument' ? name : /[<[](.*)[>\]]$/.exec(name)?.[1];

function formOfValue(parameter: Parameter<unknown>) {
  const word = wordOf(parameter);
  if (word === undefined) return SWITCH;
  if (parameter.values) return { ...CHOICE, example: null };
  const forms = [VALUE_FORMS[parameter.name] ?? VALUE_FORMS[word] ?? []].flat();
  const found = forms.find(({ example }) => accepts(parameter, example));
  return found ?? { ...CHOICE, format: word, example: null };
}

function accepts({ parse }: Parameter<unknown>, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What holds without the parameter, as its help says: `(default 10m)`, `(default: the active profile)` or `day (default)`. */
function defaultIn(help: string): string | undefined {
  const found =
    /\(default:? (?!on [a-z]|elsewhere)([^();]+)/.exec(help) ??
    /(?:^|[,:;] )([^,:;()]+) \((?:[^()]*; )?default\)/.exec(help);
  return found?.[1]?.trim();
}

/** What the examples of a command give a parameter. */
function exampleIn({ words, examples, parameters }: Command, wanted: Parameter<unknown>): string | null {
  const all = Object.values(parameters);
  const own = all.flatMap(({ kind, name }) => (kind === 'option' ? [name] : []));
  const isSwitch = (flag: string) => {
    const syntax = [...own, ...GLOBAL_OPTIONS.map(([flags]) => flags)].find(
      (each) => flagsIn(each).name === flag || flagsIn(each).short === flag,
    );
    return syntax === undefined || !/<.*>$/.test(syntax);
  };
  for (const example of examples) {
    const [, ...rest] = tokensOf(example);
    const given: string[] = [];
    for (let at = words.length; at < rest.length; at += 1) {
      const [flag = '', value] = (rest[at] ?? '').split(/=(.*)/s);
      if (!flag.startsWith('-') || flag === '-') {
        given.push(rest[at] ?? '');
        continue;
      }
      const takesNext = value === undefined && (!isSwitch(flag) || (isWait(flag) && /^\d/.test(rest[at + 1] ?? '')));
      const { name, short } = flagsIn(wanted.name);
      if (wanted.kind === 'option' && wordOf(wanted) !== undefined && [name, short].includes(flag)) {
        const found = value ?? (takesNext ? rest[at + 1] : undefined);
        if (found !== undefined) return found;
      }
      if (takesNext) at += 1;
    }
    if (wanted.kind === 'argument') {
      const found = given[all.filter(({ kind }) => kind === 'argument').indexOf(wanted)];
      if (found !== undefined) return found;
    }
  }
  return null;
}

const isWait = (flag: string) => flag === '--wait';

/** The words of a line of a shell, up to a redirection, a pipe or a comment. */
const tokensOf = (line: string): string[] => {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  const end = words.findIndex(([, , , plain]) => plain !== undefined && /^[|<>#&;]/.test(plain));
  return (end === -1 ? words : words.slice(0, end)).map(([, double, single, plain]) => double ?? single ?? plain ?? '');
};

/** How commands end whose work is not sent to the service, or that find out how other work ended. */
const OTHER_ENDS: Readonly<Record<string, readonly Category[]>> = {
  'bulk check': ['rejected', 'auth', 'network', 'declined'],
  'bulk create': ['rejected', 'auth', 'network', 'unknown', 'rate-limited'],
  'bulk resume': ['rejected', 'auth', 'network', 'unknown', 'rate-limited'],
  'keys encryption enable': ['pending'],
  'keys encryption rotate': ['pending'],
  'keys rotate': ['pending'],
  'ops journal verify': ['rejected'],
  'ops reconcile': ['unknown', 'pending'],
  'ops resume': ['unknown'],
  'webhooks inbox redrive': ['rejected'],
  'webhooks inbox replay': ['rejected'],
  'webhooks trigger': ['rejected'],
  'webhooks verify': ['rejected'],
};

/** The exit codes that a command can end with. */
function exitCodesOf(command: Command, isChange: boolean): number[] {
  const { words, parameters, prints, isLocal = false, endpoints } = command;
  const calls = !isLocal || endpoints.length > 0;
  const { rejected, auth, network, unknown, pending, declined, interrupted, internal, usage } = CATEGORIES;
  const found = [
    { exit: 0 },
    internal,
    usage,
    ...(calls ? [rejected, auth, network, CATEGORIES['rate-limited']] : []),
    ...(calls && isChange ? [unknown] : []),
    ...(Object.hasOwn(parameters, 'wait') ? [pending] : []),
    ...(prints || isChange || usesProfile(command) ? [declined] : []),
    interrupted,
    ...(OTHER_ENDS[words.join(' ')] ?? []).map((category) => CATEGORIES[category]),
  ];
  return [...new Set(found.map(({ exit }) => exit))].toSorted((a, b) => a - b);
}
