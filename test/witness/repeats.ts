import { isWireNumber, parseExactJson, wireNumber } from '../../src/money/decimal.ts';
import { SERVICE } from './answer-commands.ts';
import type { DocumentedAnswer } from './answers.ts';
import { isBookFigure } from './oracle.ts';
import {
  changedAt,
  commonEnd,
  decimalOf,
  exactIn,
  namesIn,
  type Path,
  perWhole,
  textOf,
  type Wire,
  wiresIn,
  witnessOf,
} from './wire.ts';
import type { WitnessRow } from './witness.ts';

/** Which fields of an answer repeat which fields of its request, by the words of the specification. */

type Kind =
  | 'amount'
  | 'asset'
  | 'pair'
  | 'side'
  | 'network'
  | 'address'
  | 'account number'
  | 'bank'
  | 'id'
  | 'price'
  | 'way';

/** Fields that mean the same in a request and in its answer wherever they have the same name, and what they are. */
const SAME: Readonly<Record<string, Kind>> = {
  amount: 'amount',
  cngnAmount: 'amount',
  minAmount: 'amount',
  maxAmount: 'amount',
  usdThreshold: 'amount',
  price: 'price',
  pair: 'pair',
  side: 'side',
  transactionType: 'way',
  token: 'asset',
  ticker: 'asset',
  sellToken: 'asset',
  buyToken: 'asset',
  network: 'network',
  blockchain: 'network',
  fromNetwork: 'network',
  toNetwork: 'network',
  address: 'address',
  walletAddress: 'address',
  destinationAddress: 'address',
  destinationWallet: 'address',
  fromAddress: 'address',
  toAddress: 'address',
  USDC: 'address',
  USDT: 'address',
  accountNumber: 'account number',
  bankCode: 'bank',
  userId: 'id',
  requestId: 'id',
  accountId: 'id',
  withdrawalId: 'id',
  tradeId: 'id',
  orderId: 'id',
};

/** Fields that repeat a field of another name: of the request, of the answer. */
const OTHERS: Readonly<Record<string, readonly (readonly [from: string, to: string, kind: Kind])[]>> = {
  'bridge.quote': [['amount', 'inputAmount', 'amount']],
  'transactions.onramp': [
    ['amount', 'feeBreakdown.baseAmount', 'amount'],
    ['amount', 'feeBreakdown.breakdown.userRequestedAmount', 'amount'],
  ],
  'transactions.offramp': [['ticker', 'tokenSymbol', 'asset']],
  'transactions.withdraw-asset': [
    ['ticker', 'tokenSymbol', 'asset'],
    ['amount', 'feeBreakdown.requestedAmount', 'amount'],
    ['internalWallet', 'smartWalletAddress', 'address'],
  ],
  'transactions.fintech-transfer': [['amount', 'feeBreakdown.requestedAmount', 'amount']],
};

/** A figure of the answer that is there by itself: what the fees on an example would be, the tier of an amount. */
const OWN = /^(exampleCalculation|result\.tierUsed|fee)\b|\[\]/;

interface Repeat {
  readonly from: string;
  readonly to: WitnessRow;
  readonly kind: Kind;
}

function repeatsOf(endpoint: string): Repeat[] {
  const { id, request, response = [] } = witnessOf(endpoint);
  const given = Object.values(request ?? {}).flatMap((rows) => rows.map(({ name }) => name));
  // The command places each order by its direction.
  const names =
    endpoint.startsWith('POST /fx/') && given.includes('maxAmount') ? given.filter((name) => name !== 'side') : given;
  // An order may be asked for as a direction and two currencies. Sources contradict each other about what the direction means, so a side says nothing of it.
  const all = names.includes('orderType') ? [...names, 'pair'] : names;
  return response.flatMap((to) => {
    const last = lastOf(to.name);
    const kind = SAME[last];
    const from = kind === undefined || OWN.test(to.name) ? undefined : all.find((name) => lastOf(name) === last);
    const others = (OTHERS[id] ?? []).filter(([, name]) => name === to.name);
    return [
      ...(from !== undefined && kind !== undefined ? [{ from, to, kind }] : []),
      ...others.map(([other, , what]) => ({ from: other, to, kind: what })),
    ];
  });
}

const lastOf = (name: string) => name.split('.').at(-1) ?? '';

/** A value of an answer that repeats one of its request. */
export interface Repeated extends Wire {
  readonly kind: Kind;
  readonly unit: string | undefined;
}

type Sent = Readonly<Record<string, unknown>>;

/** The unit in which a request has an amount. */
function unitSent(endpoint: string, name: string): string | undefined {
  const rows = Object.values(witnessOf(endpoint).request ?? {}).flat();
  return rows.find((row) => row.name === name)?.unit;
}

/** Returns the answer with each value that repeats one of the request as it was sent, and where those values are. */
export function aligned(
  answer: DocumentedAnswer,
  sent: Sent,
): { readonly answer: DocumentedAnswer; readonly repeated: readonly Repeated[] } {
  let body = parseExactJson(answer.body);
  const repeated: Repeated[] = [];
  const repeats = repeatsOf(answer.endpoint);
  const wires = wiresIn(body).filter(({ value }) => value !== null);
  const hasPoint = wires.some(
    ({ path, value }) => repeats.some(({ to }) => isAt(to, path)) && textOf(value).includes('.'),
  );
  for (const { path, value } of wires) {
    const repeat = repeats.find(({ to }) => isAt(to, path));
    const asked = repeat && valueAt(sent, repeat.from);
    if (repeat === undefined || (typeof asked !== 'string' && !isWireNumber(asked))) continue;
    // Work may be asked for by its wallet instead of its id.
    if (repeat.kind === 'id' && textOf(asked).startsWith('0x')) continue;
    const text =
      repeat.to.unit === undefined ? textOf(asked) : figureOf(answer.endpoint, repeat, textOf(asked), value, hasPoint);
    if (text === undefined) continue;
    const written = isWireNumber(value) ? wireNumber(text) : text;
    body = changedAt(body, path, () => written);
    repeated.push({ path, value: written, kind: repeat.kind, unit: repeat.to.unit });
  }
  return { answer: { ...answer, body: JSON.stringify(body) }, repeated };
}

const valueAt = (sent: Sent, name: string): unknown =>
  name.split('.').reduce<unknown>((at, each) => (at as Sent | undefined)?.[each], sent);

/** Whether a value stands where a row says, or without the object around it. */
function isAt({ name }: WitnessRow, path: Path): boolean {
  const own = namesIn(name.split('.'), SERVICE);
  const names = namesIn(path[0] === 'data' ? path.slice(1) : path, SERVICE);
  const isWhole = names.length > 0 && commonEnd(names, own) === names.length;
  return isWhole && own.length - names.length <= 1 && !path.some((each) => typeof each === 'number');
}

/** Writes the amount of a request as the answer would, with as many decimals as the documented figure. */
function figureOf(
  endpoint: string,
  { from, to }: Repeat,
  asked: string,
  documented: unknown,
  hasPoint: boolean,
): string | undefined {
  const exact = exactIn(asked);
  if (exact === undefined) return undefined;
  const whole = exact / perWhole(unitSent(endpoint, from) ?? to.unit);
  const decimals = textOf(documented).split('.')[1]?.length ?? 0;
  // Without a point, such a form has everything in base units.
  if (isBookFigure(endpoint, to) && !hasPoint) return decimalOf(whole * perWhole('base'), 0);
  return decimalOf(whole * perWhole(to.unit), decimals);
}

const OTHER: Readonly<Record<string, string>> = {
  CNGN: 'USDC',
  USDC: 'USDT',
  USDT: 'USDC',
  cNGN: 'USDC',
  'CNGN-USDC': 'CNGN-USDT',
  'CNGN-USDT': 'CNGN-USDC',
  buy: 'sell',
  sell: 'buy',
  base: 'eth',
  bsc: 'pol',
  offramp: 'onramp',
  onramp: 'offramp',
};

/** The value that the answer of another request has in this place. */
export function another({ kind, value }: Repeated): unknown {
  const text = textOf(value);
  if (kind === 'amount' || kind === 'price') {
    const more = text.includes('.')
      ? decimalOf((exactIn(text) ?? 0n) * 10n, text.split('.')[1]?.length ?? 0)
      : `${text}0`;
    return isWireNumber(value) ? wireNumber(more) : more;
  }
  if (kind === 'address') return `0x${'b1'.repeat(20)}`;
  if (kind === 'account number' || kind === 'bank') return `${text.slice(0, -1)}${text.endsWith('5') ? '6' : '5'}`;
  return OTHER[text] ?? `another-${text}`;
}

/** Other spellings of the same value. */
export function respelled({ kind, value, unit }: Repeated): readonly unknown[] {
  const text = textOf(value);
  if (kind === 'address') return /^0x/.test(text) ? [`0x${text.slice(2).toUpperCase()}`] : [];
  if (kind === 'account number') return [`${text.slice(0, 6)}****`, `******${text.slice(-4)}`];
  if (kind === 'bank') return [text.replace(/^0+/, '')];
  if (kind === 'side' || kind === 'asset' || kind === 'way') return [text.toUpperCase()];
  if (kind !== 'amount') return [];
  const isWhole = perWhole(unit) > 1n;
  const other = isWireNumber(value) ? text : JSON.rawJSON(text);
  return isWhole || !text.includes('.') ? [other] : [other, `${text}00`.replace(/(\.\d{6})0+$/, '$1')];
}
