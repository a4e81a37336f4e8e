import type { LocalCopy } from '../../copy/database.ts';
import { ACCOUNTS } from '../../copy/entry-kinds.ts';
import { type BookedSet, entriesOf, feesOf } from '../../copy/questions/entries.ts';
import type { Asset } from '../../money/amount.ts';
import { type Figure, figureForPeople } from '../../money/figure.ts';
import type { Thing } from '../../things/thing.ts';
import { type ShownAmount, shownFigure } from '../facts.ts';
import { sumOf } from '../sandbox/postings.ts';

/** What a thing moved in the account’s books, as the ledger of a sandbox is shown. */
interface Booked {
  readonly fees: readonly ShownAmount[];
  readonly postings: readonly ReturnType<typeof setOf>[];
}

/** Reads the fees of a copied row, and its postings with the account’s balances after them. */
export async function bookedIn(copy: LocalCopy | undefined, thing: Thing, id: string): Promise<Booked> {
  if (!copy) return { fees: [], postings: [] };
  return copy.read(async (queries) => ({
    fees: (await feesOf(queries, thing, id)).map(({ title, fee }) => shownFigure(title, fee)),
    postings: (await entriesOf(queries, thing, id)).map((set) => setOf(set, id)),
  }));
}

const STEPS: Readonly<Record<string, string>> = {
  ...{ taken: 'taken from the account', done: 'completed', returned: 'returned' },
  'came-back': 'came back after it was completed',
};

function setOf({ at, step, entries }: BookedSet, id: string) {
  const assets = [...new Set(entries.flatMap(({ asset }) => asset ?? []))];
  return {
    ...{ id: `${id} ${step}`, at, event: STEPS[step] ?? step },
    postings: entries.map(({ account, asset, amount, balance }) => ({
      ...{ account, who: null, is: accountWords(account), asset: asset ?? '' },
      ...{ amount: signedFigure(amount), after: balance === null ? '' : figureForPeople(balance) },
    })),
    sums: assets.flatMap((asset) => sumIn(entries, asset)),
  };
}

const USER = 'liabilities:users:';

function accountWords(account: string): string {
  if (account.startsWith(USER)) return `owed to user ${account.slice(USER.length)}`;
  return Object.hasOwn(ACCOUNTS, account) ? ACCOUNTS[account as keyof typeof ACCOUNTS] : account;
}

const signedFigure = (figure: Figure) => figureForPeople(figure).replace(/^(₦?)-/, '−$1');

/** What the entries of an asset sum to, if all of them are known. */
function sumIn(entries: BookedSet['entries'], asset: Asset) {
  const minors = entries.filter((each) => each.asset === asset).map(({ amount: { minor } }) => minor);
  const known = minors.flatMap((minor) => minor ?? []);
  return known.length === minors.length ? [sumOf(asset, known)] : [];
}
