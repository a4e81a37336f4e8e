import { join } from 'node:path';
import type { World } from '../base/world.ts';
import { readPrivateFile, replaceFileUnflushed } from '../files/private-file.ts';
import { stateDir } from './paths.ts';

/** What a quote says, in the fields of a trade. */
export interface QuoteTerms {
  readonly pair: string;
  readonly side: string;
  readonly cngnAmount: string;
  readonly price: string;
}

/** A quote that this machine has fetched. */
export interface SavedQuote extends QuoteTerms {
  /** In whole stablecoin, as the service wrote it. */
  readonly tokenAmount?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
}

/** A quote is valid for minutes, so these are far more than can be traded on. */
const MAX_QUOTES = 50;

type Quotes = Readonly<Record<string, SavedQuote>>;

/**
 * Saves what a quote says for the trade on it, whose request names neither pair nor amount. Never fails: without it, a lost trade can be proven
 * by the service's idempotency key alone, or a person decides.
 */
export function saveQuote(world: World, quoteId: string, terms: SavedQuote): void {
  try {
    world.ensurePrivateDir(stateDir(world));
    const quotes = Object.entries({ ...quotesIn(world), [quoteId]: terms }).slice(-MAX_QUOTES);
    replaceFileUnflushed(
      fileOf(world),
      `${JSON.stringify(Object.fromEntries(quotes))}\n`,
      `quotes-${world.ids.uuid()}`,
    );
  } catch {
    // See above.
  }
}

const fileOf = (world: World): string => join(stateDir(world), 'quotes.json');

/** Returns what a quote said that this machine has fetched; undefined for another one. */
export function savedQuote(world: World, quoteId: string): SavedQuote | undefined {
  const quotes = quotesIn(world);
  return Object.hasOwn(quotes, quoteId) ? quotes[quoteId] : undefined;
}

function quotesIn(world: World): Quotes {
  const found = attemptJson(() => JSON.parse(readPrivateFile(fileOf(world)) ?? '{}') as unknown);
  const entries = Object.entries((found ?? {}) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.flatMap(([id, value]) => termsIn(value).map((terms) => [id, terms] as const)));
}

/** Returns the terms in a value of the file, if it is what this program writes: anyone may have edited it. */
function termsIn(value: unknown): readonly SavedQuote[] {
  const { pair, side, cngnAmount, price, tokenAmount, expiresAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const areTexts =
    typeof pair === 'string' && typeof side === 'string' && typeof cngnAmount === 'string' && typeof price === 'string';
  if (!areTexts) return [];
  const more = {
    ...(typeof tokenAmount === 'string' ? { tokenAmount } : {}),
    ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
  };
  return [{ pair, side, cngnAmount, price, ...more }];
}

function attemptJson(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
