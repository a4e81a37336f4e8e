import type { OutputStream, World } from '../base/world.ts';

/** Whether output to a stream has color. NO_COLOR holds if it is not empty (no-color.org). */
export function hasColor(
  when: 'auto' | 'always' | 'never',
  { isTerminal }: Pick<OutputStream, 'isTerminal'>,
  env: World['env'],
): boolean {
  return when === 'auto' ? isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' : when === 'always';
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text that is safe for a terminal. Does not style the empty text. */
export type Paint = (text: string, style: Style) => string;

const plain: Paint = (text) => text;

/** Returns what styles texts, which changes nothing without color. Loads chalk only for color. */
export async function openPaint(isColored: boolean): Promise<Paint> {
  if (!isColored) return plain;
  const { default: chalk } = await import('chalk');
  // The level of terminals with 16 colors. chalk would judge the streams, the environment and the arguments by rules of its own.
  const colored = new chalk.Instance({ level: 1 });
  return (text, style) => colored[style](text);
}
