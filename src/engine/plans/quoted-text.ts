import { visible } from '../../present/text.ts';

/** Longer than anything an honest author writes. */
const MAX_CHARACTERS = 200;

/** Shows a text of somebody else: what a terminal would hide or act on is escaped, and a long text is cut. */
export function quotedText(text: string, maximum = MAX_CHARACTERS): string {
  const shown = visible(text);
  const characters = [...shown];
  if (characters.length <= maximum) return shown;
  return `${characters.slice(0, maximum).join('')}… (cut; ${characters.length} characters)`;
}
