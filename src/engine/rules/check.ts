import type { Profile } from '../../account/profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { RESPONSE_OF_ANOTHER_REQUEST } from '../../client/client.ts';
import { type Endpoint, effectOf } from '../../contract/endpoint.ts';
import { destinationsOf, type MoveTerms, movesOf } from '../../contract/moves.ts';
import type { AccountNames } from '../../journal/accounts.ts';
import type { SpendLimit } from '../../journal/intent.ts';
import type { Journal } from '../../journal/interface.ts';
import { type Asset, countedWith, millionthsOf } from '../../money/amount.ts';
import type { Notices } from '../connection/notices.ts';
import type { MarketReader } from './market.ts';
import { type Asked, type Facts, type RuleSet, type RuleVerdict, verdictsOf } from './verdicts.ts';

/** The parts of an account that rules need. */
export interface RuleAccount extends MarketReader {
  readonly world: Pick<World, 'clock'>;
  readonly profile: Pick<Profile, 'name' | 'mode'>;
  readonly command: { readonly line: string };
  readonly notices: Pick<Notices, 'isInteractive' | 'askCode'>;
  readonly idempotencyKey: Asked['idempotencyKey'];
  journal(): Promise<Journal>;
  accountNames(): Promise<AccountNames>;
  /** `nowMs`: the time that all hosts agree on, in milliseconds since the epoch. */
  readonly time: { nowMs(): Promise<number> };
}

/** A request that rules are asked about. */
interface RuledRequest {
  readonly endpoint: Endpoint;
  readonly input: unknown;
  /** What the request only refers to. */
  readonly terms?: MoveTerms | undefined;
  /** Whether the sums of the journal already have it, because it is sent again. */
  readonly isRecorded?: boolean;
}

/** Returns what asks the rules of one request after the other, as if those before had been sent. What is looked up is looked up once. */
export function rowRules(account: RuleAccount, sets: readonly RuleSet[]) {
  const known = new Map<string, Promise<unknown>>();
  const remembered = <T>(name: string, read: () => Promise<T>): Promise<T> => {
    const found = (known.get(name) as Promise<T> | undefined) ?? read();
    known.set(name, found);
    return found;
  };
  const { savedAccount, defaultWallet, spent } = factsOf(account);
  const moved = new Map<Asset, bigint>();
  const facts: Omit<Facts, 'priced'> = {
    spent: async (limit) => {
      const before = await remembered(`spent ${JSON.stringify(limit)}`, () => spent(limit));
      return countedWith(limit.asset).reduce((sum, asset) => sum + (moved.get(asset) ?? 0n), before);
    },
    savedAccount: (accountId) => remembered(`account ${accountId}`, () => savedAccount(accountId)),
    defaultWallet: (userId) => remembered(`wallet ${userId}`, () => defaultWallet(userId)),
  };
  return async (endpoint: Endpoint, input: unknown): Promise<CliError | undefined> => {
    const request = { endpoint, input };
    const { priced } = factsOf(account, request);
    const verdicts = await verdictsFor(account, sets, request, { ...facts, priced });
    const error = brokenRule(account.profile.name, verdicts);
    const amount = error ? undefined : movesOf(endpoint, input)?.amount;
    if (amount) moved.set(amount.asset, (moved.get(amount.asset) ?? 0n) + millionthsOf(amount));
    return error;
  };
}

/** Asks every rule about a request. */
export async function verdictsFor(
  account: RuleAccount,
  sets: readonly RuleSet[],
  request: RuledRequest,
  facts = factsOf(account, request),
): Promise<readonly RuleVerdict[]> {
  const { endpoint, input, terms, isRecorded = false } = request;
  const effect = effectOf(endpoint, input);
  const moves = effect === 'money' ? movesOf(endpoint, input, terms) : undefined;
  const command = moves && endpoint.moves?.command;
  const asked: Asked = {
    ...(await circumstances(account, sets)),
    effect,
    moves,
    to: destinationsOf(endpoint, input),
    command,
    isOfCommand: account.command.line === `fiatrail ${command}`,
    isRecorded,
  };
  return verdictsOf(sets, asked, facts);
}

const circumstances = async (
  { world, profile, notices: { isInteractive }, idempotencyKey, time }: RuleAccount,
  sets: readonly RuleSet[],
) => ({
  idempotencyKey,
  isInteractive,
  isLive: profile.mode === 'live',
  // Hours must be the same on every host.
  nowMs: sets.some(({ rules }) => rules.hours) ? await time.nowMs() : world.clock.now(),
});

/** Returns the answer of a look-up; undefined if it is about something else: then the destination is not known, and the rule blocks it. */
const unlessOfAnother = <R>(reply: Promise<R>): Promise<R | undefined> =>
  reply.catch((error: unknown) => {
    if (error instanceof CliError && error.code === RESPONSE_OF_ANOTHER_REQUEST) return undefined;
    throw error;
  });

function factsOf(account: RuleAccount, request?: RuledRequest): Facts {
  return {
    priced: async () =>
      request && (await import('./market.ts')).pricedIn(account, request.endpoint, request.input, request.terms),
    spent: async (limit) =>
      (await account.journal()).spent(await account.accountNames(), limit, await account.time.nowMs()),
    savedAccount: async (accountId) => {
      const { getBankAccount } = await import('../../contract/endpoints/banks.ts');
      const found = await unlessOfAnother(account.call(getBankAccount, { accountId }, { isBeforehand: true }));
      const [saved, ...others] = found?.data.accounts ?? [];
      if (!saved?.bankCode || !saved.accountNumber || others.length > 0) return undefined;
      return `${saved.bankCode}/${saved.accountNumber}`;
    },
    defaultWallet: async (userId) => {
      const { getDefaultWallet } = await import('../../contract/endpoints/default-wallets.ts');
      const found = await unlessOfAnother(account.call(getDefaultWallet, { userId }, { isBeforehand: true }));
      return found?.data.defaultWallet === null ? null : found?.data.defaultWallet?.address;
    },
  };
}

/**
 * Throws CliError declined if a rule blocks it. With `codeFor`, right before the change is recorded, also asks for the code that a
 * rule wants. Returns the sums that the journal checks again when it records the change.
 */
export async function requireRules(
  account: RuleAccount,
  sets: readonly RuleSet[],
  request: RuledRequest,
  codeFor?: string,
): Promise<readonly SpendLimit[]> {
  const verdicts = await verdictsFor(account, sets, request);
  const broken = brokenRule(account.profile.name, verdicts);
  if (broken) throw broken;
  if (codeFor !== undefined && verdicts.some(({ needsCode }) => needsCode)) await account.notices.askCode(codeFor);
  return verdicts.flatMap(({ limit }) => limit ?? []);
}

/** Checks what is known before a money command asks for anything. Throws CliError declined. */
export async function requireMoneyRules(account: RuleAccount, sets: readonly RuleSet[]): Promise<void> {
  const asked: Asked = {
    ...(await circumstances(account, sets)),
    ...({
      effect: 'money',
      moves: undefined,
      to: [],
      command: undefined,
      isOfCommand: false,
      isRecorded: false,
    } as const),
  };
  const broken = brokenRule(account.profile.name, await verdictsOf(sets, asked, factsOf(account)));
  if (broken) throw broken;
}

/** The error for the first rule that blocks a command; undefined if all do. */
export function brokenRule(profile: string, verdicts: readonly RuleVerdict[]): CliError | undefined {
  const broken = verdicts.find(({ result }) => result === 'blocks');
  if (!broken) return undefined;
  const { rule, from, detail, code, hint } = broken;
  const owner = from === 'profile' ? `profile ${profile}` : 'the shared journal';
  return new CliError('declined', `rule ${rule} of ${owner}: ${detail}; nothing was sent`, {
    code,
    hint: hint ?? advice`show the rules with: [fiatrail profiles rules show ${profile}]`,
  });
}
