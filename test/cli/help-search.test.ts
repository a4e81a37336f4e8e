import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { helpIndex, passagesOf, sectionsOf } from '../../scripts/help-index.ts';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { main } from '../../src/main.ts';
import { openProgramData } from '../../src/sqlite/program-data.ts';
import { helpOf } from '../../src/terminal/help/help.ts';
import { MARKS, searchHelp } from '../../src/terminal/help/search.ts';
import { ROOT, temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';
import { TRIED, TRIED_AGAIN, TRIED_LAST, TRIED_LATER } from './help-words.ts';

let index: Uint8Array;

beforeAll(async () => {
  index = await helpIndex(ROOT, CATALOGUE);
});

/** Runs a command line whose program has the index in memory, as a single binary has it. */
async function printed(
  argv: readonly string[],
  options: Parameters<typeof fakeWorld>[0] = {},
  ownFile = () => index as string | Uint8Array,
) {
  const world = fakeWorld(options);
  const code = await main(argv, { ...world, ownFile });
  return { code, stdout: world.stdout.text(), stderr: world.stderr.text() };
}

async function found(words: string) {
  const { code, stdout, stderr } = await printed(['help', ...words.split(' '), '--json']);
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return JSON.parse(stdout) as {
    corrected: { typed: string; word: string }[];
    unknown: string[];
    passages: { page: string; heading: string; command: string | null; excerpt: string }[];
  };
}

/** The pages that `help WORDS` leads to: the one that it prints, or the best three. */
async function pagesFor(words: string): Promise<readonly string[]> {
  const { stdout } = await printed(['help', ...words.split(' '), '--json']);
  const document = JSON.parse(stdout);
  if (document.passages) return document.passages.map(({ page }: { page: string }) => page);
  return [document.name ? `help ${document.name}` : document.words.join(' ')];
}

/** Words of people who do not know ours, and a page of which one must be among the first three. */
const LEADS_TO: readonly (readonly [words: string, ...pages: string[]])[] = [
  ['access', 'profiles approvers list', 'help login', 'help limits'],
  ['ai agent', 'help scripts'],
  ['alert', 'webhooks listen', 'help webhook-setup'],
  ['alert below a balance', 'balances account', 'docs/cookbook.md'],
  ['balance yesterday', 'report balance'],
  ['books', 'report'],
  ['cancel', 'help cancel'],
  ['close of day', 'report'],
  ['colleague', 'profiles approvers list', 'help approval'],
  ['compare settings', 'profiles show', 'explain'],
  ['cron failed at 3 am', 'help scripts', 'docs/cookbook.md'],
  ['csv', 'history transactions'],
  ['diff', 'profiles show'],
  ['discount', 'fees show'],
  ['duplicate', 'help once'],
  ['earned this month', 'report fees'],
  ['double payment', 'help once'],
  ['excel', 'history transactions'],
  ['find by hash', 'find'],
  ['freeze a user', 'users deactivate'],
  ['inbound money', 'help receive'],
  ['how do I pay 40 suppliers from a sheet', 'payout create', 'help scripts'],
  ['key rotate', 'keys rotate'],
  ['laptop', 'profiles export'],
  ['leaked key', 'help leaked-key'],
  ['limit order', 'fx orders create'],
  ['lost', 'find', 'report pending'],
  ['mcp', 'mcp'],
  ['migrate', 'profiles export', 'ops journal export'],
  ['missing webhook', 'webhooks inbox gaps'],
  ['naira', 'help units', 'help receive'],
  ['new laptop', 'profiles export'],
  ['office ip', 'ip add'],
  ['onboard 200 users from csv', 'users onboard'],
  ['outage', 'sandbox fault add'],
  ['owed to users', 'report owed'],
  ['payroll', 'payout create'],
  ['read-only', 'profiles rules set', 'profiles rules show', 'help limits'],
  ['readonly', 'profiles rules set', 'profiles rules show', 'help limits'],
  ['reconcile', 'ops reconcile'],
  ['reconciliation', 'ops reconcile'],
  ['sheet', 'history transactions'],
  ['statement', 'report'],
  ['stuck', 'help stuck'],
  ['stuck-payout', 'help stuck'],
  ['supplier', 'payout create'],
  ['top users', 'report users'],
  ['undo', 'help cancel'],
  ['verify a webhook', 'webhooks verify'],
  ['who approved', 'help approval', 'plans approve'],
  ['withdraw all fees', 'fees withdraw'],
  ['wrong amount paid', 'help wrong-payment'],
];

describe('help WORDS', () => {
  test.each(LEADS_TO)('"%s" leads to %s', async (words, ...pages) => {
    expect(await pagesFor(words)).toEqual(expect.arrayContaining([expect.toBeOneOf(pages)]));
  });

  test('leads to the right page from most of what people may type', async () => {
    const all = [...TRIED, ...TRIED_LATER, ...TRIED_LAST, ...TRIED_AGAIN];
    expect(all.length).toBe(200);
    const right: string[] = [];
    for (const [words, ...pages] of all)
      if ((await pagesFor(words).catch(() => [])).some((page) => pages.includes(page))) right.push(words);
    // A few fewer than now, so that a reworded page breaks nothing.
    expect(right.length).toBeGreaterThanOrEqual(175);
  });

  test('prints the best three passages, each of another page, with a command to type', async () => {
    const { code, stdout } = await printed(['help', 'payroll']);
    expect(code).toBe(0);
    const { passages } = await found('payroll');
    expect(new Set(passages.map(({ page }) => page)).size).toBe(3);
    for (const { page, heading, command } of passages) {
      expect(stdout).toContain(`${page}: ${heading.split(' ').slice(0, 3).join(' ')}`);
      expect(stdout).toContain(`\n  $ ${command}\n`);
    }
    for (const mark of MARKS) expect(stdout).not.toContain(mark);
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.includes('$ '))).toEqual([]);
  });

  test('marks the words on a terminal, and nowhere else', async () => {
    const onTerminal = await printed(['help', 'hmac'], { isTerminal: true });
    expect(onTerminal.stdout.toLowerCase()).toContain('\u001b[1mhmac');
    expect((await printed(['help', 'hmac'])).stdout).not.toContain('\u001b');
    expect((await printed(['help', 'hmac'], { isTerminal: true, env: { NO_COLOR: '1' } })).stdout).not.toContain(
      '\u001b',
    );
  });

  test.each([
    ['wehbook', 'webhook'],
    ['recieve-money', 'receive'],
    ['ordrs', 'orders'],
  ])('corrects %s to %s, and says so', async (typed, word) => {
    const { corrected } = await found(typed);
    expect(corrected).toContainEqual({ typed: typed.split('-')[0], word });
    const { stdout } = await printed(['help', typed]);
    expect(stdout).toMatch(new RegExp(`^No page has "${typed.split('-')[0]}"; these have "${word}"\\.\n`));
  });

  test.each([
    ['retention of zzqqxx', 'rejection'],
    ['spendings', 'pending'],
    ['eyes', 'yes'],
    ['gbp', 'gap'],
  ])('takes "%s" for no other word, such as %s', async (typed, word) => {
    const { stdout, stderr } = await printed(['help', ...typed.split(' '), '--json']);
    expect(stdout + stderr).not.toContain(`"word": "${word}"`);
  });

  test.each([
    ['healthcheck', 'doctor'],
    ['orderbook', 'fx book'],
    ['bankaccounts', 'bank-accounts list'],
  ])('splits %s, which no page has, into two words', async (typed, page) => {
    const { corrected, unknown, passages } = await found(typed);
    expect({ corrected, unknown }).toEqual({ corrected: [], unknown: [] });
    expect(passages.map((each) => each.page)).toContain(page);
  });

  test('understands another ending of a word', async () => {
    expect((await found('hourly fees')).corrected).toEqual([{ typed: 'hourly', word: 'hour' }]);
  });

  test('does not let one word of several decide', async () => {
    const { passages } = await found('payment not received by customer');
    expect(passages[0]?.page).toBe('help stuck');
  });

  test('finds a phrase with a word that alone says nothing', async () => {
    expect((await found('who paid')).passages.map(({ page }) => page)).toContain('history deposits');
  });

  test('finds a part of a page by its subjects, which no reader sees', async () => {
    expect((await found('flask')).passages[0]).toMatchObject({
      page: 'docs/webhooks.md',
      heading: 'Webhooks › Write a handler › Python',
    });
    expect(JSON.stringify(await found('flask'))).not.toContain('subjects:');
  });

  test('leaves out a word that no page has, and says so', async () => {
    const { unknown, passages } = await found('frobnicate refund');
    expect(unknown).toEqual(['frobnicate']);
    expect(passages[0]?.page).toBe('help refund');
    expect((await printed(['help', 'frobnicate', 'refund'])).stdout).toMatch(
      /^No page has "frobnicate"\.\n\nhelp refund: /,
    );
  });

  test('finds other forms of a word', async () => {
    for (const words of ['reconciling', 'reconciled outcomes'])
      expect((await found(words)).passages.map(({ page }) => page)).toContain('ops reconcile');
  });

  test.each(['zzqqxx', '???', '"', '^ ( * )', 'zzqqxx* AND'])(
    'says what to type if nothing is found: %s',
    async (typed) => {
      const words = typed.split(' ');
      const { code, stdout, stderr } = await printed(['help', ...words]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(
        /^error: nothing in the help is about ".*"\n {2}hint: see what there is with: fiatrail help topics/,
      );
      const json = await printed(['help', ...words, '--json']);
      expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'NOT_FOUND', category: 'usage' });
    },
  );

  test.each(['refund*', 'NOT refund', 'NEAR(refund, 2)', '"refund', 'heading:refund', '-refund'])(
    'does not take words for a query: %s',
    async (typed) => {
      const words = typed.startsWith('-') ? ['--', typed] : typed.split(' ');
      const { stdout } = await printed(['help', ...words]);
      expect(stdout).toContain('help refund: Refunds');
    },
  );

  test('is asked if a word after a command is no value of it', async () => {
    const { passages } = await found('api quota');
    expect(passages.length).toBe(3);
    expect((await printed(['help', 'api', 'GET'])).stdout).toBe(await helpOf(['api'], CATALOGUE));
  });

  test('is not asked about a command, a group or a topic', async () => {
    for (const words of [
      ['payout'],
      ['payout', 'create'],
      ['fx', 'orders'],
      ['fees', 'withdrawals', 'status', 'FTW_1'],
    ]) {
      const { stdout } = await printed(['help', ...words], {}, () => {
        throw new Error('the index was opened');
      });
      expect(stdout).toBe(
        await helpOf(
          words.filter((word) => word !== 'FTW_1'),
          CATALOGUE,
        ),
      );
    }
    expect(await printed(['help', 'refunds'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Refunds\n/) });
  });

  test.each([
    ['nosuch', 'list the topics with: fiatrail help topics'],
    ['refnd', 'did you mean fiatrail help refund?'],
  ])('an unknown topic is rejected: %s', async (name, hint) => {
    expect(await printed(['help', 'topics', name])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`error: unknown topic "${name}"\n  hint: ${hint}\n`),
    });
    expect(await printed(['help', 'topics', 'refund'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Refunds\n/),
    });
  });

  test('an option that does not exist is rejected', async () => {
    expect(await printed(['help', 'payroll', '--jsno'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('says what to do if the index is missing or damaged', async () => {
    const folder = temporaryFolder(onTestFinished);
    const damaged = join(folder, 'help.db');
    writeFileSync(
      damaged,
      index.map((byte, at) => (at > 4096 && at % 3 === 0 ? byte ^ 0xff : byte)),
    );
    for (const path of [join(folder, 'none.db'), damaged])
      expect(await printed(['help', 'payroll'], {}, () => path)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: the index of the help is missing or damaged\n {2}hint: check the files with: fiatrail version --verify/,
        ),
      });
    expect(readdirSync(folder)).toEqual(['help.db']);
  });
});

describe('the index', () => {
  test('is equal for equal pages', async () => {
    expect(Buffer.compare(await helpIndex(ROOT, CATALOGUE), index)).toBe(0);
  });

  test('is read from a file that cannot be written, in a folder that cannot be', async () => {
    const path = join(temporaryFolder(onTestFinished), 'help #1?.db');
    writeFileSync(path, index, { mode: 0o400 });
    const data = await openProgramData(path);
    expect(searchHelp(data, ['refund']).passages[0]?.page).toBe('help refund');
    expect(() => data.all('DELETE FROM words')).toThrow(/readonly/);
    data.close();
  });

  test('has every command, group and topic, and no heading of a page twice', async () => {
    const passages = await passagesOf(ROOT, CATALOGUE);
    const pages = new Set(passages.map(({ page }) => page));
    for (const group of CATALOGUE) {
      expect(pages).toContain(group.name);
      for (const { words } of await group.load()) expect(pages).toContain(words.join(' '));
    }
    expect([...pages].filter((page) => page.startsWith('docs/')).length).toBeGreaterThan(10);
    const places = passages.map(({ page, heading }) => `${page}: ${heading}`);
    expect(places.filter((place, at) => places.indexOf(place) !== at)).toEqual([]);
  });

  test('splits a page at its headings, and leaves code and generated parts as they are', () => {
    const page = [
      '# Jobs',
      '<!-- subjects: cron, timers -->',
      'About [jobs](jobs.md).',
      '',
      '## Every night',
      '```sh',
      '# not a heading',
      'fiatrail fees withdraw --yes > out.txt  # all of them',
      '```',
      '<!-- topics, from src by npm run reference -->',
      'Generated.',
      '<!-- end of topics -->',
      '### When it fails',
      'See `fiatrail ops list`.',
      '## Empty',
      '',
    ].join('\n');
    expect(sectionsOf('docs/jobs.md', page).map(({ words }) => words)).toEqual(['cron, timers', '', '']);
    expect(sectionsOf('docs/jobs.md', page).map(({ heading, text, command }) => ({ heading, text, command }))).toEqual([
      { heading: 'Jobs', text: 'About jobs.', command: null },
      {
        heading: 'Jobs › Every night',
        text: '# not a heading\nfiatrail fees withdraw --yes > out.txt # all of them',
        command: 'fiatrail fees withdraw --yes',
      },
      { heading: 'Jobs › Every night › When it fails', text: 'See fiatrail ops list .', command: 'fiatrail ops list' },
    ]);
  });
});
