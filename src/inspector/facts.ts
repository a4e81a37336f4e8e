import { whyOfOne } from '../copy/questions/reasons.ts';
import { type Figure, figureForPeople } from '../money/figure.ts';
import { valueAt } from '../present/content.ts';
import { amountWords, isPlainAmount, type Plain, type PlainObject } from '../present/plain.ts';
import { factsIn, fieldWithValue, timesOf } from '../things/fields.ts';
import type { Thing } from '../things/thing.ts';

/** A figure of a thing: in words, or why it is not known. */
export interface ShownAmount {
  readonly title: string;
  readonly text: string | null;
  readonly why: string | null;
}

/** What a row says of a thing, by its record: a fact that the record gains is shown without another line of code. */
interface ShownFacts {
  readonly amounts: readonly ShownAmount[];
  /** Where the row has what is no figure and no time: what is personal is recognised by its field. */
  readonly facts: readonly { readonly title: string; readonly field: string }[];
  readonly times: readonly { readonly at: string; readonly what: string }[];
}

const NOT_STATED = 'the service does not state it';

/** Reads all facts of a thing out of a row. */
export function shownFacts(thing: Pick<Thing, 'facts' | 'amount'>, row: PlainObject): ShownFacts {
  const figures = new Map<string, ShownAmount>();
  for (const { title, fields, kind } of thing.facts)
    if (kind === 'amount') {
      const shown = amountAt(row, title, fields);
      if ((figures.get(title)?.text ?? null) === null) figures.set(title, shown);
    }
  const isFigure = new Set(thing.facts.flatMap(({ kind, fields }) => (kind === 'amount' ? fields : [])));
  return {
    amounts: [...figures.values()],
    facts: factsIn(thing, row).filter(({ field }) => !isFigure.has(field)),
    times: timesOf(thing).flatMap(({ title, fields }) => {
      const at = fields.map((field) => plainAt(row, field)).find((value) => typeof value === 'string');
      return typeof at === 'string' ? [{ at, what: title }] : [];
    }),
  };
}

/** A figure of a report as an amount of a thing. */
export const shownFigure = (title: string, figure: Figure): ShownAmount =>
  figure.minor === null
    ? { title, text: null, why: figure.known ? whyOfOne(figure.known) : NOT_STATED }
    : { title, text: figureForPeople(figure), why: null };

const plainAt = (row: PlainObject, field: string): Plain | undefined => valueAt(row as Plain, field.split('.'));

function amountAt(row: PlainObject, title: string, fields: readonly string[]): ShownAmount {
  const field = fieldWithValue(row, fields);
  const value = field === undefined ? undefined : plainAt(row, field);
  if (!isPlainAmount(value)) return { title, text: null, why: NOT_STATED };
  if (value.unit !== undefined) return { title, text: null, why: `the service states ${value.value} without its unit` };
  if (value.value === null) return { title, text: null, why: value.known ? whyOfOne(value.known) : NOT_STATED };
  return { title, text: amountWords(value), why: null };
}
