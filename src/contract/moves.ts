import { type Amount, type Asset, fromWire, isAsset, MAX_MINOR, STABLECOINS, TOKENS } from '../money/amount.ts';
import { isWireNumber } from '../money/decimal.ts';
import type { Endpoint, MoveRow, MoveTarget } from './endpoint.ts';
import type { FieldMeta } from './fields.ts';
import { fieldOf, unwrap } from './rows.ts';

/** Where money goes. `unknown`: the request does not say it. */
export type Destination =
  | { readonly kind: 'account'; readonly bankCode: string; readonly accountNumber: string }
  | { readonly kind: 'saved-account'; readonly accountId: string }
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'user'; readonly userId: string }
  /** The default wallet of a user, or nowhere else if there is none. */
  | { readonly kind: 'wallet-of'; readonly userId: string }
  | { readonly kind: 'unknown' };

/** What a request moves, as far as the request says. */
export interface Moves {
  /** What is spent. */
  readonly amount: Amount | undefined;
  /** What else may be spent at the worst: the stablecoin that an order offers, at its price. */
  readonly atWorst: readonly Amount[];
  /** What comes in instead. */
  readonly incoming: Amount | undefined;
  /** The assets that it also moves or may move, in amounts that the request does not say. */
  readonly unknownAssets: readonly Asset[];
}

/** What a request only refers to, by the names of fields: what a quote says, the order that an update replaces. */
export type MoveTerms = Readonly<Record<string, string>>;

type MoveInput = Readonly<Record<string, unknown>>;

const NOTHING: Moves = { amount: undefined, atWorst: [], incoming: undefined, unknownAssets: [] };

/** Returns what a request moves; undefined if its endpoint moves no money. Works for unvalidated requests too. */
export function movesOf(endpoint: Endpoint, request: unknown, terms: MoveTerms = {}): Moves | undefined {
  const { moves } = endpoint;
  if (!moves) return undefined;
  const input = (request ?? {}) as MoveInput;
  if (moves.replaces) return addedBy(endpoint, moves, input, terms);
  if (moves.isIncoming) return { ...NOTHING, incoming: amountIn(endpoint, moves.amount, input).amount };
  if (moves.decidedBy !== undefined && input[moves.decidedBy] !== undefined) return { ...NOTHING, ...UNKNOWN };
  return givenBy(endpoint, moves, input);
}

/** Returns what the request of a trade, an order or a payment gives. */
function givenBy(endpoint: Endpoint, moves: MoveRow, input: MoveInput): Moves {
  const { amount, unknownAssets } = amountIn(endpoint, moves.amount, input);
  const given = stablecoinsGiven(moves, input);
  const [asset, ...others] = given;
  const price = moves.gives?.price && amountIn(endpoint, moves.gives.price, input).amount;
  if (!amount || !price || !asset || others.length > 0)
    return { ...NOTHING, amount, unknownAssets: [...unknownAssets, ...given] };
  return { ...NOTHING, amount, atWorst: [{ asset, minor: (amount.minor * MILLION + price.minor - 1n) / price.minor }] };
}

const MILLION = 1_000_000n;

/** The name under which terms have a field of the order that an update replaces. */
export const replacedField = (name: string): string => `replaced.${name}`;

/** Returns what an update adds to what its order gave before. If nothing is known of the order, all of it is new. */
function addedBy(endpoint: Endpoint, moves: MoveRow, input: MoveInput, terms: MoveTerms): Moves {
  const changed = [moves.amount, moves.gives?.price].filter((name) => name !== undefined && input[name] !== undefined);
  if (changed.length === 0) return NOTHING;
  const replaced = Object.fromEntries(
    (moves.replaces ?? []).map((name) => [name, terms[replacedField(name)]] as const),
  );
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const after = givenBy(endpoint, moves, { ...replaced, ...Object.fromEntries(given) });
  const before = givenBy(endpoint, moves, replaced);
  if (!after.amount || !before.amount || before.unknownAssets.length > 0) return after;
  const added = (one: Amount, other: Amount | undefined): Amount => {
    const minor = one.minor - (other?.asset === one.asset ? other.minor : 0n);
    return { ...one, minor: minor > 0n ? minor : 0n };
  };
  return {
    ...after,
    amount: added(after.amount, before.amount),
    atWorst: after.atWorst.map((each) => added(each, before.atWorst[0])),
  };
}

/** Returns the assets that requests of an endpoint may spend; empty if it spends nothing. */
export function assetsOf(endpoint: Endpoint): readonly Asset[] {
  const { moves } = endpoint;
  if (!moves || moves.isIncoming) return [];
  const { asset } = metaOf(endpoint, moves.amount);
  if (typeof asset !== 'string') return TOKENS;
  return [...(isAsset(asset) ? [asset] : []), ...(moves.gives ? STABLECOINS : [])];
}

/** Returns where a request sends money, now or later; empty if it stays with the account. Works for unvalidated requests too. */
export function destinationsOf({ moves, redirects }: Endpoint, request: unknown): readonly Destination[] {
  const input = (request ?? {}) as MoveInput;
  if (redirects?.unless?.isOneOf.includes(input[redirects.unless.field])) return [];
  return (moves ?? redirects)?.to.flatMap((target) => destinationsIn(target, input)) ?? [];
}

/** A request, and the terms that it only refers to. */
interface MoveRequest {
  readonly input: unknown;
  readonly terms?: MoveTerms | undefined;
}

/**
 * Whether two requests to an endpoint may move the same: the same amount of the same asset to the same destination, as sent. What one of
 * them does not say may be the same. With `isAnyAmount`, the amount does not matter: it is whatever is there.
 */
export function mayMoveTheSame(endpoint: Endpoint, one: MoveRequest, other: MoveRequest, isAnyAmount = false): boolean {
  const [ours, theirs] = [movementIn(endpoint, one), movementIn(endpoint, other)];
  if (ours.to !== theirs.to || !ours.assets.some((asset) => theirs.assets.includes(asset))) return false;
  const isKnown = ours.minor !== undefined && theirs.minor !== undefined;
  return isAnyAmount || !isKnown || ours.minor === theirs.minor;
}

/** What a request moves, and a text that is equal for requests to the same endpoint which move the same to the same destination. */
export interface Movement {
  readonly amount: Amount;
  readonly text: string;
}

/** Returns what a request moves; undefined for one that does not say how much, of what, or that moves nothing. */
export function movementOf(endpoint: Endpoint, input: unknown): Movement | undefined {
  const { to, assets, minor } = movementIn(endpoint, { input });
  const [asset, ...others] = assets;
  if (minor === undefined || asset === undefined || others.length > 0) return undefined;
  return { amount: { asset, minor }, text: `${to} ${minor} ${asset}` };
}

/** What a request says that it moves: where to, as a text; the assets of which it may be one; and how much. */
function movementIn(endpoint: Endpoint, { input: request, terms = {} }: MoveRequest) {
  const { moves } = endpoint;
  const sent = (request ?? {}) as MoveInput;
  const input =
    moves?.decidedBy !== undefined && terms[moves.amount] !== undefined ? onTerms(moves, sent, terms) : sent;
  const { amount, incoming, unknownAssets } = movesOf(endpoint, input, terms) ?? NOTHING;
  const moved = amount ?? incoming;
  const assets =
    moves?.gives && moved ? assetsGiven(moves, input) : [...(moved ? [moved.asset] : []), ...unknownAssets];
  return { to: destinationText(endpoint, input), assets, minor: moved?.minor };
}

/** A request with the terms of its quote in place of the quote. */
const onTerms = ({ decidedBy }: MoveRow, input: MoveInput, terms: MoveTerms): MoveInput => ({
  ...Object.fromEntries(Object.entries(input).filter(([name]) => name !== decidedBy)),
  ...terms,
});

/** Returns the assets of which a trade or an order may give one. */
function assetsGiven(moves: MoveRow, input: MoveInput): readonly Asset[] {
  const given = stablecoinsGiven(moves, input);
  const isEither = moves.gives?.unless !== undefined && input[moves.gives.unless] !== undefined;
  return given.length === 0 ? ['CNGN'] : isEither ? ['CNGN', ...given] : given;
}

/** Writes the destinations of a request, equal for equal ones. What does not say where it goes is told apart by all that it says. */
function destinationText(endpoint: Endpoint, input: MoveInput): string {
  const all = destinationsOf(endpoint, input);
  const parts = all.some(({ kind }) => kind === 'unknown') ? [...all, ...otherTexts(endpoint, input)] : all;
  const text = JSON.stringify(parts);
  // An address is the same in any case. A function that is called for each value takes longer than all the rest.
  if (!/"0x[0-9a-f]+"/i.test(text)) return text;
  return JSON.stringify(parts, (_, value) =>
    typeof value === 'string' && /^0x[0-9a-f]+$/i.test(value) ? value.toLowerCase() : value,
  );
}

const otherTexts = ({ moves }: Endpoint, input: MoveInput) =>
  Object.entries(input)
    .filter(([name, value]) => name !== moves?.amount && typeof value === 'string')
    .sort(([a], [b]) => (a < b ? -1 : 1));

const UNKNOWN = { amount: undefined, unknownAssets: TOKENS } as const;

/** Reads the amount. One that cannot be read, or that no transfer has, is unknown, in every asset that it may have. */
function amountIn(endpoint: Endpoint, field: string, input: MoveInput): Pick<Moves, 'amount' | 'unknownAssets'> {
  const { unit, asset: named } = metaOf(endpoint, field);
  const asset = assetIn(named, input);
  const value = input[field];
  if (asset === undefined) return UNKNOWN;
  const amount = typeof value === 'string' || isWireNumber(value) ? fromWire(value, unit, asset) : undefined;
  return amount && amount.minor > 0n && amount.minor <= MAX_MINOR[asset]
    ? { amount, unknownAssets: [] }
    : { amount: undefined, unknownAssets: [asset] };
}

/** Returns the unit and the asset of a field with an amount. */
function metaOf({ id, request }: Endpoint, field: string) {
  const schema = fieldOf(request(), field);
  const { unit, asset } = (schema && unwrap(schema).meta) ?? {};
  if (!unit || unit === 'percent') throw new Error(`${id}: ${field} has no unit of money`);
  return { unit, asset };
}

function assetIn(asset: FieldMeta['asset'], input: MoveInput): Asset | undefined {
  if (typeof asset === 'string') return isAsset(asset) ? asset : undefined;
  if (!asset || !('field' in asset)) return undefined;
  const named = input[asset.field] ?? asset.byDefault;
  return typeof named === 'string' && isAsset(named) ? named : undefined;
}

function stablecoinsGiven({ gives }: MoveRow, input: MoveInput): readonly Asset[] {
  if (!gives) return [];
  if (gives.unless !== undefined && input[gives.unless] !== undefined) return STABLECOINS;
  if (gives.field !== undefined && input[gives.field] === gives.cngn) return [];
  const named = String(gives.stablecoin === undefined ? '' : (input[gives.stablecoin] ?? '')).toUpperCase();
  return STABLECOINS.filter((asset) => !STABLECOINS.some((each) => each !== asset && named.endsWith(each)));
}

function destinationsIn(target: MoveTarget, input: MoveInput): readonly Destination[] {
  if (target === 'unknown') return [{ kind: 'unknown' }];
  if ('bankCode' in target) {
    const [bankCode, accountNumber] = [textIn(input, target.bankCode), textIn(input, target.accountNumber)];
    return [bankCode && accountNumber ? { kind: 'account', bankCode, accountNumber } : { kind: 'unknown' }];
  }
  if ('user' in target) return [userIn(input, target.user)];
  if ('walletOf' in target) {
    const userId = textIn(input, target.walletOf);
    return [userId ? { kind: 'wallet-of', userId } : { kind: 'unknown' }];
  }
  if ('savedAccount' in target) {
    const accountId = textIn(input, target.savedAccount);
    return [accountId ? { kind: 'saved-account', accountId } : { kind: 'unknown' }];
  }
  if (valueIn(input, target.address) === undefined) {
    if (target.isOptional) return [];
    if (target.orUser !== undefined) return [userIn(input, target.orUser)];
  }
  const address = textIn(input, target.address);
  return [address ? { kind: 'address', address } : { kind: 'unknown' }];
}

function userIn(input: MoveInput, field: string): Destination {
  const userId = textIn(input, field);
  return userId ? { kind: 'user', userId } : { kind: 'unknown' };
}

function textIn(input: MoveInput, field: string): string | undefined {
  const value = valueIn(input, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const valueIn = (input: MoveInput, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as MoveInput | null | undefined)?.[name], input);
