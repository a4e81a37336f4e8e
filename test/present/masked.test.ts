import { describe, expect, test } from 'vitest';
import { controls } from '../../src/contract/control.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createMask } from '../../src/contract/mask/index.ts';
import { elementOf, fieldOf, unwrap } from '../../src/contract/rows.ts';
import { maskedStream } from '../../src/present/masked.ts';
import { FORMATS, type Format, type Result } from '../../src/present/result.ts';
import { CANARY, ENCODINGS, planted } from '../contract/canaries.ts';
import { pagesOf, printed, sink } from './support.ts';

/** The response of an endpoint as a command prints it, with a canary in each field that tells about someone. */
const RESULTS = [...controls, ...endpoints].flatMap(({ id, response, nests, lists }) => {
  const schema = response();
  const { value, canaries } = planted(schema);
  if (canaries.length === 0) return [];
  const list = lists === undefined ? undefined : fieldOf(unwrap(schema).schema, lists);
  const element = list && elementOf(unwrap(list).schema);
  // The pages of a result can be read once.
  const result = (): Result => ({
    data: value,
    schema,
    raw: JSON.stringify(value),
    ...(nests !== undefined && { nests }),
    ...(lists !== undefined && { lists }),
    ...(element && { more: pagesOf([planted(element).value as never]) }),
  });
  return [{ id, result, canaries }];
});

const leaks = (text: string, canaries: readonly string[]) =>
  canaries.filter((canary) => Object.values(ENCODINGS).some((encoded) => text.includes(encoded(canary))));

describe.each(FORMATS)('as %s, a masked response', (format: Format) => {
  test.each(RESULTS)('has no canary: $id', async ({ result, canaries }) => {
    const whole = await printed(result(), { format });
    // A table, a line and a row leave out what is around a list.
    if (format === 'json' || format === 'raw') expect(leaks(whole, canaries)).not.toEqual([]);
    const text = await printed(result(), { format, mask: createMask() });
    expect(CANARY.exec(text)?.[0]).toBe(undefined);
    expect(leaks(text, canaries)).toEqual([]);
  });
});

const ROW = { userId: 'u-1', firstName: 'Siobhan', lastName: "O'Dea" };
const USERS = endpoints.find(({ id }) => id === 'users.list');
const users: Result = { data: { users: [ROW] }, ...(USERS && { schema: USERS.response() }), lists: 'users' };

test('a query sees no more than what is printed', async () => {
  const mask = createMask();
  expect(await printed(users, { format: 'json', mask, query: "users[?firstName=='Siobhan']" })).toBe('[]\n');
  expect(await printed(users, { format: 'json', mask, query: 'users[].firstName' })).toBe('[\n  "name-1"\n]\n');
});

test('further pages keep the handles of the first', async () => {
  const more = pagesOf([{ ...ROW, userId: 'u-2' }], [{ firstName: 'Ada', lastName: "o'dea" }]);
  expect(
    await printed(
      { ...users, more },
      { format: 'csv', mask: createMask(), fields: ['userId', 'firstName', 'lastName'] },
    ),
  ).toBe('userId,firstName,lastName\nu-1,name-1,name-2\nu-2,name-1,name-2\n,name-3,name-2\n');
});

test('amounts, states and unknown figures stay', async () => {
  const payouts = endpoints.find(({ id }) => id === 'transactions.list-payouts');
  const row = { id: 'p', amount: 12_345_678_901, status: 'completed', bankAccount: { accountName: 'completed' } };
  const result: Result = { data: { payouts: [row] }, ...(payouts && { schema: payouts.response() }), lists: 'payouts' };
  const [masked, whole] = await Promise.all(
    [createMask(), undefined].map(async (mask) => JSON.parse(await printed(result, { format: 'json', mask }))),
  );
  expect(masked.payouts[0]).toEqual({ ...whole.payouts[0], bankAccount: { accountName: 'name-1' } });
});

test('the columns of a query are masked by their names, and by their forms where nobody knows them', async () => {
  const data = {
    rows: [{ first_name: 'Ada', x: 'Obi', status: 'pending', n: 12_345_678_901, at: '2026-11-27T03:52:47.000Z' }],
  };
  expect(
    JSON.parse(await printed({ data, lists: 'rows', isForeign: 'texts' }, { format: 'json', mask: createMask() })).rows,
  ).toEqual([{ ...data.rows[0], first_name: 'name-1', x: 'text-2' }]);
});

test('the exact bytes of a response are not printed', async () => {
  const exact = Buffer.from('{"firstName":"Siobhan"}');
  expect(await printed({ ...users, raw: String(exact), exact }, { format: 'raw', mask: createMask() })).toBe(
    '{"firstName":"name-1"}\n',
  );
});

test('a table below a list is masked', async () => {
  const below = { title: 'Others', rows: [{ accountName: 'Ada' }], columns: [{ field: 'accountName', title: 'Name' }] };
  const text = await printed({ ...users, below }, { format: 'table', mask: createMask() });
  expect(text).not.toContain('Ada');
  expect(text).toContain('Others\n');
});

test('a stream masks every text, and not the bytes of a program', async () => {
  const [out, mask] = [sink(), createMask()];
  mask.learn({ accountName: 'Ada' });
  const stream = maskedStream(out, mask);
  await stream.write('ADA has 0123456789\n');
  await stream.write(Buffer.from('Ada'));
  expect(out.writes).toEqual(['name-1 has account-2\n', Buffer.from('Ada')]);
  expect(stream.masking?.unmasked).toBe(out);
});
