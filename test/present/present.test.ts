import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { CliError } from '../../src/base/errors.ts';
import * as f from '../../src/contract/fields.ts';
import { parseJson } from '../../src/money/decimal.ts';
import { checkOptions, present } from '../../src/present/present.ts';
import { FORMATS, type PresentOptions, type Result } from '../../src/present/result.ts';
import { pagesOf, printed, sink } from './support.ts';

const rowSchema = f.group('public', {
  id: f.anyText('public'),
  amount: f.maybe(f.money('public', 'kobo', 'NGN')),
  done: f.maybe(f.flag('public')),
  bank: f.maybe(f.group('public', { name: f.maybe(f.anyText('public')), code: f.maybe(f.anyText('public')) })),
  tags: f.maybe(f.list('public', f.anyText('public'))),
});
const listSchema = f.payload({ rows: f.list('public', rowSchema), total: f.maybe(f.integer('public')) });
const one = { id: 'a', amount: 150, done: true, bank: { name: 'B, "C"', code: '058' }, tags: ['x', 'y'] };
const two = { id: 'b', amount: null, bank: null };
const list: Result = { data: { rows: [one, two], total: 3 }, schema: listSchema, lists: 'rows' };
const documentSchema = f.payload({
  requestId: f.anyText('public'),
  account: f.group('public', { number: f.anyText('public'), total: f.money('public', 'naira', 'NGN') }),
  status: f.anyText('public'),
});
const document: Result = {
  data: { requestId: 'r', account: { number: '0123456789', total: 508.5, status: 'inner' }, status: 'created' },
  schema: documentSchema,
  nests: 'account',
};
const plainOne = { ...one, amount: { value: '1.50', asset: 'NGN' } };

describe('json', () => {
  it('is one indented document with a final newline', async () => {
    expect(await printed({ data: { a: 1, b: [] } })).toBe('{\n  "a": 1,\n  "b": []\n}\n');
  });

  it('joins the pages of a list', async () => {
    const text = await printed({ ...list, more: pagesOf([{ id: 'c', amount: 1 }], [], [{ id: 'd' }]) });
    expect(JSON.parse(text)).toEqual({
      rows: [plainOne, two, { id: 'c', amount: { value: '0.01', asset: 'NGN' } }, { id: 'd' }],
      total: 3,
    });
  });

  it.each([
    ['an empty list', { ...list, data: { rows: [] } }, { rows: [] }],
    ['a list that is null', { ...list, data: { rows: null } }, { rows: [] }],
    ['a list that is missing', { ...list, data: {} }, { rows: [] }],
    ['no data at all', { ...list, data: null }, { rows: [] }],
    ['data that is the list itself', { data: [one], schema: f.list('public', rowSchema) }, [plainOne]],
    ['data that is the list the contract names', { ...list, data: [one] }, [one]],
    [
      'a merged document',
      document,
      { requestId: 'r', number: '0123456789', total: { value: '508.50', asset: 'NGN' }, status: 'created' },
    ],
  ])('prints %s', async (_name, result: Result, plain) => {
    const expected = Array.isArray(plain) ? [plainOne] : plain;
    expect(JSON.parse(await printed(result))).toEqual(expected);
  });

  it('keeps every digit and escapes control characters', async () => {
    const data = { n: parseJson('0.1234567890123456789'), t: '\u001b[31m\u009b31m\u202e\u2028é👩‍👩‍👧' };
    const text = await printed({ data });
    expect(text).toBe('{\n  "n": 0.1234567890123456789,\n  "t": "\\u001b[31m\\u009b31m\\u202e\\u2028é👩‍👩‍👧"\n}\n');
    expect(JSON.parse(text).t).toBe(data.t);
  });
});

describe('ndjson', () => {
  it('has one line per row', async () => {
    expect(await printed(list, { format: 'ndjson' })).toBe(`${JSON.stringify(plainOne)}\n${JSON.stringify(two)}\n`);
  });

  it('has one line for a document and none for an empty list', async () => {
    expect(await printed({ data: { a: { b: 'x\ny' } } }, { format: 'ndjson' })).toBe('{"a":{"b":"x\\ny"}}\n');
    expect(await printed({ ...list, data: { rows: [] } }, { format: 'ndjson' })).toBe('');
  });
});

describe('csv', () => {
  const csv = (result: Result, options: Partial<PresentOptions> = {}) => printed(result, { format: 'csv', ...options });
  const header = 'id,amount,amount_asset,done,bank.name,bank.code,tags\n';

  it('has the columns of the schema, with two for an amount', async () => {
    expect(await csv(list)).toBe(`${header}a,1.50,NGN,true,"B, ""C""",058,"[""x"",""y""]"\nb,,,,,,\n`);
  });

  it('has a header even without rows', async () => {
    expect(await csv({ ...list, data: { rows: [] } })).toBe(header);
  });

  it('keeps the columns of the schema on every page', async () => {
    const more = pagesOf([{ id: 'c', extra: 1 }]);
    expect(await csv({ ...list, data: { rows: [] }, more })).toBe(`${header}c,,,,,,\n`);
  });

  it('takes the columns of the first page with rows if there is no schema', async () => {
    const data = [
      { a: { asset: 'NGN', minor: 5n }, n: { x: 1, y: null } },
      { a: null, n: { x: 2 }, z: parseJson('1.00000000000000000000') },
    ];
    const more = pagesOf([{ z: 1, w: 2 }]);
    expect(await csv({ data, more })).toBe('a,a_asset,n.x,n.y,z\n0.05,NGN,1,,\n,,2,,1.00000000000000000000\n,,,,1\n');
    expect(await csv({ data: [], more: pagesOf([], [{ b: 1 }]) })).toBe('b\n1\n');
    expect(await csv({ data: [] })).toBe('');
  });

  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', 'two lines'],
    ['two\r\nlines', 'two lines'],
    ['  spaces ', '  spaces '],
    ['=1+1', "'=1+1"],
    ['', ''],
    ['é日', 'é日'],
    ["it's", "it's"],
  ])('quotes %j as %j', async (value, cell) => {
    expect(await csv({ data: [{ v: value, w: 1 }] })).toBe(`v,w\n${cell},1\n`);
  });

  const quoted = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  it.each([
    ['=1+1', true],
    ['=HYPERLINK("http://x","Ada")', true],
    ['+1+1', true],
    ['-1+1', true],
    ['-', true],
    ['@SUM(A1)', true],
    ['  =1+1', true],
    ['\uff1d1+1', true],
    ['-12.50', false],
    ['+2348012345678', false],
    ['-1e5', false],
    ['a=1', false],
    ["'=1", false],
  ])('marks text that a spreadsheet may run, unless it is a number: %j', async (text, isMarked) => {
    const data = [{ v: text, w: 1 }];
    expect(await csv({ data })).toBe(`v,w\n${quoted((isMarked ? "'" : '') + text)},1\n`);
    expect(await csv({ data }, { isCsvRaw: true })).toBe(`v,w\n${quoted(text)},1\n`);
  });

  it.each([
    ['\tAda', "' Ada"],
    ['\rAda', "' Ada"],
    ['\u001b[1m=1+1', "'=1+1"],
    ['\u202e=1+1', "'=1+1"],
    ['\n+234801', "' +234801"],
  ])('marks text that begins with a control character or hides a formula behind one: %j', async (text, cell) => {
    expect(await csv({ data: [{ v: text }] })).toBe(`v\n${cell}\n`);
  });

  it('marks titles, each page and each value of an amount column', async () => {
    const more = pagesOf([{ '@x': '=2' }]);
    expect(await csv({ data: [{ '@x': '=1' }], more })).toBe("'@x\n'=1\n'=2\n");
    const unreadable = { ...list, data: { rows: [{ id: '-a', amount: '=1' }] } };
    expect(await csv(unreadable)).toBe(`${header}'-a,'=1,unknown,,,,\n`);
    expect(await csv({ data: [{ asset: 'NGN', minor: -5n }, -5] })).toBe('value,value_asset\n-0.05,NGN\n-5,\n');
  });

  it('quotes titles, and prints values that are not objects', async () => {
    expect(await csv({ data: [{ 'a,"b': 1 }] })).toBe('"a,""b"\n1\n');
    expect(await csv({ data: ['x', 5, null, true] })).toBe('value\nx\n5\n\ntrue\n');
    expect(await csv({ data: [{ a: null }, { a: { b: 1 } }, { a: {} }] })).toBe('a.b\n\n1\n\n');
  });

  it('has one record for a document, including merged fields', async () => {
    expect(await csv(document)).toBe('requestId,number,total,total_asset,status\nr,0123456789,508.50,NGN,created\n');
  });

  it('prints money whose unit is not the documented one as it came', async () => {
    expect(await csv({ ...list, data: { rows: [{ id: 'a', amount: 1.5 }] } })).toBe(`${header}a,1.5,unknown,,,,\n`);
  });

  it('says of money whose unit is unknown that it is no amount of the asset', async () => {
    const amount = { value: '7.5', asset: 'NGN', unit: 'unknown' };
    expect(await csv({ ...list, data: { rows: [{ id: 'a', amount }] } })).toBe(`${header}a,7.5,unknown,,,,\n`);
  });

  it('has the requested fields in order', async () => {
    expect(await csv(list, { fields: ['bank.code', 'amount', 'id'] })).toBe(
      'bank.code,amount,amount_asset,id\n058,1.50,NGN,a\n,,,b\n',
    );
    expect(await csv(list, { fields: ['bank'] })).toBe('bank.name,bank.code\n"B, ""C""",058\n,\n');
    expect(await csv(list, { fields: ['amount.value'] })).toBe('amount.value\n1.50\n\n');
    expect(await csv({ data: [{ a: 1, b: 2 }] }, { fields: ['b'] })).toBe('b\n2\n');
  });
});

describe('pages', () => {
  it.each(['ndjson', 'csv'] as const)('%s writes a page before it requests the next', async (format) => {
    const events: string[] = [];
    async function* more() {
      events.push('asked 2');
      yield [{ id: 'second' }];
      events.push('asked 3');
      yield [{ id: 'third' }];
    }
    const out = sink(async (text) => {
      // Simulates a slow reader: the page counts as written when the write has finished.
      await new Promise((resolve) => setTimeout(resolve, 5));
      events.push(`wrote ${/first|second|third/.exec(text)?.[0] ?? 'header'}`);
    });
    await present({ ...list, data: { rows: [{ id: 'first' }] }, more: more() }, { format, color: false }, out);
    const pages = events.filter((event) => event !== 'wrote header');
    expect(pages).toEqual(['wrote first', 'asked 2', 'wrote second', 'asked 3', 'wrote third']);
  });

  it.each(['ndjson', 'csv'] as const)('%s requests no more pages after the reader is gone', async (format) => {
    const gone = new Error('EPIPE');
    let asked = 0;
    async function* more() {
      asked++;
      yield [{ id: 'second' }];
    }
    const out = sink(() => Promise.reject(gone));
    await expect(present({ ...list, more: more() }, { format, color: false }, out)).rejects.toBe(gone);
    expect(asked).toBe(0);
  });

  it.each(FORMATS)('%s has the rows of all pages', async (format) => {
    const text = await printed({ ...list, more: pagesOf([{ id: 'third' }], [{ id: 'fourth' }]) }, { format });
    for (const id of ['a', 'b', 'third', 'fourth']) expect(text).toContain(id);
  });
});

describe('yaml', () => {
  it('writes a long list in parts as it writes a short one', async () => {
    const item = (index: number) => ({
      text: ['a', 'two\nlines', 'blank\n\n  line\n', '- x', ' indented\nmore', 'yes', '', '\u0007\n'][index % 8],
      list: [index, { deep: ['x\ny\n'] }],
      none: null,
    });
    const rows = Array.from({ length: 1_203 }, (_, index) => item(index));
    const data = { before: 'a\nb', rows, empty: [], after: { inner: rows.slice(0, 3) } };
    const text = await printed({ data }, { format: 'yaml' });
    expect(parseYaml(text)).toEqual(data);
    const piece = async (from: number, to: number) =>
      (await printed({ data: { rows: rows.slice(from, to) } }, { format: 'yaml' })).replace('rows:\n', '');
    expect(text).toContain(`rows:\n${await piece(0, 400)}${await piece(400, 800)}${await piece(800, 1_203)}empty:`);
  });

  it('parses as the same document in both YAML versions', async () => {
    const data = {
      value: '5000.00',
      account: '0123456789',
      wallet: `0x${'ab'.repeat(20)}`,
      time: '2026-11-21T13:14:05Z',
      no: 'no',
      clock: '12:30',
      lines: 'a\nb',
      rows: [{ a: null, b: true }],
      n: 1.5,
    };
    const text = await printed({ data }, { format: 'yaml' });
    expect(parseYaml(text)).toEqual(data);
    expect(parseYaml(text, { version: '1.1' })).toEqual(data);
  });

  it('keeps every digit and does not use aliases', async () => {
    const amount = { asset: 'NGN', minor: 1n };
    const data = { long: parseJson('12345678901234567890.5'), a: amount, b: amount };
    expect(await printed({ data }, { format: 'yaml' })).toBe(
      'long: 12345678901234567890.5\na:\n  value: "0.01"\n  asset: NGN\nb:\n  value: "0.01"\n  asset: NGN\n',
    );
  });
});

describe('raw', () => {
  const raw = '{"amount": 12345678901234567890.10, "x":1}';

  it('prints the text of the service unchanged', async () => {
    expect(await printed({ data: parseJson(raw), schema: listSchema, raw }, { format: 'raw' })).toBe(`${raw}\n`);
  });

  it('prints the wire data if there is no text', async () => {
    expect(await printed({ data: parseJson(raw), schema: listSchema }, { format: 'raw' })).toBe(
      '{"amount":12345678901234567890.10,"x":1}\n',
    );
    expect(await printed({ data: list.data, schema: listSchema, lists: 'rows' }, { format: 'raw' })).toBe(
      `${JSON.stringify(list.data)}\n`,
    );
    expect(await printed({ data: { a: { asset: 'NGN', minor: 1n } } }, { format: 'raw' })).toBe(
      '{"a":{"value":"0.01","asset":"NGN"}}\n',
    );
  });

  it('joins the rows of all pages in wire units', async () => {
    const result = {
      ...list,
      data: { rows: [one], total: 2 },
      raw,
      more: pagesOf([parseJson('{"amount": 12345678901234567890}')]),
    };
    expect(await printed(result, { format: 'raw' })).toBe(
      `{"rows":[${JSON.stringify(one)},{"amount":12345678901234567890}],"total":2}\n`,
    );
  });
});

describe('--fields', () => {
  it.each([
    [
      'rows of a list alone',
      list,
      ['amount', 'id'],
      '{"rows":[{"amount":{"value":"1.50","asset":"NGN"},"id":"a"},{"amount":null,"id":"b"}]}',
    ],
    [
      'dotted paths, nested as they were',
      list,
      ['bank.code', 'id', 'bank.name'],
      '{"rows":[{"bank":{"code":"058","name":"B, \\"C\\""},"id":"a"},{"bank":null,"id":"b"}]}',
    ],
    ['a whole object', list, ['bank'], '{"rows":[{"bank":{"name":"B, \\"C\\"","code":"058"}},{"bank":null}]}'],
    ['the figure of an amount', list, ['amount.value'], '{"rows":[{"amount":{"value":"1.50"}},{"amount":null}]}'],
    ['the same field twice', list, ['id', 'id'], '{"rows":[{"id":"a"},{"id":"b"}]}'],
    ['an array', { data: [{ a: 1, b: 2 }] }, ['b'], '[{"b":2}]'],
    ['a document', document, ['status', 'total'], '{"status":"created","total":{"value":"508.50","asset":"NGN"}}'],
    ['a field that is not there', { ...list, data: { rows: [{}] } }, ['id'], '{"rows":[{"id":null}]}'],
    ['a document without schema', { data: { a: { b: 1, c: 2 }, d: 3 } }, ['a.c'], '{"a":{"c":2}}'],
    ['no rows, no schema', { data: [] }, ['x'], '[]'],
  ])('picks %s', async (_name, result: Result, fields, json) => {
    expect(JSON.stringify(JSON.parse(await printed(result, { fields })))).toBe(json);
  });

  const known = 'available fields: id, amount, done, bank.name, bank.code, tags';
  it.each([
    ['an unknown field', list, ['id', 'nope'], `unknown field "nope"; ${known}`],
    ['a field beside the list', list, ['total'], `unknown field "total"; ${known}`],
    ['a path into a scalar', list, ['id.x'], `unknown field "id.x"; ${known}`],
    ['a path into a list', list, ['tags.0'], `unknown field "tags.0"; ${known}`],
    ['a part no amount has', list, ['amount.minor'], `unknown field "amount.minor"; ${known}`],
    ['an inherited name', list, ['__proto__'], `unknown field "__proto__"; ${known}`],
    ['an empty name', list, [''], `unknown field ""; ${known}`],
    ['no name', list, [], '--fields is empty; name at least one field'],
    ['control characters', list, ['a\u001b[31m'], `unknown field "a?[31m"; ${known}`],
    [
      'the merged object',
      document,
      ['account.number'],
      'unknown field "account.number"; available fields: requestId, number, total, status',
    ],
    ['without schema', { data: { a: 1, b: { c: 2 } } }, ['x'], 'unknown field "x"; available fields: a, b.c'],
  ])('rejects %s in every format before printing', async (_name, result: Result, fields, message) => {
    for (const format of ['json', 'ndjson', 'csv', 'yaml', 'table'] as const) {
      const out = sink();
      const refusal = present(result, { format, color: false, fields }, out);
      await expect(refusal).rejects.toMatchObject({ name: 'CliError', category: 'usage', message });
      expect(out.writes).toEqual([]);
    }
  });

  it('accepts fields of an object with unknown fields', async () => {
    const schema = f.payload({ metadata: f.group('public', {}) });
    expect(
      await printed({ data: { metadata: { a: { b: 1 } } }, schema }, { fields: ['metadata.a.b'], format: 'ndjson' }),
    ).toBe('{"metadata":{"a":{"b":1}}}\n');
  });
});

describe('--query', () => {
  const ask = (query: string, format: PresentOptions['format'], result: Result = list) =>
    printed(result, { query, format });

  it.each([
    ['rows[].id', 'json', '[\n  "a",\n  "b"\n]\n'],
    ['rows[].id', 'ndjson', '"a"\n"b"\n'],
    ['rows[].id', 'table', 'a\nb\n'],
    ['rows[].id', 'csv', 'value\na\nb\n'],
    ['rows[0].amount.value', 'json', '"1.50"\n'],
    ['rows[0].amount.value', 'table', '1.50\n'],
    ['rows[0].amount', 'table', '₦1.50\n'],
    ['rows[0].amount', 'csv', 'value,value_asset\n1.50,NGN\n'],
    ['rows[].amount', 'csv', 'value,value_asset\n1.50,NGN\n'],
    ['total', 'table', '3\n'],
    ['total', 'yaml', '3\n'],
    ['rows[0].done', 'table', 'true\n'],
    ['nope', 'table', 'null\n'],
    ['nope', 'json', 'null\n'],
    ['length(rows)', 'ndjson', '2\n'],
    ['rows[?done].{id: id, code: bank.code}', 'csv', 'id,code\na,058\n'],
    ['rows[?id==`"z"`]', 'json', '[]\n'],
    ['rows[?id==`"z"`]', 'table', '(none)\n'],
    ['toString', 'json', 'null\n'],
  ] as const)('%s as %s', async (query, format, text) => {
    expect(await ask(query, format)).toBe(text);
  });

  it('sees all pages and merged fields', async () => {
    expect(await ask('rows[].id', 'ndjson', { ...list, more: pagesOf([{ id: 'c' }]) })).toBe('"a"\n"b"\n"c"\n');
    expect(await ask('total.value', 'table', document)).toBe('508.50\n');
  });

  it('keeps every digit', async () => {
    expect(await ask('n', 'table', { data: parseJson('{"n": 12345678901234567890.5}') })).toBe(
      '12345678901234567890.5\n',
    );
  });

  it.each(['rows[', '', 'nope(@)', '`{bad`', 'length(total)', 'rows[?'])(
    'rejects %j and names the problem',
    async (query) => {
      const out = sink();
      const refusal = present(list, { format: 'json', color: false, query }, out);
      await expect(refusal).rejects.toBeInstanceOf(CliError);
      await expect(refusal).rejects.toMatchObject({
        category: 'usage',
        message: expect.stringMatching(/^invalid JMESPath in --query: ./),
      });
      expect(out.writes).toEqual([]);
    },
  );
});

describe('invalid options', () => {
  it.each([
    ['fields and query', { format: 'json', fields: ['id'], query: 'rows' }, '--fields and --query cannot be combined'],
    [
      'raw with fields',
      { format: 'raw', fields: ['id'] },
      '-o raw prints the response unchanged and cannot be combined with --fields',
    ],
    [
      'raw with query',
      { format: 'raw', query: 'rows' },
      '-o raw prints the response unchanged and cannot be combined with --query',
    ],
    [
      'an unknown field',
      { format: 'json', fields: ['x'] },
      'unknown field "x"; available fields: id, amount, done, bank.name, bank.code, tags',
    ],
    [
      'a broken query',
      { format: 'json', query: 'rows[' },
      'invalid JMESPath in --query: Syntax error: expected Star, got: EOF',
    ],
  ] as const)('%s: rejected before sending', async (_name, options, message) => {
    const refusal = checkOptions({ schema: listSchema, lists: 'rows' }, { color: false, ...options });
    await expect(refusal).rejects.toMatchObject({ category: 'usage', message });
  });

  it.each(['table', 'json', 'raw'] as const)('rejects --csv-raw with -o %s', async (format) => {
    await expect(checkOptions({}, { format, color: false, isCsvRaw: true })).rejects.toMatchObject({
      category: 'usage',
      message: `--csv-raw applies only to CSV; the output format is ${format}`,
    });
  });

  it('checks fields against the data if the shape is unknown', async () => {
    await expect(checkOptions({}, { format: 'json', color: false, fields: ['x'] })).resolves.toBeUndefined();
  });
});

describe('text that is written in parts', () => {
  const parts = (count: number, error?: Error): Result => ({
    data: null,
    always: 'text',
    writeText: async (write) => {
      for (let part = 0; part < count; part++) await write(`${part} ${'x'.repeat(90)}\n`);
      if (error) throw error;
    },
  });

  it('is whole, in few writes, and before the error that says what is wrong with it', async () => {
    const out = sink();
    const error = new CliError('declined', 'not complete');
    await expect(present(parts(10_000, error), { format: 'table', color: false }, out)).rejects.toBe(error);
    expect(
      out.writes
        .join('')
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual([...Array.from({ length: 10_000 }, (_, part) => String(part)), '']);
    expect(out.writes.length).toBeLessThan(20);
  });

  it('has no control characters of a terminal', async () => {
    const result: Result = { ...parts(0), writeText: (write) => write('a\x1b[31mb\u202e\n') };
    expect(await printed(result)).toBe('ab\n');
  });

  it('is made to its end when nobody reads it, and its own error counts more', async () => {
    const closed = Object.assign(new Error('closed'), { code: 'EPIPE' });
    const out = { ...sink(), write: () => Promise.reject(closed) };
    const options: PresentOptions = { format: 'table', color: false };
    await expect(present(parts(10_000), options, out)).rejects.toBe(closed);
    const error = new CliError('declined', 'not complete');
    await expect(present(parts(10_000, error), options, out)).rejects.toBe(error);
  });
});
