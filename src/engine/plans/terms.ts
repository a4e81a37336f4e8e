import { isWireNumber, wireNumberText } from '../../money/decimal.ts';
import type { PlannedLine, Terms } from './plan.ts';

/** Returns what is different now, each with what it was and what it is: `fees: ₦100.00 before, ₦120.00 now`. Empty if nothing is. */
export function changesBetween(planned: Terms, now: Terms): string[] {
  const shown = [...lineChanges(planned.lines, now.lines), ...lineChanges(planned.previews, now.previews)];
  const request = fieldChanges(planned.request, now.request, 'request');
  const { lines: _, previews: _previews, request: _request, ...rest } = planned;
  const others = fieldChanges(rest, { ...now, lines: undefined, previews: undefined, request: undefined }, '');
  // People know the lines; the fields say the same again.
  return shown.length > 0 ? shown : [...request, ...others];
}

/** Compares lines by their labels. A label may occur more than once. */
function lineChanges(planned: readonly PlannedLine[], now: readonly PlannedLine[]): string[] {
  const valuesOf = (lines: readonly PlannedLine[], label: string) =>
    lines.flatMap(([each, value]) => (each === label ? [value] : [])).join('; ');
  const labels = [...new Set([...planned, ...now].map(([label]) => label))];
  return labels.flatMap((label) => {
    const [before, after] = [valuesOf(planned, label), valuesOf(now, label)];
    return before === after ? [] : [changed(label, before, after)];
  });
}

const changed = (what: string, before: string, after: string) =>
  `${what}: ${before || 'nothing'} before, ${after || 'nothing'} now`;

type Fields = Readonly<Record<string, unknown>>;

function fieldChanges(planned: object, now: object, where: string): string[] {
  const names = [...new Set([...Object.keys(planned), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [before, after] = [textOf((planned as Fields)[name]), textOf((now as Fields)[name])];
    return before === after ? [] : [changed([where, name].filter(Boolean).join(' '), before, after)];
  });
}

/** A value as JSON; empty if it is missing. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isWireNumber(value) ? wireNumberText(value) : JSON.stringify(value);
}
