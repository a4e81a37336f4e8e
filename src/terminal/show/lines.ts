import type { World } from '../../base/world.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { wrap } from '../../present/width.ts';

/** If a value has fewer columns than this, the terminal wraps the lines. */
const NARROWEST = 20;

/** Prints labels and aligned values, wrapped between words to the width of the terminal. */
export async function printLines(
  { stderr }: World,
  print: (text: string) => Promise<void>,
  lines: readonly ShownLine[],
): Promise<void> {
  const width = Math.max(...lines.map(([label]) => label.length));
  const room = (stderr.columns || Number.POSITIVE_INFINITY) - width - 4;
  for (const [label, value] of lines) {
    for (const [index, line] of wrap(value, Math.max(room, NARROWEST)).entries())
      await print(`  ${(index ? '' : label).padEnd(width)}  ${line}`);
  }
}
