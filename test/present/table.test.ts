import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listUsers } from '../../src/contract/endpoints/user-list.ts';
import * as f from '../../src/contract/fields.ts';
import { parseJson } from '../../src/money/decimal.ts';
import { present } from '../../src/present/present.ts';
import type { PresentOptions, Result } from '../../src/present/result.ts';
import { columnsOf, hexId, pagesOf, printed, sink } from './support.ts';

const table = (result: Result, options: Partial<PresentOptions> = {}) =>
  printed(result, { format: 'table', ...options });
const linesOf = (text: string) => text.split('\n').slice(0, -1);

const names = [
  ['Ada', 'Obi'],
  ['Chukwuemeka', 'Oluwaseun-Adebayo'],
  ['日本語の名前', 'Ngozi Amarachi Chidinma'],
];
const users: Result = {
  data: {
    users: names.map(([firstName, lastName], seed) => ({
      userId: hexId(seed),
      firstName,
      lastName,
      isActive: seed !== 1,
      hasWallet: true,
      wallets: { evm: `0x${hexId(seed).slice(0, 40)}` },
      verifiedAt: '2026-11-21T13:14:05.123Z',
      createdAt: '2026-11-20T09:00:00Z',
    })),
    pagination: { total: 3, hasMore: false },
  },
  schema: listUsers.response(),
  lists: 'users',
};

describe('a list', () => {
  it('has bold titles, a rule and one line per row if it fits', async () => {
    const data = [
      { id: 'a', amount: { asset: 'NGN', minor: 500000n }, done: true, at: '2026-11-21T13:14:05Z', n: 5 },
      { id: 'b', amount: { asset: 'CNGN', minor: 1500000n }, done: false, at: null, n: 1234 },
    ];
    expect(await table({ data })).toBe(
      [
        'ID     Amount  Done  At                       N',
        '───────────────────────────────────────────────',
        'a   ₦5,000.00  yes   2026-11-21 13:14:05Z     5',
        'b   1.50 cNGN  no    —                     1234',
        '',
      ].join('\n'),
    );
  });

  it('uses the columns and alignment of the command', async () => {
    const columns = [
      { field: 'b.c', title: 'Deep', align: 'right' as const },
      { field: 'a', title: 'First' },
      { field: 'x', title: 'Absent' },
    ];
    const text = await table({
      data: [
        { a: 'one', b: { c: 'z' } },
        { a: 'two', b: null },
      ],
      columns,
    });
    expect(linesOf(text)).toEqual(['Deep  First  Absent', '───────────────────', '   z  one    —', '   —  two    —']);
  });

  it('omits empty columns unless they are requested', async () => {
    const data = [{ a: 1, b: null }, { a: 2 }];
    expect(linesOf(await table({ data }))[0]).toBe('A');
    expect(linesOf(await table({ data }, { fields: ['b', 'a'] }))[0]).toBe('B  A');
  });

  it('shows requested nested lists and objects on one line', async () => {
    const data = [{ a: ['x', 'y'], b: [], c: [{ d: 1 }], e: {} }];
    expect(linesOf(await table({ data }, { fields: ['a', 'b', 'c', 'e'] }))[2]).toBe('x, y  —  [{"d":1}]  {}');
  });

  it.each([
    ['with a schema', { ...users, data: { users: [] } }, /^User ID .*\n─+\n\(none\)\n$/],
    ['with columns', { data: [], columns: [{ field: 'a', title: 'Alpha' }] }, /^Alpha\n─────\n\(none\)\n$/],
    ['without either', { data: [] }, /^\(none\)\n$/],
  ])('of no rows says so, %s', async (_name, result: Result, text) => {
    expect(await table(result)).toMatch(text);
  });

  it('shows the rows of all pages in one table', async () => {
    const text = await table({ data: [{ a: 'x' }], more: pagesOf([{ a: 'longer' }], [{ a: 'y' }]) });
    expect(linesOf(text)).toEqual(['A', '─', 'x', 'longer', 'y']);
  });

  it('prints a page before it asks for the next one', async () => {
    const out = sink();
    const seen: number[] = [];
    async function* more() {
      seen.push(out.writes.length);
      yield [{ a: 'y' }];
      seen.push(out.writes.length);
    }
    await present({ data: [{ a: 'x' }], more: more() }, { format: 'table', color: false }, out);
    expect({ seen, writes: out.writes }).toEqual({ seen: [1, 2], writes: ['A\n─\nx\n', 'y\n'] });
  });

  it('keeps what it has of a list that fails in the middle', async () => {
    const out = sink();
    async function* more(): AsyncGenerator<readonly unknown[]> {
      yield [{ a: 'y' }];
      throw new Error('stopped');
    }
    const printing = present({ data: [{ a: 'x' }], more: more() }, { format: 'table', color: false }, out);
    await expect(printing).rejects.toThrow('stopped');
    expect(out.writes.join('')).toBe('A\n─\nx\ny\n');
  });

  it('makes columns wider for later pages, and keeps them in line from then on', async () => {
    const rows = (a: string) => [{ a, b: 'z' }];
    const text = await table({ data: rows('x'), more: pagesOf(rows('longer'), rows('y')) });
    expect(linesOf(text)).toEqual(['A  B', '────', 'x  z', 'longer  z', 'y       z']);
  });

  it('repeats the titles when a later page moves columns to another line', async () => {
    const rows = (seed: number, note: string) => [{ id: hexId(seed), note }];
    const text = await table({ data: rows(1, 'ok'), more: pagesOf(rows(2, hexId(3)), rows(4, 'ok')) }, { width: 80 });
    const lines = linesOf(text);
    expect(lines.filter((line) => line.startsWith('ID'))).toHaveLength(2);
    expect(lines.filter((line) => line.trim() === hexId(3))).toHaveLength(1);
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
  });

  it('shows a column that only a later page fills', async () => {
    const text = await table({ data: [{ a: 'x', b: null }], more: pagesOf([{ a: 'y', b: 'z' }]) });
    expect(linesOf(text).at(-1)).toBe('y  z');
  });

  it('shows values without fields one per line', async () => {
    expect(await table({ data: ['a', parseJson('12345678901234567890'), null] })).toBe(
      'a\n12345678901234567890\nnull\n',
    );
  });
});

describe('a table for another program', () => {
  it('cuts a text to the width that it is given, but never its first word', async () => {
    const data = [{ a: 'x', b: `${'y'.repeat(24)} and more` }];
    const text = await table({ data }, { isPiped: true, width: 27 });
    expect(linesOf(text).at(-1)).toBe(`x  ${'y'.repeat(24)}…`);
  });
});

describe('80 columns', () => {
  const ids = names.map((_name, seed) => hexId(seed));

  it.each([80, undefined])('fit a list of users with 64-digit ids (width %s)', async (width) => {
    const lines = linesOf(await table(users, { width }));
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    for (const id of ids) expect(lines.filter((line) => line === id)).toHaveLength(1);
  });

  it('show the fields of a row below its id', async () => {
    expect(linesOf(await table(users)).slice(0, 9)).toEqual([
      'User ID',
      '  First name    Last name                Is active  Has wallet',
      '  Verified at           Created at',
      '────────────────────────────────────────────────────────────────',
      ids[0],
      '  Ada           Obi                      yes        yes',
      '  2026-11-21 13:14:05Z  2026-11-20 09:00:00Z',
      ids[1],
      '  Chukwuemeka   Oluwaseun-Adebayo        no         yes',
    ]);
  });

  it('wrap long text at words, but never times or amounts', async () => {
    const message = 'The bank did not answer in time and the payout goes back to the balance within the hour';
    const data = [
      { id: hexId(1).slice(0, 20), at: '2026-11-21T13:14:05Z', amount: { asset: 'CNGN', minor: 1n }, message },
    ];
    const lines = linesOf(await table({ data }));
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(lines[2]).toMatch(/^[0-9a-f]{20} {2}2026-11-21 13:14:05Z {2}0\.000001 cNGN {2}The bank did not$/);
    const wrapped = lines.slice(2).map((line) => line.slice(59).trim());
    expect(wrapped.join(' ')).toBe(message);
  });

  it('wrap scripts without spaces anywhere, by width', async () => {
    const lines = linesOf(await table({ data: [{ id: 'a', note: '銀行'.repeat(60) }] }));
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(80);
    expect(
      lines
        .slice(2)
        .map((line) => line.slice(4))
        .join(''),
    ).toBe('銀行'.repeat(60));
  });

  it('show names in every script in full', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => !text.includes('…'));
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), async (cells) => {
        const shown = await table({ data: [Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]))] });
        expect(shown).not.toContain('…');
      }),
    );
  });

  it.each([20, 33, 40, 79, 80, 81, 100, 132, 200])('lose no word at width %s', async (width) => {
    const text = await table(users, { width });
    const words = ['日本語の名前', 'Oluwaseun-Adebayo', 'Chidinma', ...ids, '13:14:05Z'];
    for (const word of words) expect(text).toContain(word);
    const longest = Math.max(width, 64);
    for (const line of linesOf(text)) expect(columnsOf(line)).toBeLessThanOrEqual(longest);
  });

  it('are replaced by the width of the terminal', async () => {
    const out = sink(undefined, { columns: 200 });
    await present(users, { format: 'table', color: false }, out);
    expect(linesOf(out.writes.join(''))).toHaveLength(5);
    const nowhere = sink(undefined, { columns: 0 });
    await present(users, { format: 'table', color: false }, nowhere);
    expect(nowhere.writes.join('')).toBe(await table(users));
  });
});

describe('long values', () => {
  it('are truncated after 1,000 characters, which never affects an id', async () => {
    expect(await table({ data: { id: 'a'.repeat(500) } })).toContain('a'.repeat(500));
    const text = await table({ data: { id: 'a'.repeat(5000) } });
    expect(text).toContain(`${'a'.repeat(999)}…\n`);
    expect(await printed({ data: { id: 'a'.repeat(5000) } })).toContain('a'.repeat(5000));
  });

  it.each([
    ['unended sequences', '\u001b]'.repeat(500_000)],
    ['nested sequences', `${'\u001b['.repeat(500_000)}${'1;'.repeat(500_000)}`],
    ['parameters', `\u001b${';'.repeat(1_000_000)}`],
    ['words', 'word '.repeat(200_000)],
    ['wide characters', '日'.repeat(500_000)],
    ['accents', 'e\u0301'.repeat(500_000)],
  ])('cost no time out of proportion: %s', async (_name, value) => {
    expect(await table({ data: [{ id: 'a', value }] })).toContain('a');
  });

  it('are drawn as they are, whatever they contain', async () => {
    const texts = ['\ue000\ue000', "$& $1 $'", '\u0301', '\ue000x', '…'];
    const shown = linesOf(await table({ data: texts.map((text) => ({ text, n: 1 })) }));
    expect(shown.slice(2)).toEqual([
      '\ue000\ue000        1',
      "$& $1 $'  1",
      '\u0301         1',
      '\ue000x        1',
      '…         1',
    ]);
  });

  it('show each of 3,000 rows', async () => {
    const data = Array.from({ length: 3000 }, (_row, index) => ({ id: hexId(index), n: index, note: 'some text' }));
    expect(linesOf(await table({ data }, { width: 200 }))).toHaveLength(3002);
  });
});

describe('a document', () => {
  const details: Result = {
    data: {
      userId: hexId(1),
      isActive: true,
      total: 508.5,
      rate: 1.7,
      middleName: null,
      empty: '',
      networks: ['base', 'eth'],
      options: {},
      personalDetails: { firstName: 'Ada', born: { inCity: 'Lagos' } },
      accounts: [{ number: '0123456789', amount: 5 }],
      none: [],
    },
    schema: f.payload({ total: f.money('public', 'naira', 'NGN'), rate: f.percent('public') }),
  };

  it('shows titles and values, indented nested objects and list lengths', async () => {
    expect(await table(details)).toBe(
      [
        `User ID      ${hexId(1)}`,
        'Is active    yes',
        'Total        ₦508.50',
        'Rate         1.7',
        'Middle name  —',
        'Empty',
        'Networks     base, eth',
        'Options      —',
        'Personal details',
        '  First name  Ada',
        '  Born',
        '    In city  Lagos',
        'Accounts (1)',
        '  Number      Amount',
        '  ──────────────────',
        '  0123456789       5',
        'None         —',
        '',
      ].join('\n'),
    );
  });

  it('survives deep nesting and empty names', async () => {
    const deep = JSON.parse(`${'{"":'.repeat(60)}{"long title of a value":"","rows":[{"":""}]}${'}'.repeat(60)}`);
    expect(await table({ data: deep }, { width: 20 })).toContain('Rows (1)');
  });

  it('shows the columns of the command or the requested fields', async () => {
    const columns = [
      { field: 'total', title: 'To pay' },
      { field: 'nope', title: 'Missing' },
    ];
    expect(await table({ ...details, columns })).toBe('To pay   ₦508.50\nMissing  —\n');
    expect(await table({ ...details, columns }, { fields: ['rate', 'total'] })).toBe('Rate   1.7\nTotal  ₦508.50\n');
  });

  it('shows a value that is too long for the line below its title', async () => {
    const lines = linesOf(await table({ data: { estimatedCompletionTime: 'soon', transactionHash: `0x${hexId(2)}` } }));
    expect(lines).toEqual(['Estimated completion time  soon', 'Transaction hash', `  0x${hexId(2)}`]);
  });

  it('wraps text next to its title', async () => {
    const lines = linesOf(await table({ data: { note: 'word '.repeat(30).trim() } }));
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^(Note| {4}) {2}word( word)*$/);
  });

  it('shows ten rows of a long list and the number of hidden rows', async () => {
    const rows = Array.from({ length: 262 }, (_row, index) => ({ code: String(index) }));
    const lines = linesOf(await table({ data: { banks: rows } }));
    expect(lines[0]).toBe('Banks (262)');
    expect(lines).toHaveLength(14);
    expect(lines.at(-1)).toBe('  … 252 more; show all with: -o json');
  });
});

describe('text from the service cannot control the terminal', () => {
  const attacks: [string, string, string][] = [
    ['colour', '\u001b[31mAda\u001b[0m', 'Ada'],
    ['cursor', 'A\u001b[2J\u001b[1;1Hda', 'Ada'],
    ['title', '\u001b]0;owned\u0007Ada', 'Ada'],
    ['link', '\u001b]8;;http://x\u001b\\Ada\u001b]8;;\u001b\\', 'Ada'],
    ['C1', 'A\u009b31mda', 'Ada'],
    ['lines', 'A\r\nError: paid\tx', 'A Error: paid x'],
    ['backspace', 'Ad\u0008\u007fa', 'Ada'],
    ['direction', 'Ada\u202egnp.exe\u2066', 'Adagnp.exe'],
    ['line separators', 'A\u2028B\u2029C', 'A B C'],
    ['half a pair', 'A\ud800', 'A\ufffd'],
  ];

  it.each(attacks)('%s', async (_name, hostile, shown) => {
    const rows = linesOf(await table({ data: [{ name: hostile, x: 1 }] }));
    expect(rows[2]?.replace(/ +1$/, '')).toBe(shown);
    expect(await table({ data: { name: hostile } })).toBe(`Name  ${shown}\n`);
    expect(await table({ data: { deep: { list: [{ name: hostile }] } } })).toContain(`\n    ${shown}\n`);
  });

  it.each(attacks)('%s as a field name or a single value', async (_name, hostile) => {
    const texts = [
      await table({ data: [{ [hostile]: 'v' }] }),
      await table({ data: { [hostile]: { [hostile]: 'v' } } }),
      await table({ data: { v: hostile } }, { query: 'v' }),
      await table({ data: [{ v: [[hostile]] }] }),
      await table({ data: [], columns: [{ field: 'v', title: hostile }] }),
    ];
    for (const text of texts) expect(text).not.toMatch(/[\p{Cc}\p{Cf}](?<![\n\t])/u);
  });

  it('still shows names in every script', async () => {
    const rows = linesOf(await table({ data: ['Ọlá́', '日本', 'Ngọzi 👩', 'محمد'].map((name) => ({ name, x: 1 })) }));
    expect(rows.slice(2)).toEqual(['Ọlá́       1', '日本      1', 'Ngọzi 👩  1', 'محمد      1']);
  });
});

describe('colour', () => {
  it('makes only titles bold', async () => {
    const bold = (title: string) => `\u001b[1m${title}\u001b[22m`;
    expect(await table({ data: [{ a: 'x', b: 'y' }] }, { color: true })).toBe(
      `${bold('A')}  ${bold('B')}\n────\nx  y\n`,
    );
    expect(await table({ data: { a: 'x', b: { c: 'y' } } }, { color: true })).toBe(
      `${bold('A')}  x\n${bold('B')}\n  ${bold('C')}  y\n`,
    );
  });

  it('does not change widths', async () => {
    const coloured = await table(users, { color: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the sequences of bold text
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(await table(users));
  });

  it('does not affect other formats', async () => {
    for (const format of ['json', 'ndjson', 'csv', 'yaml', 'raw'] as const) {
      expect(await printed(users, { format, color: true })).toBe(await printed(users, { format }));
    }
  });
});

describe('titles', () => {
  it.each([
    ['accountNumber', 'Account number'],
    ['userId', 'User ID'],
    ['wallets.evm', 'Wallets EVM'],
    ['bank_code', 'Bank code'],
    ['cngnAmount', 'cNGN amount'],
    ['CNGN', 'cNGN'],
    ['txHash', 'Tx hash'],
    ['webhookURL', 'Webhook URL'],
    ['DNS', 'DNS'],
  ])('%s is %s', async (field, title) => {
    expect(await table({ data: { [field.replace('.', '_')]: 1 } })).toBe(`${title}  1\n`);
  });
});
