import { describe, expect, test } from 'vitest';
import { main } from '../../src/main.ts';
import { present } from '../../src/present/present.ts';
import type { PresentOptions, Result } from '../../src/present/result.ts';
import { hasLinks, safeUrl } from '../../src/present/text.ts';
import type { Globals } from '../../src/terminal/parse/globals.ts';
import { createDialog } from '../../src/terminal/show/progress.ts';
import { fakeWorld } from '../support/world.ts';
import { pagesOf, sink } from './support.ts';

describe('a terminal has links', () => {
  test.each([
    [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.5.2' }, true],
    [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.15' }, false],
    [{ TERM_PROGRAM: 'iTerm.app' }, false],
    [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203-110809-5046fc22' }, true],
    [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.71.2' }, false],
    [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.100.0' }, true],
    [{ TERM_PROGRAM: 'ghostty' }, true],
    [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '455' }, false],
    [{ TERM_PROGRAM: 'constructor' }, false],
    [{ VTE_VERSION: '7600' }, true],
    [{ VTE_VERSION: '5000' }, false],
    [{ WT_SESSION: 'x' }, true],
    [{ TERM: 'xterm-kitty' }, true],
    [{ TERM: 'xterm-256color' }, false],
    [{}, false],
    [{ VTE_VERSION: '7600', NO_COLOR: '1' }, true],
    [{ VTE_VERSION: '7600', TERM: 'dumb' }, false],
    [{ VTE_VERSION: '7600', TMUX: '/tmp/tmux' }, false],
    [{ VTE_VERSION: '7600', TERM: 'screen-256color' }, false],
    [{ VTE_VERSION: '7600', STY: '1.pts' }, false],
    [{ VTE_VERSION: '7600', CI: 'true' }, false],
    [{ VTE_VERSION: '7600', FORCE_HYPERLINK: '0' }, false],
    [{ TERM: 'screen', FORCE_HYPERLINK: '1' }, true],
    [{ TERM: 'dumb', FORCE_HYPERLINK: '1' }, false],
  ])('with %j: %s', (env, expected) => {
    expect(hasLinks({ isTerminal: true }, env)).toBe(expected);
    expect(hasLinks({ isTerminal: false }, env)).toBe(false);
  });
});

describe('a web address', () => {
  test.each([
    'https://explorer.example/tx/0xabc?x=1#y',
    'http://127.0.0.1:3000/webhooks',
    `https://a.example/${'x'.repeat(1500)}`,
  ])('may become a link: %s', (url) => {
    expect(safeUrl(url)).toBe(url);
  });

  test.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    `https://${['ada', 'word'].join(':')}@bank.example/`,
    'https://bank.example@evil.example/',
    'https://evil.example/\u001b]8;;https://other.example\u0007',
    'https://evil.example/\u0007',
    'https://evil.example/a b',
    'https://b\u00e4nk.example/',
    'https://abc***.ms/webhook',
    'http://sandbox.invalid/v1',
    'https://',
    'see https://explorer.example',
    `https://a.example/${'x'.repeat(3000)}`,
    '',
  ])('does not become a link: %j', (text) => {
    expect(safeUrl(text)).toBeUndefined();
  });
});

const HASH = `0x${'a1'.repeat(32)}`;
const PAGE = `https://explorer.example/tx/${HASH}`;
const row = (more: object) => ({ id: 'b-1', txHash: HASH, explorerLink: PAGE, ...more });

async function shown(result: Result, options: Partial<PresentOptions>, columns = 200): Promise<string> {
  const out = sink(() => {}, { columns });
  await present(result, { format: 'table', color: true, ...options }, out);
  return out.writes.join('');
}

const link = (url: string, text: string) => `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches escape sequences
const withoutLinks = (text: string) => text.replace(/\u001b\]8;;[!-~]*?\u001b\\/g, '');

describe('a table on such a terminal', () => {
  test('links a hash to the page that stands beside it, and an address to itself', async () => {
    const text = await shown({ data: [row({})] }, { hasLinks: true }, 300);
    expect(text).toContain(link(PAGE, HASH));
    expect(text).toContain(link(PAGE, PAGE));
    expect(await shown({ data: row({}) }, { hasLinks: true })).toContain(link(PAGE, HASH));
  });

  test('links no line of a text that wraps, even if the line is an address', async () => {
    const text = await shown({ data: { note: `see ${PAGE} for it` } }, { hasLinks: true }, 90);
    expect(text.split('\n').map((line) => line.trim())).toContain(PAGE);
    expect(withoutLinks(text)).toBe(text);
  });

  test('links the hash where the page is not shown', async () => {
    for (const data of [row({}), [row({})]])
      expect(await shown({ data }, { hasLinks: true, fields: ['id', 'txHash'] })).toContain(link(PAGE, HASH));
  });

  test('links the hashes of later pages of a list too', async () => {
    const other = { id: 'b-2', txHash: '0xother', explorerLink: 'https://explorer.example/tx/other' };
    const text = await shown({ data: [row({})], more: pagesOf([other]) }, { hasLinks: true, fields: ['id', 'txHash'] });
    expect(text).toContain(link(PAGE, HASH));
    expect(text).toContain(link(other.explorerLink, other.txHash));
  });

  test.each([
    ['no page', row({ explorerLink: null })],
    ['an unsafe page', row({ explorerLink: 'javascript:alert(1)' })],
    ['a page with a control character', row({ explorerLink: `${PAGE}\u0007` })],
  ])('has no link for a hash with %s', async (_, data) => {
    expect(await shown({ data }, { hasLinks: true })).not.toContain(`\u001b\\${HASH}`);
  });

  test.each([40, 60, 80, 120, 300])('is laid out as without links at a width of %i', async (columns) => {
    const rows = [
      row({ status: 'completed', note: 'see https://a.example/b' }),
      row({ id: 'b-2', txHash: null, explorerLink: null, status: 'failed', note: 'a longer note that wraps' }),
      row({ id: 'b-3', txHash: 'short', explorerLink: 'https://a.example/s', status: 'pending', note: 'x' }),
    ];
    for (const data of [rows, { rows, one: rows[0], url: 'https://a.example/x' }]) {
      const text = await shown({ data }, { hasLinks: true }, columns);
      expect(text).toContain('\u001b]8;;');
      expect(withoutLinks(text)).toBe(await shown({ data }, {}, columns));
      expect(text).not.toContain('\u001b[10');
    }
  });

  test.each(['json', 'ndjson', 'csv', 'yaml', 'raw'] as const)(
    'is the only format with links, not %s',
    async (format) => {
      expect(await shown({ data: [row({})] }, { hasLinks: true, format })).not.toContain('\u001b');
    },
  );
});

test.each([
  [true, { TERM_PROGRAM: 'ghostty' }, [], true],
  [true, { TERM_PROGRAM: 'ghostty', NO_COLOR: '1' }, [], true],
  [true, { TERM_PROGRAM: 'ghostty' }, ['--query', 'baseUrl'], false],
  [true, { TERM_PROGRAM: 'ghostty' }, ['-o', 'json'], false],
  [true, { TERM: 'xterm' }, [], false],
  [false, { TERM_PROGRAM: 'ghostty' }, [], false],
])('a command links an address (terminal %s, %j, %j): %s', async (isTerminal, env, flags, isLinked) => {
  const world = fakeWorld({ isTerminal, env, stdin: 'a-live-key-nobody-may-see' });
  const add = ['profiles', 'add', 'main', '--base-url', 'https://service.test/v1', '--store', 'file', '--key-stdin'];
  expect(await main([...add, '-q', '-o', 'json'], world)).toBe(0);
  expect(await main(['profiles', 'show', 'main', ...flags], world)).toBe(0);
  expect(world.stdout.text().includes('\u001b]8;;https://service.test/v1')).toBe(isLinked);
});

test.each([
  ['events can arrive at https://a.example/hooks', 'https://a.example/hooks'],
  ['see https://a.example/x?y=1; then go on', 'https://a.example/x?y=1'],
  ['(http://127.0.0.1:4000)', 'http://127.0.0.1:4000'],
  ['bad https://ada@a.example/x', undefined],
  ['masked https://abc***.example/x', undefined],
  ['none', undefined],
])('a notice links its address: %s', async (text, url) => {
  for (const isTerminal of [true, false]) {
    const world = fakeWorld({ isTerminal, env: { TERM_PROGRAM: 'ghostty' } });
    await createDialog(world, { quiet: false } as Globals).note(text);
    const expected = url && isTerminal ? text.replace(url, link(url, url)) : text;
    expect(world.stderr.text()).toBe(`${expected}\n`);
  }
});
