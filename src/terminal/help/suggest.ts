import { type Advice, advice, type Hint, joined } from '../../base/advice.ts';
import { commandFor, type Group } from '../command.ts';
import { HARMFUL, spelledLike } from '../parse/nearest.ts';
import { MEANINGS } from './meanings.ts';
import { TOPICS } from './topics/index.ts';

/** No phrase of the table is longer. */
const LONGEST_PHRASE = 3;

/** The verbs of docs/contributing/naming.md that another word may mean, best first, and the words for each. */
export const VERBS: Readonly<Record<string, string>> = {
  show: 'list get print view info describe details read inspect stat',
  status: 'stat show get view info describe details progress state wait watch',
  list: 'show ls all search find query history get print tail',
  stats: 'stat',
  add: 'create new make register start',
  create: 'add new make start send begin run execute place',
  serve: 'run',
  listen: 'tail watch',
  update: 'edit change modify rename label',
  set: 'update edit change modify configure',
  enable: 'on',
  activate: 'on',
  remove: 'delete rm del erase unset',
  cancel: 'remove delete rm del erase',
  approve: 'sign',
  clear: 'remove delete rm del erase unset',
  prune: 'remove clear delete rm del erase',
  disable: 'remove delete rm del erase off',
  deactivate: 'remove off block ban freeze suspend',
  export: 'download dump',
  import: 'upload load',
  verify: 'validate',
  check: 'validate',
};

/** The starts of commands, and what people call the things that they are about. Other things are found by the name of a group. */
const THINGS: Readonly<Record<string, string>> = {
  'users default-wallet': 'default wallet',
  'wallets external': 'external wallet',
  'bank-accounts': 'account, beneficiary, payee, recipient',
  'fx book': 'order book, orderbook',
  'profiles journal': 'journal',
  keys: 'api key, apikey',
  'webhooks inbox': 'event',
  ops: 'operation, plan',
  'fees withdrawals': 'fee withdrawal',
};

/** Returns a hint for words that name no command: what they mean, or else what is spelled like them; undefined without either. */
export async function hintFor(typed: readonly string[], catalogue: readonly Group[]): Promise<Advice | undefined> {
  const words = typed.flatMap((each) => each.split(/\s+/)).filter((each) => each !== '');
  const names = await namesOf(words[0], catalogue);
  const count = words.findIndex((_, at) => !names.some((name) => startsWith(name, words.slice(0, at + 1))));
  const known = count === -1 ? words : words.slice(0, count);
  const rest = words.slice(known.length);
  // `fiatrail "users list"` has a command in one word.
  if (words.length > typed.length && names.includes(known.join(' '))) return hintOf(known.join(' '));
  const isRoot = known.length === 0;
  const meant =
    meaningOf(known, rest, isRoot ? 2 : 1) ??
    verbOf(known, rest[0], names) ??
    (isRoot || names.includes(known[0] ?? '') ? await verbFirst(words, catalogue) : undefined) ??
    (isRoot ? harmless(meaningOf([], rest), rest.length > 1) : undefined) ??
    (await spelled(known, rest, catalogue)) ??
    (isRoot ? undefined : harmless(meaningOf([], rest)));
  if (meant !== undefined && meaningOf(known, rest, isRoot ? 2 : 1) !== undefined) return hintOf(meant);
  const own = await commandOfEndpoint(words, catalogue);
  if (own !== undefined) return advice`that is: [fiatrail ${own.split(' ')}]`;
  return meant === undefined ? undefined : hintOf(meant);
}

const METHODS = /^(GET|POST|PUT|PATCH|DELETE)$/i;

/** Letters and digits alone, so that `POST /fx/limit-order`, `fx limit-order` and `fx.limit-order` are told apart by nothing else. */
const bare = (text: string) =>
  text
    .toLowerCase()
    .replace(/^\/?v1\//, '')
    .replace(/[^a-z0-9]/g, '');

/** Returns the command for an endpoint whose path or id was typed, with its method or without. */
async function commandOfEndpoint(typed: readonly string[], catalogue: readonly Group[]): Promise<string | undefined> {
  const [first = '', ...others] = typed;
  const method = METHODS.test(first) ? first.toUpperCase() : undefined;
  const name = bare((method === undefined ? typed : others).join(''));
  if (name === '') return undefined;
  const { endpoints } = await import('../../contract/endpoints/index.ts');
  const all = Object.values(endpoints);
  const named = all.filter(({ id, path, aliases = [] }) =>
    [id, path, ...aliases.map((each) => each.path)].some((each) => bare(each.replace(/[{:].*$/, '')) === name),
  );
  if (named.length === 0) return undefined;
  // Two methods of one path are one thing, unless each has a command.
  const twins = all.filter((each) => !named.includes(each) && named.some(({ path }) => path === each.path));
  const ordered = [...named, ...twins].toSorted((a, b) => Number(b.method === method) - Number(a.method === method));
  const commands = (await Promise.all(catalogue.map((group) => group.load()))).flat();
  const found = ordered.map(({ id, moves }) => {
    const own = commandFor(id, commands);
    return own === 'api' ? moves?.command : own;
  });
  return found.find((each) => each !== undefined);
}

/** Returns what else an incomplete command such as `fiatrail keys` may mean. */
export function seeAlso(words: readonly string[]): Hint {
  const meant = MEANINGS.get(words.join(' '));
  return meant === undefined ? '' : advice`; see also: ${joined(typedForms(meant), ', ')}`;
}

/**
 * Returns what words after a known start mean: the commands and topics, best first. The longest phrase counts; one with fewer
 * than `least` words doesn't.
 */
export function meaningOf(known: readonly string[], rest: readonly string[], least = 1): string | undefined {
  for (const separator of [/[\s_]+/, /[\s_-]+/]) {
    const all = rest.flatMap((word) => word.toLowerCase().split(separator)).slice(0, LONGEST_PHRASE);
    for (let count = all.length; count >= least && count > 0; count -= 1) {
      const forms = formsOf([...known, ...all.slice(0, count)].join(' '));
      const found = forms.find((form) => MEANINGS.has(form));
      if (found !== undefined) return MEANINGS.get(found);
    }
  }
  return undefined;
}

/** `log-in` and `refunds` are `log in` and `refund`. */
const formsOf = (phrase: string) =>
  [phrase, phrase.replaceAll('-', ' ')].flatMap((form) => [form, form.replace(/s$/, ''), form.replace(/ies$/, 'y')]);

/** Returns the names of the commands in the group that a word names. */
async function namesOf(group: string | undefined, catalogue: readonly Group[]): Promise<readonly string[]> {
  const commands = await catalogue.find(({ name }) => name === group)?.load();
  return commands?.map(({ words }) => words.join(' ')) ?? [];
}

const startsWith = (name: string, start: readonly string[]) => `${name} `.startsWith(`${start.join(' ')} `);

/** Returns the commands after a known start that a verb may mean there: `keys find` is `keys list`, which is `profiles show`. */
function verbOf(known: readonly string[], word = '', names: readonly string[] = []): string | undefined {
  if (known.length === 0) return undefined;
  const verbs = verbsFor(word);
  const found = verbs.map((verb) => [...known, verb].join(' ')).filter((name) => names.includes(name));
  if (found.length > 0) return found.slice(0, 2).join(', ');
  return verbs.map((verb) => meaningOf(known, [verb])).find((meant) => meant !== undefined);
}

const verbsFor = (word: string) =>
  Object.entries(VERBS).flatMap(([verb, words]) => (words.split(' ').includes(word.toLowerCase()) ? [verb] : []));

/** Returns what is meant by a verb before its thing: `add user`, `list bank accounts`. */
async function verbFirst([verb = '', ...nouns]: readonly string[], catalogue: readonly Group[]) {
  const thing = thingOf(nouns.slice(0, 2), catalogue) ?? thingOf(nouns.slice(0, 1), catalogue);
  if (thing === undefined) return undefined;
  const names = await namesOf(thing[0], catalogue);
  const name = [...thing, verb.toLowerCase()].join(' ');
  const meant = names.includes(name) ? name : (meaningOf(thing, [verb]) ?? verbOf(thing, verb, names));
  // A verb that fits everything says less than the thing.
  const isGeneral = meaningOf([], [verb])?.startsWith('help commands') ?? verbsFor(verb).length > 0;
  if (meant !== undefined || !isGeneral) return meant;
  return harmless(meaningOf([], nouns)) ?? `${thing.join(' ')} --help`;
}

/** Returns the start of the commands that are about a thing, which is often that of the command which it means. */
function thingOf(nouns: readonly string[], catalogue: readonly Group[]): readonly string[] | undefined {
  const forms = formsOf(nouns.join(' ').toLowerCase());
  const [known] =
    Object.entries(THINGS).find(([, things]) => forms.some((form) => things.split(', ').includes(form))) ?? [];
  const group = catalogue.find(({ name }) => forms.some((form) => [form, `${form}s`].includes(name.replace('-', ' '))));
  const start = known ?? group?.name;
  if (start !== undefined) return start.split(' ');
  const [best = ''] = meaningOf([], nouns, nouns.length)?.split(', ') ?? [];
  return best === '' || best.startsWith('help ') ? undefined : best.split(' ').slice(0, -1);
}

/** Leaves out the commands that remove, disable or overwrite, unless a single word said so: `reset` is not `reset my password`. */
function harmless(meant: string | undefined, isPart = true): string | undefined {
  const left = meant
    ?.split(', ')
    .filter((name) => !isPart || name.startsWith('help ') || !HARMFUL.includes(name.split(' ').at(-1) ?? ''));
  return left?.join(', ') || undefined;
}

/** Returns the commands whose words are spelled like the typed ones; at the root, also what a word like the typed one means. */
async function spelled(
  known: readonly string[],
  [word = '', ...others]: readonly string[],
  catalogue: readonly Group[],
): Promise<string | undefined> {
  const next = spelledLike(word, await nextWords(known, catalogue));
  if (next.length > 0) {
    const found = await Promise.all(next.map((each) => spelledOn([...known, each], others, catalogue)));
    return found.join(', ');
  }
  if (known.length > 0) return undefined;
  const topics = spelledLike(
    word,
    TOPICS.map(({ name }) => name),
  );
  if (topics.length > 0) return topics.map((name) => `help ${name}`).join(', ');
  const [like] =
    word.length > 4
      ? spelledLike(
          word,
          [...MEANINGS.keys()].filter((name) => name[0] === word[0]),
        )
      : [];
  return like === undefined ? undefined : harmless(MEANINGS.get(like));
}

/** Follows the words that were typed after a corrected one, as far as they are spelled like those of a command. */
async function spelledOn(
  known: readonly string[],
  [word, ...others]: readonly string[],
  catalogue: readonly Group[],
): Promise<string> {
  if (word === undefined) return known.join(' ');
  const next = await nextWords(known, catalogue);
  const found = next.includes(word) ? [word] : spelledLike(word, next);
  const [only] = found;
  return only === undefined || found.length > 1 ? known.join(' ') : spelledOn([...known, only], others, catalogue);
}

/** Returns the words that may follow the start of a command; at the root, the names of the groups. */
async function nextWords(known: readonly string[], catalogue: readonly Group[]): Promise<readonly string[]> {
  if (known.length === 0) return catalogue.map(({ name }) => name);
  const names = (await namesOf(known[0], catalogue)).filter((name) => startsWith(name, known));
  return [...new Set(names.flatMap((name) => name.split(' ').slice(known.length, known.length + 1)))];
}

const typedForms = (meant: string) => meant.split(', ').map((name) => advice`[fiatrail ${name.split(' ')}]`);

/** The hint of what is meant, commands before topics: `did you mean fiatrail fx quote? See also: fiatrail help units`. */
function hintOf(meant: string): Advice {
  const forms = typedForms(meant);
  const topics = forms.filter((form) => form.text.startsWith('fiatrail help '));
  const commands = forms.filter((form) => !topics.includes(form));
  if (commands.length === 0) return advice`run: ${joined(topics, ' or ')}`;
  const question = advice`did you mean ${joined([joined(commands.slice(0, -1), ', '), commands.at(-1)], ' or ')}?`;
  return topics.length > 0 ? advice`${question} See also: ${joined(topics, ', ')}` : question;
}
