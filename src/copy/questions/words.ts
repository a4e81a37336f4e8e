import { isWireNumber, wireNumberText } from '../../money/decimal.ts';
import { valueAt } from '../../present/content.ts';
import { amountWords, isPlainAmount, type Plain, type PlainObject } from '../../present/plain.ts';
import { spanText } from '../../present/times.ts';
import { goesOn, meaningIn, waitOf } from '../../things/states.ts';
import type { Thing } from '../../things/thing.ts';

/** The first of some fields that has a text or an amount, as people read it. */
export function textIn(row: PlainObject, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = valueAt(row as Plain, field.split('.'));
    if (isPlainAmount(value)) return amountWords(value);
    if (isWireNumber(value)) return wireNumberText(value);
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** The first of some fields that has an amount; null if none has. */
export function amountIn(row: PlainObject, fields: readonly string[]): Plain {
  const values = fields.map((field) => valueAt(row as Plain, field.split('.')));
  return values.find((value) => value !== undefined && value !== null) ?? null;
}

/** What is known of where something stands. Times are in milliseconds since the epoch. */
interface StatusAt {
  readonly thing: Thing;
  readonly id: string;
  readonly status: string | undefined;
  /** Since when it has this status; NaN if nothing says it. */
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly reason: string | undefined;
}

/** Says what a status means and what to do about it; undefined for things, which have none. */
export function meaningOf({ thing, id, status, sinceMs, nowMs, reason }: StatusAt): string | undefined {
  const isOpen = goesOn(thing, status);
  if (isOpen === undefined || status === undefined) return undefined;
  if (isOpen) {
    const { waits, todo = 'nothing to do' } = waitOf(thing, [status]);
    const span = spanText(nowMs - sinceMs);
    const since = span === undefined ? '' : ` (for ${span})`;
    const follow = thing.read ? `; \`fiatrail ${thing.shows} ${id} --wait\` follows it` : '';
    return `${waits}${since}; ${todo.replace('ID', id)}${follow}`;
  }
  const meaning = meaningIn(thing.states ?? {}, status);
  if (meaning && 'ends' in meaning && meaning.ends === 'good') return 'has completed';
  const because = meaning && 'because' in meaning ? meaning.because : undefined;
  const why = reason ?? because ?? thing.usualReason ?? 'the service gives no reason';
  return [`${status === 'failed' ? 'has failed' : `has failed (${status})`}: ${why}`]
    .concat(thing.afterFailure ?? [])
    .join('; ');
}
