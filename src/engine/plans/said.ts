import { visible } from '../../present/text.ts';

/** Longer than anything an honest author writes. */
const MOST = 200;

/** Shows a text of somebody else: what a terminal would hide or act on is escaped, and a long text is cut. */
export function said(text: string, most = MOST): string {
  const shown = visible(text);
  const characters = [...shown];
  if (characters.length <= most) return shown;
  return `${characters.slice(0, most).join('')}… (cut; ${characters.length} characters)`;
}
