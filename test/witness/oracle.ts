import { isJsonObject, parseExactJson } from '../../src/money/decimal.ts';
import { SERVICE } from './answer-commands.ts';
import { readAnswers } from './answers.ts';
import { commonEnd, exactIn, namesIn, type Path, perWhole, textOf, type Wire, wiresIn, witnessOf } from './wire.ts';
import type { WitnessRow } from './witness.ts';

/**
 * What the figures of an answer mean, by the specification's data files and its words alone: nothing here asks how the program
 * reads an answer. A printed amount is right if it is what a figure of its name means, or if it is marked: the unit unknown and
 * the figure as it came, or the asset null.
 */

/** What a figure means: so much of one of some assets, or something that the answer does not say. */
interface Meaning {
  readonly text: string;
  /** Undefined if the figure is in no unit that is documented for it, so that only a mark is right. */
  readonly whole: bigint | undefined;
  readonly assets: readonly string[];
  /** The names in its path. */
  readonly names: readonly string[];
  readonly path: Path;
}

interface Figure extends Wire {
  readonly names: readonly string[];
  readonly row: WitnessRow;
}

const isMoney = ({ unit }: WitnessRow) => unit !== undefined && unit !== 'percent';

/** Returns the figures of a body that are amounts, each with its row in the specification. */
export const figuresIn = (endpoint: string, body: unknown): Figure[] =>
  figuresOf(witnessOf(endpoint).response ?? [], body);

/** Returns the figures of a body to which some rows of the specification give a unit. */
export function figuresOf(all: readonly WitnessRow[], body: unknown): Figure[] {
  const rows = all.filter(isMoney);
  return wiresIn(body).flatMap((wire) => {
    const names = namesIn(wire.path, SERVICE);
    const row = rowFor(names, rows);
    const isFigure = wire.value !== null && typeof wire.value !== 'boolean';
    return row && isFigure ? [{ ...wire, names, row }] : [];
  });
}

/** The row whose path ends most like this one. Several with one unit are as good as one. */
function rowFor(names: readonly string[], rows: readonly WitnessRow[]): WitnessRow | undefined {
  let [best, most] = [undefined as WitnessRow | undefined, 0];
  for (const row of rows) {
    const count = commonEnd(names, rowNames(row));
    if (count > most) [best, most] = [row, count];
    // `amount` at the top is not `amount` in an object.
    else if (count === most && best && rowNames(row).length < rowNames(best).length) best = row;
  }
  return best;
}

const rowNames = ({ name }: WitnessRow) =>
  namesIn(
    name.split('.').map((each) => each.replace('[]', '')),
    SERVICE,
  );

/** The figures that are documented for each field, without zeros. */
const DOCUMENTED = new Map<string, string[]>();
for (const { endpoint, http, body } of readAnswers(SERVICE)) {
  if (http !== 200) continue;
  for (const { row, value } of figuresIn(endpoint, JSON.parse(body))) {
    const key = `${witnessOf(endpoint).id} ${row.name}`;
    if (/[1-9]/.test(textOf(value))) DOCUMENTED.set(key, [...(DOCUMENTED.get(key) ?? []), textOf(value)]);
  }
}

/** Whether each documented figure of a field has six decimals, so that one without a point is in another unit. */
function hasSixDecimals(endpoint: string, row: WitnessRow): boolean {
  const documented = DOCUMENTED.get(`${witnessOf(endpoint).id} ${row.name}`) ?? [];
  return documented.length > 0 && documented.every((text) => /\.\d{6}$/.test(text));
}

/** Order book figures are documented in tokens and in base units; a point in one of them says which. */
const BOOK = /^fx\.(create-order|create-limit-order|update-limit-order|list-limit-orders|orderbook|orderbook-stats)$/;

export const isBookFigure = (endpoint: string, { unit }: WitnessRow) =>
  unit === 'decimal-string' && BOOK.test(witnessOf(endpoint).id);

/** Returns what each figure of an answer means. */
function meaningsOf(endpoint: string, request: Readonly<Record<string, unknown>>, body: unknown): Meaning[] {
  const figures = figuresIn(endpoint, body);
  const hasPoint = figures.some(({ value }) => /^\d+\.\d+$/.test(textOf(value)));
  return figures.map((figure) => {
    const around = [request, ...objectsAround(body, figure.path)];
    return {
      text: textOf(figure.value),
      names: figure.names,
      path: figure.path,
      assets: assetsOf(figure, around, figures),
      whole: wholeOf(endpoint, figure, hasPoint, nearest(around, 'unit')),
    };
  });
}

function wholeOf(
  endpoint: string,
  { row, value }: Figure,
  hasPoint: boolean,
  unit: string | undefined,
): bigint | undefined {
  const text = textOf(value);
  const exact = exactIn(text);
  // Zero is zero in every unit.
  if (exact === undefined || exact === 0n) return exact;
  const hasOwnPoint = text.includes('.');
  const parts = perWhole(row.unit);
  if (parts > 1n) return hasOwnPoint ? undefined : exact / parts;
  if (!isBookFigure(endpoint, row)) return !hasOwnPoint && hasSixDecimals(endpoint, row) ? undefined : exact;
  if (hasPoint) return exact;
  return unit === 'BASE' ? exact / perWhole('base') : undefined;
}

function objectsAround(body: unknown, path: Path): Readonly<Record<string, unknown>>[] {
  const objects: Readonly<Record<string, unknown>>[] = [];
  let at = body;
  for (const name of path) {
    if (isJsonObject(at)) objects.push(at);
    at = (at as Readonly<Record<string | number, unknown>>)[name];
  }
  return objects;
}

/** The value of the first of some fields in the nearest object that has one, whatever their spelling. */
function nearest(around: readonly Readonly<Record<string, unknown>>[], ...fields: string[]): string | undefined {
  for (const object of around.toReversed())
    for (const field of fields) {
      const name = Object.keys(object).find((each) => namesIn([each], SERVICE)[0] === field);
      const value = name === undefined ? undefined : object[name];
      if (typeof value === 'string') return value.toUpperCase();
    }
  return undefined;
}

/** Fields that name their asset, or that the specification gives one. */
const ASSETS: Readonly<Record<string, string>> = {
  cngnamount: 'CNGN',
  usdcamount: 'USDC',
  usdtamount: 'USDT',
  cngn: 'CNGN',
  // A price is in cNGN for a stablecoin, and an order says how much cNGN it takes.
  price: 'CNGN',
  averageprice: 'CNGN',
  executionrate: 'CNGN',
  bestbidprice: 'CNGN',
  bestaskprice: 'CNGN',
  minamount: 'CNGN',
  maxamount: 'CNGN',
  totalbuyliquidity: 'CNGN',
  usdthreshold: 'USD',
  threshold: 'USD',
  totalusdautosigned: 'USD',
  totalamountautosigned: 'USD',
};

/** Fields whose asset the sources contradict each other about. */
const DOUBTED = /^(fintechnetamount|availableliquidity|totalsellliquidity)$/;

/** Returns the assets that a figure may be shown in. None means that only `asset: null` is right. */
function assetsOf(
  { names, row, value }: Figure,
  around: readonly Readonly<Record<string, unknown>>[],
  figures: readonly Figure[],
): readonly string[] {
  const name = names.at(-1) ?? '';
  if (row.unit === 'naira' || row.unit === 'kobo') return ['NGN'];
  if (DOUBTED.test(name)) return decidedBy(figures, names, textOf(value), around);
  const known = ASSETS[name] ?? names.findLast((each) => /^(cngn|usdc|usdt)$/.test(each))?.toUpperCase();
  if (known !== undefined) return [known];
  const stated = statedAsset(name, around);
  return stated === undefined ? [] : [stated];
}

function statedAsset(name: string, around: readonly Readonly<Record<string, unknown>>[]): string | undefined {
  if (name === 'tokenamount') return nearest(around, 'pair')?.split('-')[1];
  if (name === 'tokenbuy') return nearest(around, 'tokenbuy');
  if (name === 'amountin') return nearest(around, 'selltoken');
  if (name === 'amountout') return nearest(around, 'buytoken');
  const tickers = ['token', 'ticker', 'tokensymbol', 'currency'];
  return nearest(around, ...tickers, ...(name === 'amount' ? ['selltoken'] : [])) ?? 'CNGN';
}

/** The asset of a figure that only price and figures of its answer can decide: more than the stablecoin side can be is cNGN. */
function decidedBy(
  figures: readonly Figure[],
  names: readonly string[],
  text: string,
  around: readonly Readonly<Record<string, unknown>>[],
): readonly string[] {
  const beside = (name: RegExp) => {
    const found = figures.find(
      (each) =>
        name.test(each.names.at(-1) ?? '') &&
        commonEnd(each.names.slice(0, -1), names.slice(0, -1)) === names.length - 1,
    );
    return found && exactIn(textOf(found.value));
  };
  const own = exactIn(text);
  const [price, cngn] = [beside(/^(price|averageprice)$/), beside(/^(cngnamount|maxamount)$/)];
  const ofPair = nearest(around, 'pair')?.split('-')[1];
  const traded = [beside(/^usdcamount$/), beside(/^usdtamount$/)];
  const stablecoin = traded[0] === undefined ? (traded[1] === undefined ? ofPair : 'USDT') : 'USDC';
  const most = traded[0] ?? traded[1] ?? (price && cngn !== undefined ? (cngn * ONE) / price : undefined);
  if (own === undefined || most === undefined) return [];
  if (own > most + most / 100n) return ['CNGN'];
  // A net amount is a large part of what was traded; as cNGN it would be nearly nothing.
  return names.at(-1) === 'fintechnetamount' && own * 4n > most && stablecoin !== undefined ? [stablecoin] : [];
}

const ONE = exactIn('1') ?? 1n;

interface Printed {
  readonly names: readonly string[];
  readonly value: string;
  readonly asset?: string | null;
  readonly unit?: string;
}

/** Returns the amounts in what a command printed. */
function amountsIn(value: unknown, path: Path = []): Printed[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => amountsIn(each, [...path, index]));
  if (!isJsonObject(value)) return [];
  const { value: text, asset, unit } = value;
  if (typeof text === 'string' && (asset !== undefined || unit !== undefined))
    return [{ names: namesIn(path, SERVICE), ...(value as { value: string; asset?: string | null; unit?: string }) }];
  return Object.entries(value).flatMap(([name, each]) => amountsIn(each, [...path, name]));
}

export interface Mistake {
  readonly of: 'amount' | 'asset';
  readonly what: string;
}

/** An answer and the request that it came for. */
export interface Exchanged {
  readonly endpoint: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** The object beside whose amounts the answer states another currency, unit or token than the documented one. */
  readonly contradictedAt: Path | undefined;
}

/** Returns the printed amounts that are wrong and not marked. */
export function mistakesIn({ endpoint, request, body, contradictedAt }: Exchanged, printed: unknown): Mistake[] {
  const document = parseExactJson(body);
  const meanings = meaningsOf(endpoint, request, document);
  return amountsIn(printed).flatMap((amount) => {
    const likeness = (meaning: Meaning) => commonEnd(meaning.names, amount.names);
    const most = Math.max(0, ...meanings.map(likeness));
    const alike = meanings.filter((meaning) => likeness(meaning) === most);
    return mistakeOf(amount, contradictedAt ? alike.flatMap((each) => doubted(each, contradictedAt, document)) : alike);
  });
}

/** What a figure may mean beside another currency or unit than the documented one: what that says, or nothing. */
function doubted(meaning: Meaning, contradictedAt: Path, document: unknown): Meaning[] {
  const { path, text, assets, whole } = meaning;
  const isInside = path.slice(0, contradictedAt.length).join() === contradictedAt.join();
  if (!isInside || whole === 0n) return [meaning];
  const unit = nearest(objectsAround(document, path), 'unit')?.toLowerCase();
  const parts = perWhole(unit);
  const exact = exactIn(text);
  const isInUnit = exact !== undefined && unit !== undefined && !(parts > 1n && text.includes('.'));
  const stated = { ...meaning, whole: isInUnit ? exact / parts : whole, assets: isInUnit ? assets : [] };
  // What stands deeper may be in its own unit.
  return path.length > contradictedAt.length + 1 ? [meaning, stated] : [stated];
}

function mistakeOf(amount: Printed, meanings: readonly Meaning[]): Mistake[] {
  const shown = `${amount.names.join('.')} ${JSON.stringify({ ...amount, names: undefined })}`;
  const sent = meanings.map(({ text }) => text).join(', ');
  if (amount.unit !== undefined) {
    const isAsSent = amount.unit === 'unknown' && meanings.some(({ text }) => text === amount.value);
    return isAsSent ? [] : [{ of: 'amount', what: `${shown} for ${sent}` }];
  }
  const whole = exactIn(amount.value);
  // A figure that the service masks is shown as it came.
  if (whole === undefined && /\*/.test(amount.value)) return [];
  const right = meanings.filter((each) => each.whole !== undefined && each.whole === whole);
  if (right.length === 0) return [{ of: 'amount', what: `${shown} for ${sent}` }];
  const isRight = amount.asset === null || right.some(({ assets }) => assets.includes(amount.asset ?? ''));
  return isRight
    ? []
    : [{ of: 'asset', what: `${shown} for ${right.map(({ assets }) => assets.join(' or ') || 'no asset')}` }];
}
