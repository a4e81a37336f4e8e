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

/** Styles text that is safe for a terminal. Empty text stays empty. */
export type Paint = (text: string, style: Style) => string;

const plain: Paint = (text) => text;

/** Returns the function that styles text. Without color it returns text unchanged, and chalk is not loaded. */
export async function openPaint(isColored: boolean): Promise<Paint> {
  if (!isColored) return plain;
  const { default: chalk } = await import('chalk');
  // 16 colors. Without a level, chalk would decide itself from the streams, the environment and the arguments.
  const colored = new chalk.Instance({ level: 1 });
  return (text, style) => colored[style](text);
}
