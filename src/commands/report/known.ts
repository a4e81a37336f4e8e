import { joined } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Zone } from '../../base/zone.ts';
import { because, type NamedFigure, reasonsOf, textOfReason } from '../../copy/questions/reasons.ts';
import type { Outcome } from '../../engine/outcome.ts';
import { ASSET_LABEL } from '../../money/amount.ts';
import { type Figure, isKnown, type NotKnown } from '../../money/figure.ts';
import type { Below, Result } from '../../present/result.ts';
import { titleOf } from '../../present/text.ts';
import { timeText } from '../../present/times.ts';
import { switchOn } from '../../terminal/parse/parameters.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const isFigure = (value: object): value is Figure => 'asset' in value && 'minor' in value;

/** A figure by its field and its asset: `fees paid in cNGN`. */
const nameOf = (field: string, { asset }: Figure): string =>
  `${titleOf(field).toLowerCase()}${asset ? ` in ${ASSET_LABEL[asset]}` : ''}`;

/** Returns the figures of a document that are not known exactly, those of its rows too. */
function unknownIn(data: unknown, name = ''): readonly NamedFigure[] {
  if (typeof data !== 'object' || data === null) return [];
  if (Array.isArray(data)) return data.flatMap((each) => unknownIn(each, name));
  if (isFigure(data)) return isKnown(data.known) ? [{ name: nameOf(name, data), figure: data }] : [];
  return Object.entries(data).flatMap(([field, value]) =>
    // Counts have no asset, and one reason together.
    field === 'countsKnown' && isKnown(value)
      ? [{ name: 'counts', figure: { asset: null, minor: null, known: value } }]
      : unknownIn(value, field),
  );
}

const sentence = ({ why, since, rows }: NotKnown, zone: Zone): string =>
  textOfReason(why).says(since === null ? undefined : (timeText(since, { zone }, true) ?? since), rows);

/** Says below a report why its figures are not known, and what to type, once per reason; nothing if all are known. */
export function reasonLines(data: unknown, zone: Zone): readonly Below[] {
  const reasons = reasonsOf(unknownIn(data));
  if (reasons.length === 0) return [];
  return [
    {
      title: 'Not known',
      isAlways: true,
      rows: reasons.map((each) => ({ why: sentence(each, zone), hint: String(textOfReason(each.why).hint) })),
      columns: [
        { field: 'why', title: 'Why' },
        { field: 'hint', title: 'What to do' },
      ],
    },
  ];
}

export const completeOption = switchOn('--complete', 'exit with 9 if any figure is not known');

/** How many figures a message names. */
const MOST_NAMED = 4;

/** The error of a report that must be complete, and has figures that are not known, or lists that may lack rows. */
export function incomplete(data: unknown, zone: Zone, partial: readonly string[] = []): CliError | undefined {
  const found = unknownIn(data);
  const reasons = [...reasonsOf(found), ...(partial.length > 0 ? [because('LIST_INCOMPLETE')] : [])];
  if (reasons.length === 0) return undefined;
  const names = [...new Set([...found.map(({ name }) => name), ...partial.map((list) => `the rows of ${list}`)])];
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED + 1} more` : '';
  const shown = more ? names.slice(0, MOST_NAMED - 1) : names;
  const why = [...new Set(reasons.map((each) => sentence(each, zone)))];
  const hints = reasons.map((each) => textOfReason(each.why).hint);
  return new CliError('declined', `not known exactly: ${shown.join(', ')}${more}: ${why.join('; ')}`, {
    code: 'NOT_KNOWN',
    hint: joined([...new Map(hints.map((each) => [String(each), each])).values()], '; '),
  });
}

/** A report of figures: what it prints, why some are not known, and the error of one that must be complete. */
export function reported(
  { globals: { zone } }: Terminal,
  isComplete: boolean,
  { below = [], ...result }: Result,
  partial: readonly string[] = [],
): Outcome {
  const { data } = result;
  const error = isComplete ? incomplete(data, zone, partial) : undefined;
  const shown = { ...result, hasFigures: true, below: [...[below].flat(), ...reasonLines(data, zone)] } as const;
  return { result: shown, ...(error ? { error } : {}) };
}
