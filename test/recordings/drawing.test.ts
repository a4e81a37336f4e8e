import { expect, test } from 'vitest';
import { draw } from '../../scripts/recordings/drawing.ts';
import { screensAt, textOf } from '../../scripts/recordings/screens.ts';

const SIZE = { columns: 20, rows: 3 };
const WORDS = { title: 'a & b', about: 'c < d', command: 'e "f"' };

/** Draws what a terminal shows at the end of an output. */
async function drawn(output: string): Promise<string> {
  const screens = await screensAt(output, [output.length], SIZE);
  return draw({ ...WORDS, frames: screens.map((screen) => ({ screen, shownMs: 100 })) });
}

/** The drawing of the rows, without what surrounds them. */
const rowsOf = (svg: string) => (/<defs>\n(.*)\n<\/defs>/s.exec(svg)?.[1] ?? '').split('\n');

test.each([
  ['plain text', 'ab', '<text x="0" y="13.5" textLength="16.8">ab</text>'],
  ['a named color', '\u001b[32mok\u001b[39m', '<text x="0" y="13.5" textLength="16.8" fill="#7ee787">ok</text>'],
  ['a numbered color', '\u001b[38;5;208mx', '<text x="0" y="13.5" textLength="8.4" fill="#ff8700">x</text>'],
  ['a grey', '\u001b[38;5;240mx', '<text x="0" y="13.5" textLength="8.4" fill="#585858">x</text>'],
  ['any color', '\u001b[38;2;1;2;3mx', '<text x="0" y="13.5" textLength="8.4" fill="#010203">x</text>'],
  ['bold', '\u001b[1mx', '<text x="0" y="13.5" textLength="8.4" font-weight="bold">x</text>'],
  ['dim', '\u001b[2mx', '<text x="0" y="13.5" textLength="8.4" opacity="0.65">x</text>'],
  [
    'italic and underlined',
    '\u001b[3;4mx',
    '<text x="0" y="13.5" textLength="8.4" font-style="italic" text-decoration="underline">x</text>',
  ],
  [
    'inverse',
    '\u001b[7mx',
    '<rect x="0" width="8.4" height="18" fill="#d6deeb"/><text x="0" y="13.5" textLength="8.4" fill="#10161f">x</text>',
  ],
  [
    'wide characters, and what follows them',
    '漢x  y',
    '<text x="0" y="13.5" textLength="25.2">漢x</text><text x="42" y="13.5" textLength="8.4">y</text>',
  ],
  ['the sign of the Naira and boxes', '₦5 ──', '<text x="0" y="13.5" textLength="42">₦5 ──</text>'],
  ['characters of XML', '<&>"', '<text x="0" y="13.5" textLength="33.6">&lt;&amp;&gt;&quot;</text>'],
  [
    'columns, each at its own place',
    ' a   b',
    '<text x="8.4" y="13.5" textLength="8.4">a</text><text x="42" y="13.5" textLength="8.4">b</text>',
  ],
  ['a line that was overwritten', 'before\r\u001b[Kx', '<text x="0" y="13.5" textLength="8.4">x</text>'],
])('draws %s', async (_, output, drawing) => {
  expect(rowsOf(await drawn(output))).toEqual([`<g id="r0">${drawing}</g>`]);
});

test('scrolls as a terminal does', async () => {
  const output = '1\r\n2\r\n3\r\n4';
  const [before, after] = await screensAt(output, [7, output.length], SIZE);
  expect([before, after].map((screen) => screen && textOf(screen))).toEqual(['1\n2\n3', '2\n3\n4']);
});

test('draws the cursor unless it is hidden', async () => {
  const cursor = '<rect x="8.4" y="0" width="8.4" height="18"';
  expect(await drawn('x')).toContain(cursor);
  expect(await drawn('x\u001b[?25l')).not.toContain(cursor);
  expect(await drawn('\u001b[?25lx\u001b[?25h')).toContain(cursor);
});

test('shows the frames in their order, each as long as it says, and the last one where nothing moves', async () => {
  const screens = await screensAt('abc', [1, 2, 3], SIZE);
  const svg = draw({ ...WORDS, frames: screens.map((screen, at) => ({ screen, shownMs: [100, 300, 400][at] ?? 0 })) });
  const places = [
    '0%{transform:translateX(0px)}',
    '12.5%{transform:translateX(-168px)}',
    '50%{transform:translateX(-336px)}',
  ];
  expect(svg).toContain(`@keyframes play{${places.join('')}100%{transform:translateX(-336px)}}`);
  expect(svg).toContain('.film{transform:translateX(-336px);animation:play 0.8s step-end infinite}');
  expect(svg).toContain('@media (prefers-reduced-motion:reduce){.film{animation:none}}');
  expect([...svg.matchAll(/<g transform="translate\((-?\d+)\)">/g)].map(([, x]) => x)).toEqual(['0', '168', '336']);
});

test('joins frames that look the same, and draws a row of several frames once', async () => {
  const screens = await screensAt('a\r\nb', [3, 3, 4], SIZE);
  const svg = draw({ ...WORDS, frames: screens.map((screen) => ({ screen, shownMs: 500 })) });
  expect(svg.match(/<g transform="translate\(\d+\)"/g)).toHaveLength(2);
  expect(svg.match(/>a<\/text>/g)).toHaveLength(1);
  expect(svg.match(/href="#r0"/g)).toHaveLength(2);
  expect(svg).toContain('animation:play 1s');
});

test('writes what happens elsewhere below the frame that it belongs to', async () => {
  const screens = await screensAt('ab', [1, 2], SIZE);
  const frames = screens.map((screen, at) => ({ screen, shownMs: 500, note: at === 0 ? 'paid <here>' : undefined }));
  expect(draw({ ...WORDS, frames }).match(/paid &lt;here&gt;<\/text><\/g>/g)).toHaveLength(1);
});

test('names and describes itself', async () => {
  const svg = await drawn('x');
  expect(svg).toContain('<title id="title">a &amp; b</title>\n<desc id="about">c &lt; d</desc>');
  expect(svg).toContain(' role="img" aria-labelledby="title about"');
  expect(svg).toContain('text-anchor="middle">e &quot;f&quot;</text>');
});
