import { advice } from '../../../base/advice.ts';
import { CliError } from '../../../base/errors.ts';
import type { Account } from '../../../engine/account.ts';
import { ALWAYS } from '../../../engine/lists/cursor.ts';
import { listingOf } from '../../../engine/lists/listing-of.ts';
import { PAGE_SIZE, startReading } from '../../../engine/lists/pages.ts';
import type { PlainObject } from '../../../present/plain.ts';
import { THINGS, thingOfRow } from '../../../things/index.ts';
import type { ServiceList, Thing } from '../../../things/thing.ts';
import { answerMatch, type Choose, kindsThatLookUp } from '../find.ts';
import { type FindMatch, lookLocally, withOperations } from '../look.ts';
import { askService } from '../service.ts';
import { mayBeBvn, type Typed, textIn, typedAs } from '../typed.ts';
import { rowReadings } from './readings.ts';

/** Whether something of this kind moves money or tokens and ends, so that there is something to prove. */
const isProvable = ({ states, amount }: Thing): boolean => states !== undefined && amount.length > 0;

const PROVABLE = THINGS.filter(isProvable);

/** The lists with what can be proved, each once. */
const PROVABLE_LISTS: readonly ServiceList[] = [...new Set(PROVABLE.flatMap(({ list }) => list ?? []))];

/**
 * Finds what an id, a hash or a reference names: on this machine, else at the service by its id, else among the newest rows of the service's
 * lists. `choose` picks one of several. Throws CliError rejected if there is none, and usage if there are several and nobody chooses.
 */
export async function provableNamed(account: Account, text: string, choose: Choose): Promise<FindMatch> {
  const typed = asReference(text);
  const local = await lookLocally(account, typed);
  const own = local.matches.filter(({ kind }) => isProvable(kind));
  const [other] = local.matches;
  if (own.length === 0 && other) throw notProvable(other, text);
  const matches = own.length > 0 ? own : await matchesAtService(account, typed);
  const match = matches.length > 1 ? await choose(matches) : matches[0];
  if (match) return withOperations(account, match);
  throw matches.length > 1 ? severalError(text, matches) : missingError(local.hasCopy);
}

/** What was typed, as the id of one thing: no name and no sum, which many things have. Throws CliError usage. */
function asReference(text: string): Typed {
  if (mayBeBvn(text))
    throw new CliError('usage', 'eleven digits may be a BVN, which is the id of no payment', {
      code: 'MAY_BE_BVN',
      hint: 'give the id, the bank reference or the transaction hash',
    });
  return { ...typedAs({ text, isPhone: false }), sums: [], equalSums: [], words: [] };
}

async function matchesAtService(account: Account, typed: Typed): Promise<readonly FindMatch[]> {
  const [key = typed.text] = typed.keys;
  const kinds = kindsThatLookUp(typed).filter(isProvable);
  const { answers, problems } = await askService(account, key, kinds);
  const matches = answers.map((each) => answerMatch(each, typed));
  const listed = matches.length > 0 ? [] : await newestWith(account, typed);
  if (matches.length === 0 && listed.length === 0 && problems.length > 0)
    throw new CliError(
      'network',
      `nothing on this machine has this id, and the service could not be asked: ${problems[0]}`,
    );
  return [...matches, ...listed];
}

/** Looks for an id, a hash or a reference in the newest rows of every list. */
async function newestWith(account: Account, { keys }: Typed): Promise<readonly FindMatch[]> {
  const isMeant = (list: ServiceList, row: PlainObject) => {
    const unique = list.facts.flatMap(({ isUnique, fields }) => (isUnique ? fields : []));
    return [list.id, ...(list.otherIds ?? []), ...unique].some((field) => keys.includes(textIn(row, [field]) ?? ''));
  };
  const all = await Promise.all(
    PROVABLE_LISTS.map(async (list) => {
      const reader = { account, listing: listingOf(list), list: '', point: undefined, period: ALWAYS };
      const reading = await startReading(reader, PAGE_SIZE);
      const { value: rows = [] } = await reading.pages.next();
      await reading.pages.return(undefined);
      return rowReadings(list, rows, reading.reply()).flatMap(({ row }): FindMatch[] => {
        const id = textIn(row, [list.id]);
        if (id === undefined || !isMeant(list, row)) return [];
        const kind = thingOfRow(list.name, textIn(row, ['type']));
        const at = textIn(row, [list.createdAt]) ?? null;
        return [{ kind, id, rank: 0, matchedBy: ['id'], operations: [], events: [], at }];
      });
    }),
  );
  return all.flat();
}

function notProvable({ kind, id }: FindMatch, text: string): CliError {
  const what =
    kind.name === 'operation' ? 'an operation that has no id at the service' : `the id of ${kind.name} ${id}`;
  const hint =
    kind.name === 'operation'
      ? advice`see how it ended: [fiatrail ops show ${id}]`
      : advice`see what it is: [fiatrail find ${text}]`;
  return new CliError('rejected', `this is ${what}, which moves nothing that a receipt could prove`, {
    code: 'NOT_FOUND',
    hint,
  });
}

const missingError = (hasCopy: boolean): CliError =>
  new CliError('rejected', 'nothing that moves money or tokens has this id', {
    code: 'NOT_FOUND',
    hint: hasCopy
      ? advice`read what is new with: [fiatrail sync], or look further with: [fiatrail find]`
      : advice`older ones are found by any of their ids after: [fiatrail sync]`,
  });

/** How many of several are named. */
const MOST_NAMED = 5;

function severalError(text: string, matches: readonly FindMatch[]): CliError {
  const named = matches.slice(0, MOST_NAMED).map(({ kind, id }) => `${kind.name} ${id}`);
  const more = matches.length > MOST_NAMED ? ` and ${matches.length - MOST_NAMED} more` : '';
  return new CliError('usage', `several things have this id: ${named.join(', ')}${more}`, {
    code: 'AMBIGUOUS',
    hint: advice`give the whole id of one of them; they are shown by: [fiatrail find ${text}]`,
  });
}
