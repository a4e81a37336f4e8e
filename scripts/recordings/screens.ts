import { createRequire } from 'node:module';
import type { IBufferCell, Terminal } from '@xterm/headless';

/** How a cell looks. A color is `#rrggbb`, or undefined for the terminal's own. */
export interface Look {
  readonly color: string | undefined;
  readonly background: string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
}

/** A character and how many columns it takes: 2 if it is wide. */
export interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly look: Look;
}

export interface Screen {
  readonly rows: readonly (readonly Cell[])[];
  /** Undefined while it is hidden. */
  readonly cursor: { readonly row: number; readonly column: number } | undefined;
}

export const FOREGROUND = '#d6deeb';
export const BACKGROUND = '#10161f';

/** The colors that a program calls by number. Each is easy to read on the background, black excepted. */
const NAMED = [
  '#10161f',
  '#ff7b72',
  '#7ee787',
  '#e3b341',
  '#79b8ff',
  '#d2a8ff',
  '#56d4dd',
  '#c9d1d9',
  '#8b949e',
  '#ffa198',
  '#a5f3a8',
  '#f2cc60',
  '#a5d6ff',
  '#e2c5ff',
  '#9be9f0',
  '#ffffff',
];

const hex = (value: number) => `#${value.toString(16).padStart(6, '0')}`;

/** The other 240 colors: a cube of six steps each way, then greys. */
function colorOfNumber(number: number): string {
  const named = NAMED[number];
  if (named) return named;
  if (number >= 232) return hex((8 + (number - 232) * 10) * 0x010101);
  const step = (place: number) => {
    const level = Math.floor((number - 16) / place) % 6;
    return level === 0 ? 0 : 55 + level * 40;
  };
  return hex((step(36) << 16) | (step(6) << 8) | step(1));
}

function lookOf(cell: IBufferCell): Look {
  const color = cell.isFgDefault() ? undefined : cell.isFgRGB() ? hex(cell.getFgColor()) : named(cell.getFgColor());
  const behind = cell.isBgDefault() ? undefined : cell.isBgRGB() ? hex(cell.getBgColor()) : named(cell.getBgColor());
  const isInverse = cell.isInverse() !== 0;
  return {
    color: isInverse ? (behind ?? BACKGROUND) : color,
    background: isInverse ? (color ?? FOREGROUND) : behind,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
}

const named = colorOfNumber;

function rowOf({ buffer: { active } }: Terminal, row: number, columns: number): Cell[] {
  const line = active.getLine(active.baseY + row);
  const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column));
  return cells.flatMap((cell) => {
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) return [];
    return [{ text: cell.getChars() || ' ', columns: cell.getWidth(), look: lookOf(cell) }];
  });
}

/** Returns what a terminal shows after the first `ends[0]` characters of a program's output, after `ends[1]`, and so on. */
export async function screensAt(
  output: string,
  ends: readonly number[],
  { columns, rows }: { readonly columns: number; readonly rows: number },
): Promise<Screen[]> {
  const terminal = newTerminal(columns, rows);
  let isCursorHidden = false;
  for (const [final, hides] of [
    ['h', false],
    ['l', true],
  ] as const)
    terminal.parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
      if (parameters.includes(25)) isCursorHidden = hides;
      return false;
    });
  const screens: Screen[] = [];
  let at = 0;
  for (const end of ends) {
    const more = output.slice(at, end);
    await new Promise<void>((resolve) => terminal.write(more, resolve));
    at = end;
    const { cursorX: column, cursorY: row } = terminal.buffer.active;
    screens.push({
      rows: Array.from({ length: rows }, (_, each) => rowOf(terminal, each, columns)),
      cursor: isCursorHidden ? undefined : { row, column },
    });
  }
  terminal.dispose();
  return screens;
}

/** Its package names no file that Node could import. */
function newTerminal(cols: number, rows: number): Terminal {
  const { Terminal: Headless } = createRequire(import.meta.url)('@xterm/headless') as typeof import('@xterm/headless');
  return new Headless({ cols, rows, allowProposedApi: true });
}

/** The text of a screen, without the blanks at the ends of lines. */
export const textOf = ({ rows }: Screen): string =>
  rows
    .map((row) =>
      row
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n')
    .trimEnd();
