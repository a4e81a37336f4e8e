import { describe, expect, test } from 'vitest';
import { type Endpoint, FAILS } from '../../src/contract/endpoint.ts';
import { valuesOf } from '../../src/contract/fields.ts';
import { fieldOf, rowsOf, unwrap } from '../../src/contract/rows.ts';
import { hasFailed, isDone } from '../../src/copy/schema.ts';
import { TABLES } from '../../src/copy/tables.ts';
import type { DrawRows } from '../../src/present/draw.ts';
import type { Paint } from '../../src/present/style.ts';
import { listingText } from '../../src/present/table.ts';
import { THINGS, thingNamed } from '../../src/things/index.ts';
import { isAccountClosed, waitsForPayment } from '../../src/things/onramp.ts';
import { endsOf, meaningIn, outcomeIn, undoneStatesOf } from '../../src/things/states.ts';

const withStates = THINGS.filter(({ states }) => states !== undefined);

/** The states that the contract knows in a field of a response. */
function statesIn({ response }: Endpoint, path: readonly string[]): readonly string[] {
  const found = path.reduce((schema, name) => {
    const field = fieldOf(unwrap(schema).schema, name);
    if (!field) throw new Error(`no response has ${path.join('.')}`);
    return field;
  }, response());
  return /^enum\[(.*)\]$/.exec(unwrap(found).meta?.type ?? '')?.[1]?.split(',') ?? [];
}

const drawRows: DrawRows = (rows) => rows.map((cells) => cells.map(({ shown }) => shown).join(' '));

describe('the states of a thing', () => {
  test.each(withStates)('that failed are those with which the endpoints of a $name say so', (thing) => {
    const endpoints = [...thing.starts, ...(thing.read ? [thing.read.endpoint] : [])];
    for (const { id, fails = FAILS } of endpoints)
      expect(new Set(endsOf(thing).failed), id).toEqual(new Set(fails['status']));
  });

  test.each(withStates.flatMap(({ name, states, read }) => (states && read ? [{ name, states, read }] : [])))(
    'that the status of a $name has are all known',
    ({ states, read }) => {
      const documented = statesIn(read.endpoint, [...(read.in ? [read.in] : []), 'status']);
      expect(documented.length).toBeGreaterThan(2);
      expect(documented.filter((state) => !meaningIn(states, state))).toEqual([]);
    },
  );

  test.each(['swap', 'bridge transfer', 'fee withdrawal', 'withdrawal', 'transfer'])(
    'cancelled ends a %s badly, although no document says so',
    (name) => {
      const thing = thingNamed(name);
      const rows = [...thing.starts, ...(thing.read ? [thing.read.endpoint] : [])].flatMap(({ response }) =>
        rowsOf(response()).filter((row) => row.name === 'status'),
      );
      expect(rows.flatMap((row) => valuesOf(row) ?? [])).not.toContain('cancelled');
      expect(outcomeIn(thing, 'cancelled')).toBe('failed');
    },
  );

  test.each(withStates)('of a $name have the color of what they mean, where they have one', (thing) => {
    const [colors, found] = [{ accepted: 'yellow', settled: 'green', failed: 'red' }, new Set<string>()];
    for (const state of Object.keys(thing.states ?? {})) {
      const paint: Paint = (text, style) => (text.includes(state) ? `<${style}>` : text);
      const frame = { width: Number.POSITIVE_INFINITY, isPiped: false, drawRows, paint };
      const [, color] = /<(\w+)>/.exec(listingText([{ kind: 'pair', title: 'Status', text: state }], frame)) ?? [];
      if (color) found.add(color);
      expect([undefined, colors[outcomeIn(thing, state)]], state).toContain(color);
    }
    expect(found.size).toBeGreaterThan(1);
  });

  test('mean the same wherever a list has several things', () => {
    for (const { name, done, failed } of TABLES)
      expect(
        done.filter((state) => failed.includes(state)),
        name,
      ).toEqual([]);
  });

  test('end a row of the copy as they end a wait', () => {
    for (const thing of withStates) {
      const table = TABLES.find(({ name }) => name === thing.list?.name);
      if (!table) continue;
      const { done, failed } = endsOf(thing);
      expect(table.done).toEqual(expect.arrayContaining([...done]));
      expect(table.failed).toEqual(expect.arrayContaining([...failed]));
      for (const state of done) expect(isDone(table)).toContain(`'${state}'`);
      for (const state of failed) expect(hasFailed(table)).toContain(`'${state}'`);
    }
  });

  test('undo only what had ended well, and are failures', () => {
    const undone = withStates.flatMap((thing) => undoneStatesOf(thing).map((state) => [thing.name, state]));
    expect(undone).toEqual([['payout', 'reversed']]);
    for (const thing of withStates)
      expect(endsOf(thing).failed).toEqual(expect.arrayContaining([...undoneStatesOf(thing)]));
  });
});

test.each([
  [{ status: 'requested' }, true, false],
  [{ status: 'pending', wallet: { virtualAccountStatus: 'active' } }, true, false],
  [{ status: 'pending', wallet: { virtualAccountStatus: 'used' } }, true, true],
  [{ status: 'pending', wallet: { virtualAccountStatus: 'expired' } }, true, true],
  [{ status: 'processing', wallet: null }, false, false],
  [{ status: 'completed' }, false, false],
  [{ status: null }, false, false],
])('an onramp that is %j waits for its payment: %s, at an account that takes no more: %s', (shown, waits, isClosed) => {
  expect([waitsForPayment(shown), isAccountClosed(shown)]).toEqual([waits, isClosed]);
});
