/**
 * Draws docs/recordings/inspector-*.png from the built program: the page of a sandbox and of an account of 90 days.
 * `node scripts/build.ts && node scripts/recordings/inspector.ts` writes them; it needs Chromium.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const ROOT = join(import.meta.dirname, '..', '..');
const PROGRAM = join(ROOT, 'bin', 'fiatrail.js');
const FOLDER = join(ROOT, 'docs', 'recordings');
/** An account that has the same days whenever it is drawn. */
const SIMULATED = ['--days', '90', '--users', '80', '--seed', '7', '--until', '2026-11-27T17:00:00Z'];

const home = mkdtempSync(join(tmpdir(), 'fiatrail-pictures-'));
const env = {
  PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
  HOME: home,
  FIATRAIL_STATE_DIR: join(home, 'state'),
  FIATRAIL_CONFIG_DIR: join(home, 'config'),
};

function run(...words: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...words, '-q'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`fiatrail ${words.join(' ')}: ${stderr}`);
}

/** Starts a command that serves the page, and returns the address. */
async function serve(...words: readonly string[]): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '-o', 'json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const part of child.stdout) {
    text += String(part);
    if (text.includes('\n')) break;
  }
  const { inspector, url } = JSON.parse(text) as Record<string, string>;
  return { child, url: inspector ?? url ?? '' };
}

interface Picture {
  readonly name: string;
  readonly hash: string;
  readonly before?: (page: Page) => Promise<void>;
}

async function take(browser: Browser, words: readonly string[], pictures: readonly Picture[]): Promise<void> {
  const { child, url } = await serve(...words);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
    await page.goto(url);
    await page.locator('nav').waitFor();
    for (const { name, hash, before } of pictures) {
      await page.goto(`${new URL(url).origin}/${hash}`);
      await page.locator('main :is(.row .cell, .card h2)').first().waitFor();
      await before?.(page);
      await page.evaluate('document.activeElement?.blur()');
      await page.waitForTimeout(500);
      await page.screenshot({ path: join(FOLDER, `inspector-${name}.png`) });
    }
  } finally {
    child.kill('SIGTERM');
  }
}

const openFirst = async (page: Page) => {
  await page.locator('.row').first().click();
  await page.locator('.detail h2').waitFor();
};

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox'] });
try {
  run('sandbox', 'simulate', ...SIMULATED);
  run('sync');
  await take(browser, ['inspect'], [{ name: 'charts', hash: '#/charts' }]);
  await take(
    browser,
    ['sandbox', 'serve', '--port', '0', '--inspect'],
    [
      { name: 'now', hash: '#/now' },
      { name: 'sandbox', hash: '#/work?state=onramp&look=done', before: openFirst },
      { name: 'book', hash: '#/book' },
    ],
  );
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
