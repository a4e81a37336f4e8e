import { advice } from '../base/advice.ts';
import { CliError, jsonIn } from '../base/errors.ts';
import type { Mask } from '../contract/mask/index.ts';
import { nodeCrypto } from '../crypto/digest.ts';
import { type Asset, DECIMALS } from '../money/amount.ts';
import { isJsonObject } from '../money/decimal.ts';
import { pageOf } from './held.ts';
import { signed } from './sandbox/postings.ts';
import { findIn, foundOf, MOST_FOUND } from './search.ts';
import { type Found, type InspectorSource, type LinksTo, type List, newestOf, type Row } from './source.ts';

/** A saved session: a line that says what it is, then one with everything. */
const FORMAT = 'fiatrail inspector session';
const VERSION = 2;

/** A file is not larger than this. */
export const MAX_SESSION_BYTES = 64 * 1024 * 1024;
/** How many rows of a list are saved with their details, the newest ones. */
const MOST_SAVED = 2_000;
/** Once details have as many characters, only rows are saved. */
const MOST_DETAIL_CHARACTERS = 20 * 1024 * 1024;

interface SavedList extends Pick<List, 'kinds' | 'filters'> {
  readonly rows: readonly Row[];
  readonly hasOlder: boolean;
  readonly gap?: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface SavedSession {
  readonly title: string;
  readonly zone: string;
  readonly savedAt: string;
  readonly isMasked: boolean;
  readonly lists: Readonly<Record<string, SavedList>>;
  readonly documents: Readonly<Record<string, unknown>>;
}

/** Returns the text of a file with everything that the page shows. With a mask, it has nothing that tells about someone. */
export async function sessionText(
  source: InspectorSource,
  { nowMs, mask }: { readonly nowMs: number; readonly mask: Mask | undefined },
): Promise<string> {
  const lists: Record<string, SavedList> = {};
  let characters = 0;
  for (const [name, list] of Object.entries(source.lists)) {
    const { rows, from, hasOlder = false, gap } = await newestOf(list, { text: '', state: '', limit: MOST_SAVED });
    const details: Record<string, unknown> = {};
    for (const { id } of rows.toReversed()) {
      if (characters > MOST_DETAIL_CHARACTERS) break;
      const text = textOf(await list.detail(id, true));
      characters += text.length;
      details[id] = JSON.parse(text);
    }
    const { kinds, filters } = list;
    lists[name] = {
      ...(kinds && { kinds }),
      ...(filters && { filters }),
      rows,
      hasOlder: hasOlder || from > 0,
      details,
      ...(gap !== undefined && { gap }),
    };
  }
  const documents: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(source.documents)) documents[name] = await read({});
  const savedAt = new Date(nowMs).toISOString();
  const session: SavedSession = {
    title: source.title,
    zone: source.zone,
    savedAt,
    isMasked: mask !== undefined,
    lists,
    documents,
  };
  const plain = JSON.parse(textOf(session)) as unknown;
  const body = JSON.stringify(mask ? mask.value(plain) : plain);
  return `${JSON.stringify({ format: FORMAT, version: VERSION, sha256: digestOf(body) })}\n${body}\n`;
}

const digestOf = (text: string) => nodeCrypto().createHash('sha256').update(text).digest('hex');

const textOf = (value: unknown) =>
  JSON.stringify(value ?? null, (_, each) => (typeof each === 'bigint' ? String(each) : each));

const wrong = (why: string) =>
  new CliError('usage', why, {
    code: 'UNUSABLE_FILE',
    hint: advice`give a file that was written by: [fiatrail inspect --save-to FILE]`,
  });

/** Reads a saved session. Throws CliError usage for a file that is something else, or is not as it was saved. */
export function parseSession(text: string, path: string): SavedSession {
  const [first = '', body = '', ...rest] = text.split('\n');
  const header = jsonIn(first);
  if (!isJsonObject(header) || header['format'] !== FORMAT)
    throw wrong(`${path} is not a saved session of the inspector`);
  if (header['version'] !== VERSION)
    throw wrong(`${path} was saved by another version of fiatrail; this one reads sessions of version ${VERSION}`);
  if (header['sha256'] !== digestOf(body) || rest.join('') !== '')
    throw wrong(`${path} is not as it was saved: it was cut or edited`);
  const session = jsonIn(body);
  if (!isSession(session) || !isConsistent(session)) throw wrong(`${path} has something that no session has`);
  return session;
}

const isRow = (value: unknown): value is Row =>
  isJsonObject(value) &&
  typeof value['id'] === 'string' &&
  Object.values(value).every((each) => each === null || typeof each === 'string' || typeof each === 'number');

const isSavedList = (value: unknown): value is SavedList =>
  isJsonObject(value) &&
  Array.isArray(value['rows']) &&
  value['rows'].every(isRow) &&
  typeof value['hasOlder'] === 'boolean' &&
  (value['gap'] === undefined || typeof value['gap'] === 'string') &&
  isJsonObject(value['details']);

const isSession = (value: unknown): value is SavedSession =>
  isJsonObject(value) &&
  typeof value['title'] === 'string' &&
  typeof value['zone'] === 'string' &&
  typeof value['savedAt'] === 'string' &&
  typeof value['isMasked'] === 'boolean' &&
  isJsonObject(value['lists']) &&
  Object.values(value['lists']).every(isSavedList) &&
  isJsonObject(value['documents']);

/** Whether every posting set sums to what it says. */
const isConsistent = ({ lists }: SavedSession) =>
  Object.values(lists['ledger']?.details ?? {}).every((detail) => detail === null || isTrueSet(detail));

function isTrueSet(detail: unknown): boolean {
  if (!isJsonObject(detail)) return false;
  const { postings, sums } = detail;
  if (!Array.isArray(postings) || !Array.isArray(sums)) return false;
  const totals = new Map<string, bigint>();
  for (const posting of postings) {
    const { asset, minor, amount } = isJsonObject(posting) ? posting : {};
    if (typeof asset !== 'string' || !Object.hasOwn(DECIMALS, asset)) return false;
    if (typeof minor !== 'string' || !/^-?\d{1,40}$/.test(minor)) return false;
    if (amount !== signed(asset as Asset, BigInt(minor))) return false;
    totals.set(asset, (totals.get(asset) ?? 0n) + BigInt(minor));
  }
  return (
    sums.length === totals.size &&
    sums.every((each) => {
      const { asset, sum, isZero } = isJsonObject(each) ? each : {};
      const total = totals.get(String(asset));
      return total !== undefined && isZero === (total === 0n) && sum === signed(asset as Asset, total);
    })
  );
}

/** A page's source that only repeats what was saved. */
export function savedSource({ title, zone, savedAt, isMasked, lists, documents }: SavedSession): InspectorSource {
  const masked = isMasked ? 'Names, accounts and addresses are masked.' : 'It has personal data.';
  const shown = Object.fromEntries(
    Object.entries(lists).map(([name, { kinds, filters, rows, hasOlder, gap, details }]) => [
      name,
      {
        ...(kinds && { kinds }),
        ...(filters && { filters }),
        page: (query: Parameters<typeof pageOf>[1]) => ({
          ...pageOf(rows, query),
          generation: 0,
          hasOlder,
          ...(gap !== undefined && { gap }),
        }),
        detail: (id: string) => (Object.hasOwn(details, id) ? (details[id] ?? undefined) : undefined),
      },
    ]),
  );
  return {
    title: `${title} (saved)`,
    zone,
    saved: {
      at: savedAt,
      notice: `It shows what its file says, which was not checked with the service. ${masked}`,
    },
    lists: shown,
    actions: {},
    documents: Object.fromEntries(Object.entries(documents).map(([name, value]) => [name, () => value])),
    find: async (text) => findSaved(shown, lists, text),
    linksOf: async (texts) => linksTo(lists, texts),
    version: () => 'saved',
  };
}

/** Finds a text in the rows of a session, and in their details. */
async function findSaved(
  shown: InspectorSource['lists'],
  lists: SavedSession['lists'],
  text: string,
): Promise<readonly Found[]> {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const inRows = await findIn(shown, text);
  const isKnown = new Set(inRows.map(({ list, id }) => `${list} ${id}`));
  const inDetails = Object.entries(lists).flatMap(([list, { rows, details }]) =>
    rows
      .filter(({ id }) => !isKnown.has(`${list} ${id}`) && textOf(details[id]).toLowerCase().includes(wanted))
      .slice(-MOST_FOUND)
      .map((row) => foundOf(list, row)),
  );
  return [...inRows, ...inDetails];
}

/** The rows whose ids these texts are. What is in several lists is shown in the first. */
function linksTo(lists: SavedSession['lists'], texts: readonly string[]): LinksTo {
  const wanted = new Set(texts);
  return Object.fromEntries(
    Object.entries(lists)
      .toReversed()
      .flatMap(([list, { rows }]) => rows.filter(({ id }) => wanted.has(id)).map(({ id }) => [id, { list, id }])),
  );
}
