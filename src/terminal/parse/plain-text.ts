import { CliError } from '../../base/errors.ts';
import { hasControls, visible } from '../../present/text.ts';
import { word } from './parameters.ts';

/**
 * Parses a text that others will read, such as a label. Throws CliError usage for a character that a terminal hides or acts on: a name with
 * a bidirectional control can read like another name.
 */
export const plainText = (text: string): string => {
  const given = word(text);
  if (!hasControls(given)) return given;
  const shown = visible(given);
  throw new CliError(
    'usage',
    `"${shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}" has a control or invisible character`,
    { hint: 'type the text again without it' },
  );
};
