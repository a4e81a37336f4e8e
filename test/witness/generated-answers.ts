import { lineOf, SERVICE } from './answer-commands.ts';
import type { DocumentedAnswer } from './answers.ts';
import { overlaps } from './deviations.ts';
import type { WitnessEndpoint, WitnessRow } from './witness.ts';

/** Answers with every field that the specification gives an endpoint, also those that no example has. */

type Json = Record<string, unknown>;

/** Figures that fit each other, so that no answer contradicts itself. */
const FIGURES: Readonly<Record<string, string>> = {
  cngnAmount: '57000.000000',
  usdcAmount: '40.000000',
  tokenAmount: '40.000000',
  fintechNetAmount: '32.000000',
  price: '1425.000000',
  averagePrice: '1425.000000',
  minAmount: '1200.000000',
  maxAmount: '90000.000000',
};

/** Texts that mean something to a command. */
const TEXTS: Readonly<Record<string, string>> = {
  pair: 'CNGN-USDC',
  side: 'sell',
  token: 'CNGN',
  ticker: 'CNGN',
  tokenSymbol: 'CNGN',
  tokenBuy: 'USDC',
  sellToken: 'USDC',
  buyToken: 'CNGN',
  currency: 'NGN',
  accountNumber: '0123456789',
  bankCode: '000911',
  apiKey: 'sandbox_h9a1b2c3d4e5f60718293',
  network: 'base',
  blockchain: 'base',
  fromNetwork: 'base',
  toNetwork: 'bsc',
  status: 'completed',
};

const ADDRESS = /(address|wallet|owner|^USDC|^USDT|^cNGN)$/i;
/** What is there only if something went wrong, and the token that the pair is not about. */
const ABSENT = /(error|reason|failed|retryable|usdtAmount|previousAddress)/i;

const WHOLE: Readonly<Record<string, unknown>> = {
  naira: 1250.5,
  kobo: 125_050,
  base: '12500000',
  token: '12.500000',
  'decimal-string': '12.500000',
  percent: 1.5,
};

/** What a request says in a field of this name, and in the object of this name if it is in one. */
function saidBefore(request: Json, name: string): unknown {
  const [last = '', object = ''] = name.replaceAll('[]', '').split('.').toReversed();
  const { query, path, ...rest } = request as { query?: Json; path?: Json };
  const all: Json = { ...rest, ...query, ...path };
  const value = all[last] ?? (all[object] as Json | undefined)?.[last];
  return Array.isArray(value) ? value[0] : value;
}

function sampleOf({ name, type, unit }: WitnessRow, request: Json, isOff: boolean): unknown {
  const last = name.split('.').at(-1)?.replace('[]', '') ?? '';
  const said = saidBefore(request, name);
  const isSame = unit === undefined || unit === 'percent' || name.includes('feeConfiguration');
  if (isSame && said !== undefined && typeof said !== 'object') return said;
  if (unit !== undefined) {
    const value = (unit === 'decimal-string' && FIGURES[last]) || WHOLE[unit];
    return type === 'string' ? String(value) : value;
  }
  const states = /^enum\[(.*)\]$/.exec(type)?.[1]?.split(',');
  if (states) return states.find((state) => state === TEXTS[last]) ?? states[0];
  if (type === 'boolean') return last !== 'hasMore' && !isOff;
  if (type === 'integer' || type === 'number') return /^(total|count|offset)$/.test(last) ? 1 : 3;
  if (type === 'datetime') return '2026-05-07T15:49:11.137Z';
  if (TEXTS[last] !== undefined) return TEXTS[last];
  return ADDRESS.test(last) ? `0x${'52'.repeat(20)}` : `text of ${name.replace('[]', '')}`;
}

/** Puts a value where a flattened name says; every list has one row. */
function put(data: Json, [first = '', ...rest]: readonly string[], value: unknown): void {
  const name = first.replace('[]', '');
  if (rest.length === 0) {
    data[name] = first.endsWith('[]') ? [value] : (data[name] ?? value);
    return;
  }
  const inner = first.endsWith('[]') ? (data[name] as Json[] | undefined)?.[0] : (data[name] as Json | undefined);
  const object = inner ?? {};
  data[name] = first.endsWith('[]') ? [object] : object;
  put(object, rest, value);
}

/** Returns an answer with all fields; undefined for an endpoint without a command, or without fields. */
export function generatedAnswer(
  witness: WitnessEndpoint,
  request: DocumentedAnswer['request'],
): DocumentedAnswer | undefined {
  const endpoint = `${witness.method} ${witness.path.replace('/platform/', `/${SERVICE}/`)}`;
  const all = witness.response ?? [];
  const isRespelled = ({ name }: WitnessRow) =>
    name.includes('_') && all.some((other) => other.name.toLowerCase() === name.replaceAll('_', '').toLowerCase());
  const rows = all.filter(
    (row) => row.type !== 'object' && row.type !== 'array' && !ABSENT.test(row.name) && !isRespelled(row),
  );
  if (lineOf(endpoint) === undefined || Object.hasOwn(overlaps, witness.id) || rows.length === 0) return undefined;
  const isOff = witness.path.endsWith('/disable');
  const valueIn = (row: WitnessRow) => sampleOf(row, request ?? {}, isOff);
  const data: Json = {};
  for (const row of rows) put(data, row.name.split('.'), valueIn(row));
  const texts = rows.filter(({ type, unit }) => type === 'string' && unit === undefined);
  return {
    id: `generated-${witness.id}`,
    endpoint,
    shown_as: 'public',
    http: 200,
    means: 'success',
    ...(request ? { request } : {}),
    body: JSON.stringify({ status: 'Success', response_code: '00', message: 'Done', data }),
    expect: Object.fromEntries(texts.map((row) => [row.name, valueIn(row)])),
  };
}
