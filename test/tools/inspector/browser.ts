import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { type AtEnd, type Home, newHome, requireBuilt, startFiatrail, temporaryFolder } from '../../support/built.ts';
import { programOf } from '../programs.ts';
import { startFirefox } from './firefox.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The browser that the tests of the inspector run in: vitest.tools.config.ts has a project for each. */
    readonly browser?: 'chromium' | 'firefox';
  }
}

/** What opens pages, with what is theirs alone. */
export type Contexts = Pick<Browser, 'newContext'>;

/** What Chromium gets: no network but the page's, and nothing of this machine's user. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
];

/** Starts Chromium for all tests of a file. */
export async function startBrowser(atEnd: AtEnd, ...flags: readonly string[]): Promise<Browser> {
  requireBuilt();
  const executablePath = programOf('chromium', 'chromium');
  const browser = await chromium.launch({ executablePath, args: [...FLAGS, ...flags] });
  atEnd(() => browser.close());
  return browser;
}

/** Starts the browser of this run for all tests of a file. */
export async function startContexts(atEnd: AtEnd): Promise<Contexts> {
  requireBuilt();
  return inject('browser') === 'firefox' ? startFirefox(atEnd) : startBrowser(atEnd);
}

/** A page of an inspector, entered. */
export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page said was wrong: errors of scripts, and what the content security policy stopped. */
  readonly problems: readonly string[];
}

export async function openPage(
  browser: Contexts,
  url: string,
  atEnd: AtEnd,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  atEnd(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (said) => said.type() === 'error' && problems.push(said.text()));
  await page.goto(url);
  await page.locator('nav').waitFor();
  const { colorScheme, reducedMotion, viewport } = options;
  for (const [query, wanted] of [
    ['prefers-color-scheme', colorScheme],
    ['prefers-reduced-motion', reducedMotion],
    ['width', viewport && `${viewport.width}px`],
  ])
    if (wanted) expect(await page.evaluate(`matchMedia('(${query}: ${wanted})').matches`), query ?? '').toBe(true);
  return { page, context, problems };
}

/** Goes to another pane of the page. */
export async function go(page: Page, hash: string): Promise<void> {
  // As a text, because these tests are not compiled for a browser.
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.locator('main').waitFor();
}

/** A sandbox with its inspector. */
export interface Inspected {
  readonly home: Home;
  readonly url: string;
  readonly apiKey: string;
  readonly inspector: string;
}

const end = (running: ReturnType<typeof startFiatrail>) => async () => {
  running.kill('SIGTERM');
  await running.end;
};

export const serveInspected = (atEnd: AtEnd, ...more: string[]): Promise<Inspected> =>
  serveHome(newHome(atEnd), atEnd, ...more);

/** Serves the sandbox of a home with its inspector. */
export async function serveHome(home: Home, atEnd: AtEnd, ...more: string[]): Promise<Inspected> {
  const words = ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '--pace', 'instant', '--inspect', ...more];
  const running = startFiatrail(home, [...words, '--webhooks-to-loopback', '-o', 'json']);
  atEnd(end(running));
  const { url, apiKey, inspector } = JSON.parse(await running.firstLine()) as Record<string, string>;
  return { home, url: url ?? '', apiKey: apiKey ?? '', inspector: inspector ?? '' };
}

/** The address of `fiatrail inspect`. */
export async function inspectHome(home: Home, atEnd: AtEnd, ...words: string[]): Promise<string> {
  const running = startFiatrail(home, ['inspect', ...words, '-o', 'json']);
  atEnd(end(running));
  return (JSON.parse(await running.firstLine()) as { url: string }).url;
}

/** Asks a served sandbox for something, whatever it answers. */
export async function send({ url, apiKey }: Inspected, path: string, body?: object | string): Promise<unknown> {
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = body === undefined ? { headers } : { method: 'POST', headers, body: text };
  const answer = await fetch(path.startsWith('/_') ? new URL(path, url) : `${url}${path}`, init);
  return answer.json().catch(() => ({}));
}

export const newFolder = temporaryFolder;
