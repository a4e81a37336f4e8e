import { BACKGROUND, type Cell, FOREGROUND, type Look, type Screen } from './screens.ts';

/** A screen and how long it stays. */
export interface Frame {
  readonly screen: Screen;
  readonly shownMs: number;
  /** What happens outside the terminal meanwhile, written below it. */
  readonly note?: string | undefined;
}

export interface Recording {
  readonly title: string;
  /** Says in words what the frames show, for those who do not see them. */
  readonly about: string;
  /** The command in the title bar. */
  readonly command: string;
  readonly frames: readonly Frame[];
}

const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 18;
const FONT_SIZE = 14;
const BASELINE = 13.5;
const MARGIN = 16;
const BAR_HEIGHT = 36;
const NOTE_HEIGHT = 30;
const MUTED = '#8b949e';

/** Every system has one of these. Their widths differ a little; `textLength` makes up for that. */
const FONTS =
  'ui-monospace,SFMono-Regular,Menlo,Consolas,&quot;DejaVu Sans Mono&quot;,&quot;Liberation Mono&quot;,monospace';

const number = (value: number) => String(Number(value.toFixed(3)));

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** Text of one look. It has no two blanks in a row, because SVG would show them as one. */
interface Piece {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly look: Look;
}

const isSame = (one: Look, other: Look) => attributesOf(one) === attributesOf(other);

function piecesOf(row: readonly Cell[]): Piece[] {
  const pieces: Piece[] = [];
  let column = 0;
  for (const { text, columns, look } of row) {
    const last = pieces.at(-1);
    const gap = last ? column - last.column - last.columns : 0;
    if (text === ' ') {
      // Between pieces.
    } else if (last && gap <= 1 && isSame(last.look, look)) {
      const joined = last.text + ' '.repeat(gap) + text;
      pieces[pieces.length - 1] = { ...last, text: joined, columns: last.columns + gap + columns };
    } else {
      pieces.push({ column, columns, text, look });
    }
    column += columns;
  }
  return pieces;
}

function attributesOf({ color, isBold, isDim, isItalic, isUnderlined }: Look): string {
  return [
    color === undefined ? '' : ` fill="${color}"`,
    isBold ? ' font-weight="bold"' : '',
    isDim ? ' opacity="0.65"' : '',
    isItalic ? ' font-style="italic"' : '',
    isUnderlined ? ' text-decoration="underline"' : '',
  ].join('');
}

function drawPiece({ column, columns, text, look }: Piece): string {
  const place = `x="${number(column * CELL_WIDTH)}" y="${BASELINE}" textLength="${number(columns * CELL_WIDTH)}"`;
  return `<text ${place}${attributesOf(look)}>${escaped(text)}</text>`;
}

function drawBackgrounds(row: readonly Cell[]): string {
  let column = 0;
  const drawn: string[] = [];
  for (const { columns, look } of row) {
    const size = `width="${number(columns * CELL_WIDTH)}" height="${CELL_HEIGHT}"`;
    if (look.background) drawn.push(`<rect x="${number(column * CELL_WIDTH)}" ${size} fill="${look.background}"/>`);
    column += columns;
  }
  return drawn.join('');
}

const drawRow = (row: readonly Cell[]) => drawBackgrounds(row) + piecesOf(row).map(drawPiece).join('');

/** Rows that were drawn, by their drawing: most rows are on many frames. */
class Rows {
  readonly #ids = new Map<string, string>();

  use(row: readonly Cell[], at: number): string {
    const drawing = drawRow(row);
    if (drawing === '') return '';
    const id = this.#ids.get(drawing) ?? `r${this.#ids.size}`;
    this.#ids.set(drawing, id);
    return `<use href="#${id}" y="${at * CELL_HEIGHT}"/>`;
  }

  definitions(): string {
    return [...this.#ids].map(([drawing, id]) => `<g id="${id}">${drawing}</g>`).join('\n');
  }
}

function drawCursor({ cursor }: Screen): string {
  if (!cursor) return '';
  const place = `x="${number(cursor.column * CELL_WIDTH)}" y="${cursor.row * CELL_HEIGHT}"`;
  return `<rect ${place} width="${CELL_WIDTH}" height="${CELL_HEIGHT}" fill="${FOREGROUND}" opacity="0.45"/>`;
}

function drawNote(note: string | undefined, y: number): string {
  return note === undefined ? '' : `<text y="${number(y)}" fill="${MUTED}">${escaped(note)}</text>`;
}

/** The film moves by one frame at a time. Without animation, or for readers who want none, its last frame stands still. */
function style(frames: readonly Frame[], width: number): string {
  const place = (index: number) => `transform:translateX(${number(-index * width)}px)`;
  const totalMs = frames.reduce((sum, { shownMs }) => sum + shownMs, 0);
  let atMs = 0;
  const stops = frames.map(({ shownMs }, index) => {
    const stop = `${number((100 * atMs) / totalMs)}%{${place(index)}}`;
    atMs += shownMs;
    return stop;
  });
  const last = place(frames.length - 1);
  return [
    `.film{${last};animation:play ${number(totalMs / 1000)}s step-end infinite}`,
    `@keyframes play{${stops.join('')}100%{${last}}}`,
    '@media (prefers-reduced-motion:reduce){.film{animation:none}}',
  ].join('\n');
}

/** Joins frames that look the same. */
function distinct(frames: readonly Frame[]): Frame[] {
  const kept: Frame[] = [];
  const looks = ({ screen, note }: Frame) => JSON.stringify([screen, note]);
  for (const frame of frames) {
    const last = kept.at(-1);
    if (last && looks(last) === looks(frame))
      kept[kept.length - 1] = { ...last, shownMs: Math.max(last.shownMs, frame.shownMs) };
    else kept.push(frame);
  }
  return kept;
}

/** Draws a recording as an SVG that needs nothing else: no script, no font, no other file. */
export function draw({ title, about, command, frames: all }: Recording): string {
  const frames = distinct(all);
  const [{ screen } = { screen: { rows: [] } }] = frames;
  const columns = Math.max(...screen.rows.map((row) => row.reduce((sum, cell) => sum + cell.columns, 0)));
  const [width, height] = [columns * CELL_WIDTH, screen.rows.length * CELL_HEIGHT];
  const noteHeight = frames.some(({ note }) => note !== undefined) ? NOTE_HEIGHT : 0;
  const [totalWidth, totalHeight] = [width + 2 * MARGIN, BAR_HEIGHT + height + noteHeight + MARGIN];
  const rows = new Rows();
  const film = frames.map((frame, index) => {
    const uses = frame.screen.rows.map((row, at) => rows.use(row, at)).join('');
    const drawn = drawCursor(frame.screen) + uses + drawNote(frame.note, height + NOTE_HEIGHT - 8);
    return `<g transform="translate(${number(index * width)})">${drawn}</g>`;
  });
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (color, at) => `<circle cx="${MARGIN + 6 + at * 20}" cy="18" r="6" fill="${color}"/>`,
  );
  const size = `width="${number(totalWidth)}" height="${number(totalHeight)}"`;
  const view = `width="${number(width)}" height="${number(height + noteHeight)}"`;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${number(totalWidth)} ${number(totalHeight)}" role="img" aria-labelledby="title about" font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${FOREGROUND}">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="about">${escaped(about)}</desc>`,
    `<style>\n${style(frames, width)}\n</style>`,
    `<clipPath id="window"><rect ${view}/></clipPath>`,
    `<defs>\n${rows.definitions()}\n</defs>`,
    `<rect ${size} rx="10" fill="${BACKGROUND}"/>`,
    ...lights,
    `<text x="${number(totalWidth / 2)}" y="22.5" fill="${MUTED}" text-anchor="middle">${escaped(command)}</text>`,
    `<g transform="translate(${MARGIN} ${BAR_HEIGHT})" clip-path="url(#window)">`,
    '<g class="film">',
    ...film,
    '</g>',
    '</g>',
    '</svg>',
  ].join('\n')}\n`;
}
