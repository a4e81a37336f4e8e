import type { Panel } from './result.ts';

const WIDTH = 960;
const PLOT = 160;
const MARGIN = 24;
/** The height of a panel, with its title and the labels below it. */
const HEIGHT = PLOT + 72;
/** How many labels fit below the bars. */
const MOST_LABELS = 8;

/** Draws amounts as bars on both sides of zero, each panel in its own scale, as an SVG document for a browser or a page. */
export function barsSvg(title: string, panels: readonly Panel[]): string {
  const height = 40 + panels.length * HEIGHT;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title" font-family="sans-serif" font-size="12">`,
    `<title id="title">${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${MARGIN}" y="26" font-size="16" font-weight="bold">${escaped(title)}</text>`,
    ...panels.flatMap((panel, index) => panelLines(panel, 40 + index * HEIGHT)),
    '</svg>\n',
  ].join('\n');
}

const escaped = (text: string) => text.replace(/[<>&"]/g, (each) => `&#${each.charCodeAt(0)};`);

function panelLines({ title, points }: Panel, top: number): string[] {
  const minors = points.flatMap(({ size }) => size ?? []);
  const high = minors.reduce((most, minor) => (minor > most ? minor : most), 0n);
  const low = minors.reduce((least, minor) => (minor < least ? minor : least), 0n);
  const range = high - low || 1n;
  // Exact to a thousandth of the height, whatever the size of the amounts.
  const down = (minor: bigint) => top + 40 + (Number(((high - minor) * 1000n) / range) * PLOT) / 1000;
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, points.length);
  const every = Math.ceil(points.length / MOST_LABELS);
  const bars = points.flatMap(({ label, size, text, isBound }, index) => {
    const [from, to] = [down(0n), down(size ?? 0n)];
    const x = (MARGIN + index * step).toFixed(1);
    // A bound is paler.
    const color = `${(size ?? 0n) < 0n ? '#b3461b' : '#1b6eb3'}"${isBound ? ' fill-opacity="0.5' : ''}`;
    const bar = `<rect x="${x}" y="${Math.min(from, to).toFixed(1)}" width="${(step * 0.8).toFixed(1)}" height="${Math.abs(from - to).toFixed(1)}" fill="${color}"><title>${escaped(`${label}: ${text}`)}</title></rect>`;
    const mark = `<text x="${x}" y="${(from - 4).toFixed(1)}" fill="#666">?<title>${escaped(`${label}: not known`)}</title></text>`;
    const drawn = size === null ? mark : bar;
    return index % every === 0 ? [drawn, `<text x="${x}" y="${top + PLOT + 58}">${escaped(label)}</text>`] : [drawn];
  });
  const most = points.find(({ size }) => size !== null && size === (high > 0n ? high : low));
  const scale = most ? `${most.label}: ${most.text}` : '';
  return [
    `<text x="${MARGIN}" y="${top + 24}" font-weight="bold">${escaped(title)}</text>`,
    `<text x="${WIDTH - MARGIN}" y="${top + 24}" text-anchor="end">${escaped(scale)}</text>`,
    `<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${down(0n).toFixed(1)}" y2="${down(0n).toFixed(1)}" stroke="#999"/>`,
    ...bars,
  ];
}
