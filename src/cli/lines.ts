import type { World } from '../base/world.ts';
import { wrap } from '../present/width.ts';

/** Columns of a value below which it is left to the terminal to break. */
const NARROWEST = 20;

/** Labels and values below each other, values aligned and broken between words where the terminal ends. */
export async function printLines(
  { stderr }: World,
  tell: (text: string) => Promise<void>,
  lines: readonly (readonly [label: string, value: string])[],
): Promise<void> {
  const width = Math.max(...lines.map(([label]) => label.length));
  const room = (stderr.columns || Number.POSITIVE_INFINITY) - width - 4;
  for (const [label, value] of lines) {
    for (const [index, line] of wrap(value, Math.max(room, NARROWEST)).entries())
      await tell(`  ${(index ? '' : label).padEnd(width)}  ${line}`);
  }
}
