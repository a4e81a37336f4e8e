import { allProfileNames } from '../../../account/profile.ts';
import { CliError } from '../../../base/errors.ts';
import type { Choice } from '../../../base/world.ts';
import { sandboxEvents } from '../../../contract/control.ts';
import type { Endpoint, ResponseOf } from '../../../contract/endpoint.ts';
import { bridgeNetworks } from '../../../contract/endpoints/bridge.ts';
import { listUserWallets } from '../../../contract/endpoints/wallets.ts';
import { networkOf } from '../../../contract/networks.ts';
import type { Account } from '../../../engine/account.ts';
import { existingJournal } from '../../../engine/connection/journal-location.ts';
import { labelOf } from '../../../engine/lists/label.ts';
import { listingOf } from '../../../engine/lists/listing-of.ts';
import { PREVIEW_READ } from '../../../engine/previews/previews.ts';
import { amountIn } from '../../../engine/rules/fx-terms.ts';
import type { Operation, Selection } from '../../../journal/operations.ts';
import { amountForPeople, TOKENS } from '../../../money/amount.ts';
import { type Plain, toPlain } from '../../../present/plain.ts';
import { visible } from '../../../present/text.ts';
import { timeText } from '../../../present/times.ts';
import type { ServiceList } from '../../../things/thing.ts';
import type { Picked, PickedThing } from '../../parse/parameters.ts';
import type { Terminal } from '../../terminal.ts';

/** Lets the user pick a missing value; undefined if there is no list to pick from. `group` is the command's first word. */
export async function pick(
  picks: Picked,
  question: string,
  account: Account,
  terminal: Terminal,
  group: string,
  input: GivenInput = {},
): Promise<string | undefined> {
  switch (picks) {
    case 'bank':
      return (await import('./banks.ts')).pickBank(account);
    case 'bank account':
      return (await import('./banks.ts')).pickBankAccount(account, question);
    case 'user':
    case 'active user':
    case 'inactive user': {
      const status = picks === 'user' ? 'all' : picks === 'inactive user' ? 'inactive' : 'active';
      const { pickUser } = await import('./users.ts');
      return pickUser(account, question.replace(/:?$/, ''), status).catch((error: unknown) => {
        // An id can be typed although the list cannot be read.
        if (error instanceof CliError && error.category !== 'interrupted' && error.category !== 'usage')
          return undefined;
        throw error;
      });
    }
    default:
      return pickThing(account, terminal, picks, question, group, input);
  }
}

type Choices = readonly Choice<string>[];

/** The values that are known already, by parameter name. */
type GivenInput = Readonly<Record<string, unknown>>;

/** How many of the newest things are offered. */
const MAX_CHOICES = 100;

const choice = (value: string | null | undefined, ...parts: readonly (string | null | undefined)[]): Choices =>
  value ? [{ value, name: visible([...parts.filter(Boolean).map(brief), value].join(' · ')) }] : [];

/** A user's id in a sentence, which nobody reads, would take a line of its own. */
const brief = (text: string | null | undefined) => text?.replace(/\b([\da-f]{12})[\da-f]{21,}\b/g, '$1…');

/** The newest rows of a list, as its record says that a person recognises them. */
async function listedChoices<E extends Endpoint, Row>(account: Account, list: ServiceList<E, Row>): Promise<Choices> {
  const { endpoint, gone = [] } = list;
  const listing = listingOf(list);
  const request = listing.request({ size: MAX_CHOICES }, { startDate: undefined, endDate: undefined });
  const { data } = await account.call(endpoint, request, PREVIEW_READ);
  const plain = toPlain(data, endpoint.response(), endpoint.nests, request) as unknown as ResponseOf<E>;
  return (listing.rowsOf(plain) ?? []).flatMap((row) => {
    const { what, status } = labelOf(list, row as Plain);
    return status !== undefined && gone.includes(status) ? [] : choice(listing.idOf?.(row), what, status);
  });
}

async function operations(account: Account, state?: Selection['state']): Promise<readonly Operation[]> {
  const journal = await existingJournal(account);
  if (!journal) return [];
  const ids = await journal.accountIds(await account.accountNames());
  return journal.list({ account: ids, limit: MAX_CHOICES, ...(state ? { state } : {}) });
}

const operationChoices = async (account: Account, terminal: Terminal, state?: Selection['state']): Promise<Choices> =>
  (await operations(account, state)).flatMap((each) => choice(each.operationId, ...partsOf(terminal, each)));

/** Many differ only in their time. */
const partsOf = ({ globals: { zone } }: Terminal, { summary, createdAt, state }: Operation) =>
  [summary, timeText(createdAt, { zone }, true), state] as const;

const READERS: Readonly<
  Record<PickedThing, (account: Account, terminal: Terminal, group: string, input: GivenInput) => Promise<Choices>>
> = {
  'external wallet': async (account) =>
    listedChoices(account, (await import('../../../things/destinations.ts')).externalWallets),
  'wallet of the user': async (account, _terminal, _group, { userId, token }) => {
    const { data } = await account.call(listUserWallets, { userId: String(userId) }, PREVIEW_READ);
    return (data.wallets ?? []).flatMap(({ walletAddress, blockchain, balances }) => {
      const asset = TOKENS.find((each) => each === token) ?? 'CNGN';
      const balance = amountIn(balances?.[asset]?.balance, asset);
      return choice(walletAddress, blockchain, balance && amountForPeople(balance));
    });
  },
  'bridge network': async (account, _terminal, _group, { fromNetwork }) => {
    const { data } = await account.call(bridgeNetworks, {}, PREVIEW_READ);
    const networks = [...new Set([...data.tokens.flatMap((token) => token.networks), ...data.allSupportedNetworks])];
    return networks.filter((name) => name !== fromNetwork).flatMap((name) => choice(name, networkOf(name)?.name));
  },
  order: async (account) => listedChoices(account, (await import('../../../things/market.ts')).orders),
  trade: async (account) => listedChoices(account, (await import('../../../things/market.ts')).trades),
  request: async (account, terminal, group) => {
    // `recover` works for requests of every group.
    const isOwn = ({ command }: Operation) => group === 'recover' || command.split(' ')[1] === group;
    const own = (await operations(account)).filter(isOwn);
    return own.flatMap((each) => choice(each.requestId, ...partsOf(terminal, each)));
  },
  operation: (account, terminal) => operationChoices(account, terminal),
  'accepted operation': (account, terminal) => operationChoices(account, terminal, 'accepted'),
  'unknown outcome': (account, terminal) => operationChoices(account, terminal, 'unknown-outcome'),
  'sandbox event': async (account, terminal) => {
    const { events } = (await account.call(sandboxEvents, { limit: MAX_CHOICES }, PREVIEW_READ)).data;
    return events.flatMap(({ eventId, event, createdAt, state }) =>
      choice(eventId, event, timeText(createdAt, { zone: terminal.globals.zone }, true), state),
    );
  },
  profile: async ({ world }) => allProfileNames(world).flatMap((name) => choice(name)),
};

/** Lets the user pick a thing by its description; undefined if there is none, or if the list cannot be read. */
async function pickThing(
  account: Account,
  terminal: Terminal,
  thing: PickedThing,
  question: string,
  group: string,
  input: GivenInput,
): Promise<string | undefined> {
  const choices = await READERS[thing](account, terminal, group, input).catch((error: unknown) => {
    // An id can be typed although the list cannot be read.
    if (error instanceof CliError && error.category !== 'interrupted') return [];
    throw error;
  });
  if (choices.length === 0) return undefined;
  const prompter = await account.world.prompter();
  return prompter.search(`${question} Type part of it:`, async (typed) => {
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    const found = choices.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
    return found.length > 0 || typed.trim() === ''
      ? found
      : choice(
          typed.trim(),
          thing === 'bridge network' ? 'use' : `use this ${thing.includes('wallet') ? 'address' : 'id'}`,
        );
  });
}
