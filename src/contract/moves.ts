import { type Amount, type Asset, fromWire, isAsset, MAX_MINOR, TOKENS } from '../money/amount.ts';
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
  /** What comes in instead. */
  readonly incoming: Amount | undefined;
  /** The assets that it also moves or may move, in amounts that the request does not say. */
  readonly unknownAssets: readonly Asset[];
}

type MoveInput = Readonly<Record<string, unknown>>;

const STABLECOINS = ['USDC', 'USDT'] as const;

const NOTHING: Moves = { amount: undefined, incoming: undefined, unknownAssets: [] };

/** Returns what a request moves; undefined if its endpoint moves no money. Works for unvalidated requests too. */
export function movesOf(endpoint: Endpoint, request: unknown): Moves | undefined {
  const { moves } = endpoint;
  if (!moves) return undefined;
  const input = (request ?? {}) as MoveInput;
  if (moves.isFreeWithout && input[moves.amount] === undefined) return NOTHING;
  if (moves.isIncoming) return { ...NOTHING, incoming: amountIn(endpoint, moves, input).amount };
  if (moves.decidedBy !== undefined && input[moves.decidedBy] !== undefined) return { ...NOTHING, ...UNKNOWN };
  const { amount, unknownAssets } = amountIn(endpoint, moves, input);
  return { ...NOTHING, amount, unknownAssets: [...unknownAssets, ...stablecoinsGiven(moves, input)] };
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

const UNKNOWN = { amount: undefined, unknownAssets: TOKENS } as const;

/** Reads the amount. One that cannot be read, or that no transfer has, is unknown, in every asset that it may have. */
function amountIn(
  endpoint: Endpoint,
  { amount: field }: MoveRow,
  input: MoveInput,
): Pick<Moves, 'amount' | 'unknownAssets'> {
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
