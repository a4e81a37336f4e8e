import { expect, test } from 'vitest';
import { ANYWHERE } from '../../src/contract/descriptions/anywhere.ts';
import { BY_OPERATION } from '../../src/contract/descriptions/by-operation.ts';
import { OPERATIONS } from '../../src/contract/descriptions/operations.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { type FieldRow, rowsOf } from '../../src/contract/rows.ts';
import { aboutField, aboutOperation } from '../../src/derive/about.ts';
import type { FieldOwner } from '../../src/derive/describe.ts';

const fieldsOf = (owner: FieldOwner, rows: readonly FieldRow[]) =>
  rows.map(({ name }) => ({ owner, path: name.replaceAll('[]', '').split('.') }));

/** Every field of the contract with what it belongs to. */
const fields = [
  ...endpoints.flatMap((endpoint) => [
    ...fieldsOf({ id: endpoint.id, isRequest: true }, rowsOf(endpoint.request())),
    ...fieldsOf({ id: endpoint.id }, rowsOf(endpoint.response())),
  ]),
  ...Object.entries(EVENT_PAYLOADS).flatMap(([id, payload]) => fieldsOf({ id }, rowsOf(payload()))),
];

test('every field of every request, response and event has a description', () => {
  const texts = fields.map(({ owner, path }) => aboutField(owner, path));
  expect(texts.length).toBeGreaterThan(1600);
  expect(texts.filter((text) => !/^[`A-Z0-9].*\.$/.test(text))).toEqual([]);
});

test('a field without a description, or an operation, is reported by name', () => {
  expect(() => aboutField({ id: 'fx.trade' }, ['trade', 'colour'])).toThrow('the field trade.colour of fx.trade');
  expect(() => aboutOperation('fx.paint')).toThrow('the operation fx.paint');
});

test('every operation has a description, and no other', () => {
  expect(Object.keys(OPERATIONS).toSorted()).toEqual(endpoints.map(({ id }) => id).toSorted());
});

test('no description is left without a field', () => {
  const used = new Set(fields.map(({ owner, path }) => aboutField(owner, path)));
  const texts = [ANYWHERE, ...Object.values(BY_OPERATION)].flatMap((table) => Object.values(table));
  expect(texts.length).toBeGreaterThan(600);
  expect(texts.filter((text) => !used.has(text))).toEqual([]);
});

test('the most special text is taken: of the operation, of operations that begin alike, of any', () => {
  expect(aboutField({ id: 'fx.update-limit-order' }, ['order', 'status'])).toBe('The status of the order.');
  expect(aboutField({ id: 'fx.trade-status' }, ['trade', 'status'])).toMatch(/^The status of the trade\./);
  expect(aboutField({ id: 'transactions.list-deposits', isRequest: true }, ['limit'])).toMatch(/^The maximum number/);
  expect(aboutField({ id: 'transactions.list-deposits' }, ['limit'])).toBe('The page size that was applied.');
  expect(aboutField({ id: 'transactions.list' }, ['transactions', 'depositor', 'bankName'])).toMatch(/sender’s bank/);
});
