import type { World } from '../../base/world.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import { shownText } from '../../present/shown-text.ts';
import { visible } from '../../present/text.ts';
import { wrap } from '../../present/width.ts';

/** If there is less room for values, they stand below their labels. */
const NARROWEST = 20;
const INDENT = 4;

/** Prints labels and aligned values, wrapped between words to the width of the terminal. */
export async function printLines(
  { stderr }: World,
  print: (text: string) => Promise<void>,
  lines: readonly ShownLine[],
): Promise<void> {
  const columns = stderr.columns || Number.POSITIVE_INFINITY;
  const width = Math.max(...lines.map(([label]) => label.length));
  const rest = columns - width - INDENT;
  const isBelow = rest < NARROWEST;
  const room = isBelow ? Math.max(columns - INDENT, 1) : rest;
  for (const [label, value] of lines) {
    if (isBelow) await print(`  ${label}`);
    // Off a terminal, somebody searches the text for an address as it was typed.
    const shown = stderr.isTerminal ? shownText(value, room) : visible(value);
    for (const [index, line] of wrap(shown, room).entries())
      await print(isBelow ? `${' '.repeat(INDENT)}${line}` : `  ${(index ? '' : label).padEnd(width)}  ${line}`);
  }
}
