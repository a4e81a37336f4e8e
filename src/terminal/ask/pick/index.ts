import { allProfileNames } from '../../../account/profile.ts';
import { CliError } from '../../../base/errors.ts';
import type { Choice } from '../../../base/world.ts';
import { sandboxEvents } from '../../../contract/control.ts';
import { bridgeNetworks } from '../../../contract/endpoints/bridge.ts';
import { listOrders } from '../../../contract/endpoints/fx-orders.ts';
import { listTrades } from '../../../contract/endpoints/fx-trades.ts';
import { getFintechWallet, listUserWallets } from '../../../contract/endpoints/wallets.ts';
import { networkOf } from '../../../contract/networks.ts';
import { PREVIEW_READ } from '../../../engine/previews/previews.ts';
import { amountIn } from '../../../engine/rules/fx-terms.ts';

import type { Operation, Selection } from '../../../journal/operations.ts';
import { amountForPeople } from '../../../money/amount.ts';
import { visible } from '../../../present/text.ts';
import { timeText } from '../../../present/times.ts';
import type { Picked, Thing } from '../../parse/parameters.ts';
import type { Session } from '../../session.ts';

/** Lets the user pick a missing value; undefined if there is no list to pick from. `group` is the command's first word. */
export async function pick(
  picks: Picked,
  question: string,
  session: Session,
  group: string,
  input: GivenInput = {},
): Promise<string | undefined> {
  switch (picks) {
    case 'bank':
      return (await import('./banks.ts')).pickBank(session);
    case 'bank account':
      return (await import('./banks.ts')).pickBankAccount(session, question);
    case 'user':
    case 'active user':
    case 'inactive user': {
      const status = picks === 'user' ? 'all' : picks === 'inactive user' ? 'inactive' : 'active';
      const { pickUser } = await import('./users.ts');
      return pickUser(session, question.replace(/:?$/, ''), status).catch((error: unknown) => {
        // An id can be typed although the list cannot be read.
        if (error instanceof CliError && error.category !== 'interrupted' && error.category !== 'usage')
          return undefined;
        throw error;
      });
    }
    default:
      return pickThing(session, picks, question, group, input);
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

const cngn = (figure: Parameters<typeof amountIn>[0]) => {
  const value = amountIn(figure, 'CNGN');
  return value && amountForPeople(value);
};

async function operations(session: Session, state?: Selection['state']): Promise<readonly Operation[]> {
  const journal = await session.existingJournal();
  if (!journal) return [];
  const account = await journal.accountIds(await session.accountNames());
  return journal.list({ account, limit: MAX_CHOICES, ...(state ? { state } : {}) });
}

const operationChoices = async (session: Session, state?: Selection['state']): Promise<Choices> =>
  (await operations(session, state)).flatMap((each) => choice(each.operationId, ...partsOf(session, each)));

/** Many differ only in their time. */
const partsOf = ({ globals: { zone } }: Session, { summary, createdAt, state }: Operation) =>
  [summary, timeText(createdAt, { zone }, true), state] as const;

const READERS: Readonly<Record<Thing, (session: Session, group: string, input: GivenInput) => Promise<Choices>>> = {
  'external wallet': async (session) => {
    const { data } = await session.call(getFintechWallet, {}, PREVIEW_READ);
    return (data.externalWallets ?? []).flatMap(({ address, label, blockchain }) => choice(address, label, blockchain));
  },
  'wallet of the user': async (session, _group, { userId, token }) => {
    const { data } = await session.call(listUserWallets, { userId: String(userId) }, PREVIEW_READ);
    return (data.wallets ?? []).flatMap(({ walletAddress, blockchain, balances }) => {
      const asset = token === 'USDC' || token === 'USDT' ? token : 'CNGN';
      const balance = amountIn(balances?.[asset]?.balance, asset);
      return choice(walletAddress, blockchain, balance && amountForPeople(balance));
    });
  },
  'bridge network': async (session, _group, { fromNetwork }) => {
    const { data } = await session.call(bridgeNetworks, {}, PREVIEW_READ);
    const networks = [...new Set([...data.tokens.flatMap((token) => token.networks), ...data.allSupportedNetworks])];
    return networks.filter((name) => name !== fromNetwork).flatMap((name) => choice(name, networkOf(name)?.name));
  },
  order: async (session) => {
    const { data } = await session.call(listOrders, { limit: MAX_CHOICES }, PREVIEW_READ);
    const open = (data.orders ?? []).filter(({ status }) => status !== 'deleted');
    return open.flatMap(({ orderId, pair, side, price: figure, status }) => {
      const price = cngn(figure);
      return choice(orderId, [side, pair, price && `at ${price}`].filter(Boolean).join(' '), status);
    });
  },
  trade: async (session) => {
    const { data } = await session.call(listTrades, { limit: MAX_CHOICES }, PREVIEW_READ);
    return (data.trades ?? []).flatMap(({ tradeId, pair, side, cngnAmount, status }) =>
      choice(tradeId, [side, pair, cngn(cngnAmount)].filter(Boolean).join(' '), status),
    );
  },
  request: async (session, group) => {
    // `recover` works for requests of every group.
    const isOwn = ({ command }: Operation) => group === 'recover' || command.split(' ')[1] === group;
    const own = (await operations(session)).filter(isOwn);
    return own.flatMap((each) => choice(each.requestId, ...partsOf(session, each)));
  },
  operation: (session) => operationChoices(session),
  'accepted operation': (session) => operationChoices(session, 'accepted'),
  'operation in doubt': (session) => operationChoices(session, 'in-doubt'),
  'sandbox event': async (session) => {
    const { events } = (await session.call(sandboxEvents, { limit: MAX_CHOICES }, PREVIEW_READ)).data;
    return events.flatMap(({ eventId, event, createdAt, state }) =>
      choice(eventId, event, timeText(createdAt, { zone: session.globals.zone }, true), state),
    );
  },
  profile: async ({ world }) => allProfileNames(world).flatMap((name) => choice(name)),
};

/** Lets the user pick a thing by its description; undefined if there is none, or if the list cannot be read. */
async function pickThing(
  session: Session,
  thing: Thing,
  question: string,
  group: string,
  input: GivenInput,
): Promise<string | undefined> {
  const choices = await READERS[thing](session, group, input).catch((error: unknown) => {
    // An id can be typed although the list cannot be read.
    if (error instanceof CliError && error.category !== 'interrupted') return [];
    throw error;
  });
  if (choices.length === 0) return undefined;
  const prompter = await session.world.prompter();
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
