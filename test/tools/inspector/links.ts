import type { BrowserContext, Page } from 'playwright-core';
import { go } from './browser.ts';

/** Where a link of the page leads: a row of a list, or a pane. */
export type Json = Readonly<Record<string, unknown>>;

const PAGE_ROWS = 500;

interface Told {
  readonly status: number;
  readonly data: Json;
}

/** Asks the inspector of a page for JSON, in the session of the page, and for each path once. */
export function asking({ page, context }: { readonly page: Page; readonly context: BrowserContext }) {
  const told = new Map<string, Promise<Told>>();
  const read = async (path: string): Promise<Told> => {
    const response = await context.request.get(new URL(path, page.url()).href);
    return { status: response.status(), data: (await response.json().catch(() => ({}))) as Json };
  };
  return (path: string): Promise<Told> => {
    const known = told.get(path) ?? read(path);
    told.set(path, known);
    return known;
  };
}

export type Ask = ReturnType<typeof asking>;

/** Every row of a list, newest last. */
export async function rowsOf(ask: Ask, list: string, query = ''): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const { data } = await ask(`/api/lists/${list}?from=${rows.length}&limit=${PAGE_ROWS}${query}`);
    const page = data['rows'] as Json[];
    rows.push(...page);
    if (page.length < PAGE_ROWS) return rows;
  }
}

const HREFS = `[...document.querySelectorAll('main a[href], nav a[href]')].map((each) => each.getAttribute('href'))`;

/** The addresses of all links that the page draws at an address, once it is there. */
export async function hrefsAt(page: Page, hash: string): Promise<readonly string[]> {
  await go(page, hash);
  const isRow = hash.split('?')[0]?.split('/').length === 3 && !hash.startsWith('#/book');
  await page
    .locator(isRow ? '.detail h2' : 'main :is(.row, .card, .found, .count, .note)')
    .first()
    .waitFor();
  return (await page.evaluate(HREFS)) as string[];
}

/** Why an address leads nowhere; undefined if it leads somewhere. */
export async function whyDead(ask: Ask, href: string): Promise<string | undefined> {
  const [path = '', query = ''] = href.replace(/^#\//, '').split('?');
  const [pane = '', id] = path.split('/');
  const { data: about } = await ask('/api/about');
  const has = (kind: string) => (about[kind] as string[]).includes(pane);
  if (has('documents')) return undefined;
  if (!has('lists')) return `${href}: there is no such pane`;
  if (id !== undefined) {
    const { status } = await ask(`/api/lists/${pane}/${id}`);
    return status === 200 ? undefined : `${href}: ${status}`;
  }
  if (query === '') return undefined;
  const { data } = await ask(`/api/lists/${pane}?${query}&from=0&limit=1`);
  return Number(data['total']) > 0 ? undefined : `${href}: no row fits`;
}

/** The rows that a detail says it leads to, wherever in it. */
export function targetsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(targetsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { list, id } = value as Json;
  const own = typeof list === 'string' && typeof id === 'string' ? [`#/${list}/${encodeURIComponent(id)}`] : [];
  return [...own, ...Object.values(value).flatMap(targetsIn)];
}
