import { amountWords, isPlainAmount, type Plain } from '../../present/plain.ts';
import { valueAt } from '../../things/fields.ts';
import type { ServiceList } from '../../things/thing.ts';

/** What a person recognises a row by, in the form that -o json prints: `buy`, `CNGN-USDC`, `1,300.00 cNGN`, and its status. */
export function labelOf({ label, status }: Pick<ServiceList, 'label' | 'status'>, row: Plain) {
  const texts = label.map((field) => {
    const value = valueAt(row, field);
    return { field, text: isPlainAmount(value) ? amountWords(value) : value };
  });
  const known = texts.flatMap(({ field, text }) => (typeof text === 'string' && text !== '' ? [{ field, text }] : []));
  return {
    what: known.flatMap(({ field, text }) => (field === status ? [] : [text])).join(' '),
    status: known.find(({ field }) => field === status)?.text,
  };
}
