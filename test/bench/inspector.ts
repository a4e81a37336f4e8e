import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { inTurn, outputOf, residentMb } from './measure.ts';
import type { Figure, Row, Target } from './report.ts';
import { cpuMs } from './server-time.ts';
import { median, quantile, ratios } from './statistics.ts';
import { type Load, type Shot, shoot, shootInTurn } from './throughput.ts';
import type { Served, Workshop } from './workshop.ts';

const PAINT_LIMIT_MS = 1_000;
/** The first page, over everything that the sandbox has. */
const NOW_LIMIT_MS = 500;
/** From the response to a request to its row in an open page. */
const LIVE_LIMIT_MS = 300;
const PAGE_LIMIT_KB = 250;
const TAB_LIMIT_MB = 150;
/** How many rows the sandbox of the first page has. */
const NOW_ROWS = 200_000;
const START_LIMIT_MS = 60;
/** Reads after which the memory is looked at. */
const READS = 30_000;
/** Frames that are scrolled in each run, by how many pixels each, and the height of a row. */
const [FRAMES, PIXELS, ROW_PIXELS] = [200, 400, 34];

/** How many requests the page lists, how many rows its longest list has, and how often it is opened. */
export interface InspectorSize extends Load {
  readonly requests: number;
  readonly workRows: number;
  readonly paints: number;
}

interface Inspected extends Served {
  readonly inspector: string;
}

/** Measures what `sandbox serve --inspect` costs, its page with many requests, and how soon a sandbox in a program is ready. */
export async function measureInspector(shop: Workshop, size: InspectorSize): Promise<Row[]> {
  const rows = startRows(shop, size.paints);
  const chromiumPath = pathOf('chromium');
  const [plain, inspected] = [await serve(shop, 'plain'), (await serve(shop, 'inspected', '--inspect')) as Inspected];
  const servers = { plain, inspected };
  rows.push(await memoryRow(servers));
  if (chromiumPath === undefined) rows.push({ name: 'page of the inspector', why: 'chromium is not installed' });
  else {
    await shoot(feesAt(inspected), { amount: size.requests - READS });
    const origin = new URL(inspected.inspector).origin;
    const cookie = await enter(inspected.inspector);
    const open = () => openPage(chromiumPath, origin, cookie, '#/requests');
    rows.push(...(await pageRows(open, size)));
    rows.push(await liveRow(open, inspected), await sizeRow(origin));
    rows.push(...(await nowRows(shop, chromiumPath, size)));
    rows.push(await longListRow(shop, chromiumPath, size));
    const { browser } = await open();
    rows.push(...(await loadRows(servers, size)));
    await browser.close();
  }
  await Promise.all([plain, inspected].map((served) => shop.stop(served)));
  return rows;
}

/** Returns the path of a program; undefined if it is not installed. */
const pathOf = (program: string) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));

function serve(shop: Workshop, state: string, ...more: string[]): Promise<Served> {
  outputOf(shop.fiatrail(state, ['sandbox', 'seed', '--users', '250']));
  return shop.serve(
    shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json', ...more]),
  );
}

const headersFor = ({ apiKey }: Served) => ({ 'x-api-key': apiKey, 'content-type': 'application/json' });

const feesAt = (served: Served): Shot => ({
  url: new URL(served.url).origin,
  request: { method: 'GET', path: '/v1/getfees', headers: headersFor(served) },
});

const usersAt = (served: Served): Shot => ({
  url: new URL(served.url).origin,
  request: { method: 'POST', path: '/v1/listfintechusers', headers: headersFor(served), body: '{"limit":20}' },
});

/** Compares figures with a fixed limit. */
function against(name: string, values: readonly number[], limit: number, note?: string): Figure {
  const beside = values.map(() => limit);
  return {
    name,
    unit: 'ms',
    values,
    against: 'limit',
    beside,
    ratios: ratios(values, beside),
    target: { is: 'at most', ratio: 1 },
    ...(note === undefined ? {} : { note }),
  };
}

function startRows(shop: Workshop, runs: number): Row[] {
  const words = [join(import.meta.dirname, 'start-sandbox.cjs'), join(shop.folder, 'fiatrail/dist/kits/sandbox.cjs')];
  const starts = Array.from({ length: runs }, () => JSON.parse(outputOf(shop.node([...words, '21']))) as number[]);
  const firsts = starts.map(([first = Number.NaN]) => first);
  const others = starts.map(([, ...rest]) => median(rest));
  return [
    against('startSandbox, the first in a process', firsts, START_LIMIT_MS),
    against('startSandbox, the median of the next 20', others, START_LIMIT_MS),
  ];
}

type Servers = Readonly<Record<'plain' | 'inspected', Served>>;

async function memoryRow(servers: Servers): Promise<Row> {
  for (const served of Object.values(servers)) await shoot(usersAt(served), { amount: READS });
  const name = `resident memory of sandbox serve --inspect after ${READS.toLocaleString('en')} reads`;
  const [values, beside] = [residentMb(servers.inspected.pid, 'VmRSS'), residentMb(servers.plain.pid, 'VmRSS')];
  if (values === undefined || beside === undefined) return { name, why: 'no /proc here' };
  return compared(name, 'MB', [values], [beside], { is: 'at most', ratio: 1.2 });
}

const compared = (
  name: string,
  unit: Figure['unit'],
  values: readonly number[],
  beside: readonly number[],
  target: Target,
): Figure => ({
  name,
  unit,
  values,
  against: 'without --inspect',
  beside,
  ratios: ratios(values, beside),
  target,
});

/** Reads while a page is open: how many in a second, and the CPU time of one. */
async function loadRows(servers: Servers, size: InspectorSize): Promise<Row[]> {
  const [plain, inspected] = [usersAt(servers.plain), usersAt(servers.inspected)];
  const hits = await shootInTurn({ plain, inspected }, size);
  const perSecond = (of: readonly { readonly perSecond: number }[]) => of.map((each) => each.perSecond);
  const cpu = await inTurn(servers, size.rounds, async (served) => {
    const before = cpuMs(served.pid);
    const { answered } = await shoot(usersAt(served), { amount: 1_000 });
    return (cpuMs(served.pid) - before) / answered;
  });
  const [rate, time] = ['reads of sandbox serve --inspect, a page open', 'CPU time of such a read'];
  return [
    compared(rate, '/s', perSecond(hits.inspected), perSecond(hits.plain), { is: 'at least', ratio: 0.85 }),
    compared(time, 'ms', cpu.inspected, cpu.plain, { is: 'at most', ratio: 1 / 0.85 }),
  ];
}

/** Exchanges the token of the address for the cookie of a session. */
async function enter(url: string): Promise<{ readonly name: string; readonly value: string }> {
  const { origin, hash } = new URL(url);
  const body = JSON.stringify({ token: hash.replace('#token=', '') });
  const answer = await fetch(`${origin}/enter`, { method: 'POST', headers: { origin }, body });
  const [name = '', value = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';')[0]?.split('=') ?? [];
  return { name, value };
}

/** How soon a request that was answered is a row of an open page: the newest one is the first. */
async function liveRow(open: () => ReturnType<typeof openPage>, served: Served): Promise<Row> {
  const { browser, page } = await open();
  const waits: number[] = [];
  for (let run = 0; run < 20; run++) {
    const before = (await page.evaluate(NEWEST)) as string;
    await (await fetch(new URL('/v1/getfees', served.url), { headers: headersFor(served) })).text();
    const answeredAt = performance.now();
    // Not by a function of the page’s own, which its content security policy would not run.
    while ((await page.evaluate(NEWEST)) === before);
    waits.push(performance.now() - answeredAt);
  }
  await browser.close();
  return against(
    'page of the inspector: from a response to its row',
    waits,
    LIVE_LIMIT_MS,
    'The page is told 4 times a second.',
  );
}

/** What tells the newest row of the list from those before. As a text, because nothing here is compiled for a browser. */
const NEWEST = `(document.querySelector('.row')?.id ?? '')`;

/** What is loaded of the page, compressed as a server would. */
async function sizeRow(origin: string): Promise<Row> {
  const texts = await Promise.all(
    ['/', '/page.js', '/page.css'].map(async (path) => (await fetch(`${origin}${path}`)).text()),
  );
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  return { ...against('page of the inspector, compressed', [bytes / 1e3], PAGE_LIMIT_KB), unit: 'kB' };
}

/** The first page of a sandbox with many rows: when it is painted, and what its tab takes. */
async function nowRows(shop: Workshop, chromiumPath: string, { paints }: InspectorSize): Promise<Row[]> {
  const { served, origin, cookie } = await serveHistory(shop, 'many', NOW_ROWS);
  const [painted, memory]: [number[], number[]] = [[], []];
  for (let run = 0; run < paints; run++) {
    const { browser, page, paintedMs } = await openPage(chromiumPath, origin, cookie, '#/now');
    painted.push(paintedMs);
    memory.push(
      (((await page.evaluate('performance.memory?.usedJSHeapSize')) as number | undefined) ?? Number.NaN) / 1e6,
    );
    await browser.close();
  }
  await shop.stop(served);
  const many = `${NOW_ROWS.toLocaleString('en')} rows`;
  return [
    against(`page of the inspector: Now over ${many}`, painted, NOW_LIMIT_MS, 'Each in a browser just started.'),
    { ...against(`JavaScript heap of the tab, Now over ${many}`, memory, TAB_LIMIT_MB), unit: 'MB' },
  ];
}

/** Serves a sandbox with a history of so many transactions, with its inspector. */
async function serveHistory(shop: Workshop, state: string, count: number) {
  outputOf(shop.fiatrail(state, ['sandbox', 'seed', '--users', '250']));
  outputOf(shop.fiatrail(state, ['sandbox', 'seed', '--history', String(count)]));
  const words = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json', '--inspect'];
  const served = (await shop.serve(shop.fiatrail(state, words))) as Inspected;
  return { served, origin: new URL(served.inspector).origin, cookie: await enter(served.inspector) };
}

/** A list that is longer than a browser can make an element: each pixel of its scroll bar is several of its rows’, and a bare list is moved by as many. */
async function longListRow(shop: Workshop, chromiumPath: string, { workRows, paints }: InspectorSize): Promise<Row> {
  const { served, origin, cookie } = await serveHistory(shop, 'longest', workRows);
  const { browser, page } = await openPage(chromiumPath, origin, cookie, '#/work');
  const height = Number(await page.evaluate(`document.querySelector('.rows').scrollHeight`));
  const times = Math.max(1, (workRows * ROW_PIXELS) / height);
  const [frames, bare]: [number[], number[]] = [[], []];
  const other = await browser.newPage();
  await other.setContent(BARE);
  for (let run = 0; run < paints; run++) {
    await page.bringToFront();
    frames.push(quantile((await page.evaluate(scrollBy(PIXELS))) as number[], 0.95));
    await other.bringToFront();
    bare.push(quantile((await other.evaluate(scrollBy(PIXELS * times))) as number[], 0.95));
  }
  await browser.close();
  await shop.stop(served);
  return {
    name: `page of the inspector: a frame while scrolling ${workRows.toLocaleString('en')} rows, p95`,
    unit: 'ms',
    values: frames,
    against: 'a list with nothing else in its page',
    beside: bare,
    ratios: ratios(frames, bare),
    target: { is: 'at most', ratio: 1.1 },
    note: `${FRAMES} frames each, and as many rows a frame.`,
  };
}

/** Notes when the first row of the list is painted. As a text, because nothing here is compiled for a browser. */
const NOTE_ROWS = `(function look() {
  if (document.querySelector('.row .cell, .now .latest li')) requestAnimationFrame(() => { window.paintedAt = performance.now(); });
  else requestAnimationFrame(look);
})()`;

/** A list with nothing else in its page: no program could scroll it with less work. */
const BARE = `<!doctype html><style>
.rows { height: 700px; overflow: auto; contain: strict }
.rows > div { position: relative; height: 10000000px }
.row { position: absolute; inset: 0 0 auto; height: ${ROW_PIXELS}px; display: grid; grid-template-columns: repeat(7, 1fr) }
</style><div class="rows"><div></div></div><script>
const box = document.querySelector('.rows');
const rows = Array.from({ length: 40 }, () => {
  const row = box.firstChild.appendChild(document.createElement('div'));
  row.className = 'row';
  for (let cell = 0; cell < 7; cell++) row.append(document.createElement('span'));
  return row;
});
box.onscroll = () => {
  const first = Math.floor(box.scrollTop / ${ROW_PIXELS});
  for (let at = first; at < first + rows.length; at++) {
    const row = rows[at % rows.length];
    if (row.at === at) continue;
    row.at = at;
    row.style.transform = 'translateY(' + at * ${ROW_PIXELS} + 'px)';
    for (const cell of row.children) cell.textContent = 'row ' + at;
  }
};
</script>`;

const PAINTED_AT = `new Promise((resolve) => {
  (function look() {
    if (window.paintedAt) resolve(window.paintedAt);
    else requestAnimationFrame(look);
  })();
})`;

const scrollBy = (pixels: number) => `new Promise((resolve) => {
  const box = document.querySelector('.rows');
  const times = [];
  let last = performance.now();
  (function step(now) {
    times.push(now - last);
    last = now;
    box.scrollTop += ${pixels};
    if (times.length > ${FRAMES}) resolve(times.slice(1));
    else requestAnimationFrame(step);
  })(last);
})`;

/** Opens the page in a browser that has just been started. */
async function openPage(
  executablePath: string,
  origin: string,
  cookie: { readonly name: string; readonly value: string },
  pane: string,
): Promise<{ readonly browser: Browser; readonly page: Page; readonly paintedMs: number }> {
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ ...cookie, url: origin }]);
  await context.addInitScript(NOTE_ROWS);
  const page = await context.newPage();
  await page.goto(`${origin}/${pane}`);
  return { browser, page, paintedMs: (await page.evaluate(PAINTED_AT)) as number };
}

async function pageRows(open: () => ReturnType<typeof openPage>, { requests, paints }: InspectorSize): Promise<Row[]> {
  const [painted, frames, bare]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < paints; run++) {
    const { browser, page, paintedMs } = await open();
    painted.push(paintedMs);
    const scrolled = async () => quantile((await page.evaluate(scrollBy(PIXELS))) as number[], 0.95);
    frames.push(await scrolled());
    await page.goto('about:blank');
    await page.setContent(BARE);
    bare.push(await scrolled());
    await browser.close();
  }
  const many = `${requests.toLocaleString('en')} requests`;
  return [
    against(`page of the inspector: first rows of ${many}`, painted, PAINT_LIMIT_MS, 'Each in a browser just started.'),
    {
      name: 'page of the inspector: a frame while scrolling, p95',
      unit: 'ms',
      values: frames,
      against: 'a list with nothing else in its page',
      beside: bare,
      ratios: ratios(frames, bare),
      target: { is: 'at most', ratio: 1.2 },
      note: `${FRAMES} frames each, in one browser.`,
    },
  ];
}
