import type { Group } from '../command.ts';
import { HARMFUL, spelledLike } from '../parse/nearest.ts';
import { GROUP_MEANINGS } from './group-meanings.ts';
import { MEANINGS } from './meanings.ts';
import { TOPICS } from './topics/index.ts';

/** No phrase of the table is longer. */
const LONGEST_PHRASE = 3;

/** Returns a hint for words that name no command: what they mean, or else what is spelled like them; undefined without either. */
export async function hintFor(typed: readonly string[], catalogue: readonly Group[]): Promise<string | undefined> {
  const words = typed.flatMap((each) => each.split(/\s+/)).filter((each) => each !== '');
  const names = await namesOf(words[0], catalogue);
  // `fiatrail "users list"` has a command in one word.
  const quoted = words.length > typed.length ? longestName(words, names) : undefined;
  if (quoted !== undefined) return hintOf(quoted);
  const known = words.slice(0, countKnown(words, names));
  const rest = words.slice(known.length);
  const isAtRoot = known.length === 0 || (known.length === 1 && names.includes(known[0] ?? ''));
  const meant =
    meaningOf(known, rest, known.length === 0 ? 2 : 1) ??
    inGroup(known, rest[0], names) ??
    (isAtRoot ? await verbFirst(words, catalogue) : undefined) ??
    (known.length === 0 ? harmlessUnlessWhole(rest) : undefined) ??
    (await spelled(known, rest, names, catalogue)) ??
    (known.length > 0 ? harmless(meaningOf([], rest)) : undefined);
  return meant === undefined ? undefined : hintOf(meant);
}

/** Returns what else an incomplete command such as `fiatrail approvals` may mean. */
export function seeAlso(words: readonly string[]): string {
  const meant = entryOf(GROUP_MEANINGS, words.join(' '));
  return meant === undefined ? '' : `; see also: ${typedForms(meant).join(', ')}`;
}

/**
 * Returns what words after a known start mean: the commands and topics, best first. The longest phrase counts; one with fewer
 * than `least` words doesn't.
 */
export function meaningOf(known: readonly string[], rest: readonly string[], least = 1): string | undefined {
  for (const separator of [/[\s_]+/, /[\s_-]+/]) {
    const all = rest.flatMap((word) => word.toLowerCase().split(separator)).slice(0, LONGEST_PHRASE);
    for (let count = all.length; count >= least && count > 0; count -= 1) {
      const phrase = [...known, ...all.slice(0, count)].join(' ');
      const found = formsOf(phrase).find((form) => Object.hasOwn(MEANINGS, form));
      if (found !== undefined) return MEANINGS[found];
    }
  }
  return undefined;
}

/** `log-in` and `refunds` are `log in` and `refund`. */
const formsOf = (phrase: string) =>
  [phrase, phrase.replaceAll('-', ' ')].flatMap((form) => [form, form.replace(/s$/, ''), form.replace(/ies$/, 'y')]);

const entryOf = (from: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(from, name) ? from[name] : undefined;

/** Returns the names of the commands in the group that a word names. */
async function namesOf(group: string | undefined, catalogue: readonly Group[]): Promise<readonly string[]> {
  const commands = await catalogue.find(({ name }) => name === group)?.load();
  return commands?.map(({ words }) => words.join(' ')) ?? [];
}

const longestName = (words: readonly string[], names: readonly string[]) =>
  words.map((_, at) => words.slice(0, words.length - at).join(' ')).find((name) => names.includes(name));

/** Returns how many of the words name a command, or the start of one. */
function countKnown(words: readonly string[], names: readonly string[]): number {
  const end = words.findIndex((_, at) => !startsAny(names, words.slice(0, at + 1)));
  return end === -1 ? words.length : end;
}

const startsAny = (names: readonly string[], start: readonly string[]) =>
  names.some((name) => `${name} `.startsWith(`${start.join(' ')} `));

/** What people type for a verb of docs/contributing/naming.md: the verbs that it may mean, best first. */
export const VERBS: Readonly<Record<string, string>> = {
  list: 'show',
  show: 'list, status',
  update: 'set',
  remove: 'clear, prune, disable, deactivate',
  clear: 'prune',
  stat: 'status, stats, show',
  ls: 'list',
  all: 'list',
  search: 'list, show',
  find: 'list, show',
  query: 'list, show',
  history: 'list',
  get: 'show, status, list',
  print: 'show, list',
  watch: 'status, listen',
  tail: 'listen, list',
  view: 'show, status',
  info: 'show, status',
  describe: 'show, status',
  details: 'show, status',
  read: 'show',
  inspect: 'show',
  progress: 'status',
  state: 'status',
  wait: 'status',
  create: 'add, start',
  new: 'add, start',
  make: 'add, start',
  register: 'add',
  send: 'start',
  begin: 'start',
  run: 'start, serve',
  execute: 'start',
  edit: 'update, set',
  change: 'update, set',
  modify: 'update, set',
  rename: 'update',
  label: 'update',
  configure: 'set',
  on: 'enable, activate',
  off: 'disable, deactivate',
  block: 'deactivate',
  ban: 'deactivate',
  freeze: 'deactivate',
  suspend: 'deactivate',
  delete: 'remove, clear, prune, disable',
  rm: 'remove, clear, prune, disable',
  del: 'remove, clear, prune, disable',
  erase: 'remove, clear, prune, disable',
  unset: 'remove, clear',
  download: 'export',
  dump: 'export',
  upload: 'import',
  load: 'import',
  validate: 'verify, check',
};

/** What people call things, and the start of the commands that are about them. The names of groups count without being here. */
const THINGS: Readonly<Record<string, string>> = {
  customer: 'users',
  client: 'users',
  person: 'users',
  onboarding: 'users onboarding',
  'default wallet': 'users default-wallet',
  'external wallet': 'wallets external',
  account: 'bank-accounts',
  'bank account': 'bank-accounts',
  beneficiary: 'bank-accounts',
  payee: 'bank-accounts',
  recipient: 'bank-accounts',
  order: 'fx orders',
  trade: 'fx trades',
  vault: 'fx vault',
  'order book': 'fx book',
  orderbook: 'fx book',
  rule: 'profiles rules',
  limit: 'profiles rules',
  operator: 'profiles operators',
  journal: 'profiles journal',
  'api key': 'keys',
  apikey: 'keys',
  encryption: 'keys encryption',
  'ip address': 'ip',
  allowlist: 'ip',
  whitelist: 'ip',
  event: 'webhooks inbox',
  inbox: 'webhooks inbox',
  callback: 'webhooks',
  operation: 'ops',
  plan: 'ops',
  fault: 'sandbox fault',
  'fee withdrawal': 'fees withdrawals',
};

/** Returns the commands of a group that a verb may mean there: `keys find` is `keys list`, which is `profiles show`. */
function inGroup(known: readonly string[], word = '', names: readonly string[] = []): string | undefined {
  if (known.length === 0) return undefined;
  const verbs = entryOf(VERBS, word.toLowerCase())?.split(', ') ?? [];
  const found = verbs.map((verb) => [...known, verb].join(' ')).filter((name) => names.includes(name));
  if (found.length > 0) return found.slice(0, 2).join(', ');
  return verbs.map((verb) => meaningOf(known, [verb])).find((meant) => meant !== undefined);
}

/** Returns what is meant by a verb before its thing: `add user`, `list bank accounts`. */
async function verbFirst([verb = '', ...nouns]: readonly string[], catalogue: readonly Group[]) {
  if (nouns.length === 0) return undefined;
  const thing = thingOf(nouns.slice(0, 2), catalogue) ?? thingOf(nouns.slice(0, 1), catalogue);
  const known = thing?.split(' ') ?? [];
  const names = await namesOf(known[0], catalogue);
  const name = [...known, verb.toLowerCase()].join(' ');
  if (names.includes(name)) return name;
  const meant = thing === undefined ? undefined : (meaningOf(known, [verb]) ?? inGroup(known, verb, names));
  if (meant !== undefined) return meant;
  // A verb that fits everything says less than the thing.
  const isGeneral = meaningOf([], [verb])?.startsWith('help commands') ?? Object.hasOwn(VERBS, verb.toLowerCase());
  if (!isGeneral) return undefined;
  return harmless(meaningOf([], nouns)) ?? (thing === undefined ? undefined : `${thing} --help`);
}

function thingOf(nouns: readonly string[], catalogue: readonly Group[]): string | undefined {
  const forms = formsOf(nouns.join(' ').toLowerCase());
  const listed = forms.find((form) => Object.hasOwn(THINGS, form));
  return listed === undefined
    ? catalogue.find(({ name }) => forms.some((form) => name === form || name === `${form}s`))?.name
    : THINGS[listed];
}

/** What words mean. Commands that do harm count only if all the words were understood: `reset` is not `reset my password`. */
function harmlessUnlessWhole(words: readonly string[]): string | undefined {
  const meant = meaningOf([], words);
  return words.length === 1 ? meant : harmless(meant);
}

/** Leaves out the commands that remove, disable or overwrite. */
function harmless(meant: string | undefined): string | undefined {
  const left = meant
    ?.split(', ')
    .filter((name) => name.startsWith('help ') || !HARMFUL.includes(name.split(' ').at(-1) ?? ''));
  return left !== undefined && left.length > 0 ? left.join(', ') : undefined;
}

/** Returns the commands whose words are spelled like the typed ones; at the root, also what a word like the typed one means. */
async function spelled(
  known: readonly string[],
  rest: readonly string[],
  names: readonly string[],
  catalogue: readonly Group[],
): Promise<string | undefined> {
  const [word = '', ...others] = rest;
  if (known.length > 0) {
    const found = spelledLike(word, nextWords(known, names));
    return listed(found.map((next) => spelledOn([...known, next], others, names)));
  }
  const groups = spelledLike(
    word,
    catalogue.map(({ name }) => name),
  );
  if (groups.length > 0)
    return listed(
      await Promise.all(groups.map(async (name) => spelledOn([name], others, await namesOf(name, catalogue)))),
    );
  const topics = spelledLike(
    word,
    TOPICS.map(({ name }) => name),
  );
  if (topics.length > 0) return listed(topics.map((name) => `help ${name}`));
  const meanings = Object.keys(MEANINGS).filter((name) => name[0] === word[0]);
  const [like] = word.length > 4 ? spelledLike(word, meanings) : [];
  return like === undefined ? undefined : harmless(MEANINGS[like]);
}

const listed = (names: readonly string[]) => (names.length > 0 ? names.join(', ') : undefined);

/** Follows the words that were typed after a corrected one, as far as they are spelled like those of a command. */
function spelledOn(known: readonly string[], [word, ...others]: readonly string[], names: readonly string[]): string {
  if (word === undefined) return known.join(' ');
  const next = nextWords(known, names);
  const found = next.includes(word) ? [word] : spelledLike(word, next);
  const [only] = found;
  return only === undefined || found.length > 1 ? known.join(' ') : spelledOn([...known, only], others, names);
}

const nextWords = (known: readonly string[], names: readonly string[]): string[] => [
  ...new Set(
    names
      .filter((name) => name.startsWith(`${known.join(' ')} `))
      .flatMap((name) => name.split(' ').slice(known.length, known.length + 1)),
  ),
];

const typedForms = (meant: string) => meant.split(', ').map((name) => `fiatrail ${name}`);

/** The hint of what is meant, commands before topics: `did you mean fiatrail fx quote? See also: fiatrail help units`. */
function hintOf(meant: string): string {
  const forms = typedForms(meant);
  const topics = forms.filter((form) => form.startsWith('fiatrail help '));
  const commands = forms.filter((form) => !topics.includes(form));
  if (commands.length === 0) return `run: ${topics.join(' or ')}`;
  const question = `did you mean ${[commands.slice(0, -1).join(', '), commands.at(-1)].filter(Boolean).join(' or ')}?`;
  return topics.length > 0 ? `${question} See also: ${topics.join(', ')}` : question;
}
