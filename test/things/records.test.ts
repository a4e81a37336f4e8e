import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { valuesOf } from '../../src/contract/fields.ts';
import { redactUnknown } from '../../src/contract/redact.ts';
import { elementOf, type FieldRow, fieldOf, rowsOf, unwrap } from '../../src/contract/rows.ts';
import { TABLES } from '../../src/copy/tables.ts';
import { changes } from '../../src/engine/evidence/changes.ts';
import { workStartedBy } from '../../src/engine/evidence/find-work.ts';
import { eventNamesOf } from '../../src/things/due.ts';
import { titleOf } from '../../src/things/fields.ts';
import { loadThingStartedBy } from '../../src/things/find.ts';
import { LISTS, OWNER_FIELDS, THINGS, thingOfRow, thingStartedBy, thingWithEvent } from '../../src/things/index.ts';
import { goesOn, outcomeIn, usualStateOf } from '../../src/things/states.ts';
import type { ServiceList, Thing } from '../../src/things/thing.ts';

const inner = (schema: z.ZodMiniType, name: string): z.ZodMiniType => {
  const field = fieldOf(schema, name);
  if (!field) throw new Error(`no field ${name}`);
  return unwrap(field).schema;
};

/** What the contract has of one row of a list. */
function rowFields({ endpoint, rows }: ServiceList): readonly FieldRow[] {
  const row = elementOf(inner(endpoint.response(), rows));
  if (!row) throw new Error(`${rows} is no list`);
  return rowsOf(row);
}

/** What the contract has of a thing where its state is read. */
const statusFields = ({ read }: Thing): readonly FieldRow[] =>
  read ? rowsOf(read.in ? inner(read.endpoint.response(), read.in) : read.endpoint.response()) : [];

const startFields = ({ starts }: Thing): readonly FieldRow[] => starts.flatMap((each) => rowsOf(each.response()));

/** What is known of a thing besides: the requests that start it, and what is read when it was started. */
async function otherFields({ starts }: Thing): Promise<readonly FieldRow[]> {
  const works = await Promise.all(starts.map(({ id }) => workStartedBy(id)));
  const also = works.flatMap((work) => work?.also?.endpoint ?? []);
  const answers = also.map(({ nests, response }) => (nests ? inner(response(), nests) : response()));
  return [...starts.map((each) => each.request()), ...answers].flatMap((each) => rowsOf(each));
}

/** Every field of a thing that the contract has, wherever it shows the thing; the things of one list share their facts. */
async function fieldsOf(thing: Thing): Promise<readonly FieldRow[]> {
  const { list } = thing;
  const alike = list ? THINGS.filter((each) => each.list === list) : [thing];
  const others = await Promise.all(alike.map(otherFields));
  return [
    ...(list ? rowFields(list) : []),
    ...alike.flatMap((each) => [...statusFields(each), ...startFields(each)]),
    ...others.flat(),
  ];
}

const names = (rows: readonly FieldRow[]) => new Set(rows.map(({ name }) => name));

const documentedStates = (rows: readonly FieldRow[], field: string) =>
  rows.filter(({ name }) => name === field).flatMap((row) => valuesOf(row) ?? []);

const duplicates = (all: readonly string[]) => all.filter((each, at) => all.indexOf(each) !== at);

const idOf = ({ name, of }: Thing) => (name === 'deposit' ? `${name} of the ${of}` : name);

const things = THINGS.map((thing) => [idOf(thing), thing] as const);
const lists = LISTS.map((list) => [list.name, list] as const);
const withStates = things.filter(([, { states }]) => states !== undefined);

/** The endpoints that move money, by any of their actions. */
const MONEY = endpoints.filter(
  ({ effect, effects }) => effect === 'money' || Object.values(effects?.of ?? {}).includes('money'),
) as readonly Endpoint[];

test('every record of src/things is a kind of thing that others find, and no two have one name and owner', () => {
  expect(THINGS.length).toBeGreaterThan(15);
  expect(duplicates(THINGS.map(({ name, of }) => `${name} ${of}`))).toEqual([]);
  expect(duplicates(LISTS.map(({ name }) => name))).toEqual([]);
  for (const { list } of THINGS) if (list) expect(LISTS).toContain(list);
});

const eventsThatGoOn = (events: Thing['events']) =>
  Object.values(events).filter((meaning) => meaning?.outcome === 'accepted');

test('what names a user, or a wallet of one, is a field of whose a row is', () => {
  const named = lists.flatMap(([, list]) => [...names(rowFields(list))]);
  const wallets = ['userId', 'walletAddress', 'sourceWalletAddress', 'smartWalletAddress', 'virtualAccountNumber'];
  for (const field of wallets) {
    expect(named).toContain(field);
    expect(OWNER_FIELDS).toContain(field);
  }
});

test('every event of the service is about a thing', () => {
  const told = new Set(THINGS.flatMap(eventNamesOf));
  expect(EVENTS.map(({ name }) => name).filter((name) => !told.has(name))).toEqual([]);
});

test.each([
  ['user.onboarded', 'onboarding'],
  ['payments.confirmed', 'onramp'],
  ['fintech.user.deposit.received', 'deposit of the user'],
  ['fintech.virtual_account.deposit.received', 'deposit of the account'],
  ['swap.failed', 'swap'],
  // Its id is that of what the account was opened for, which nothing says.
  ['virtual.account.created', undefined],
  ['an.event.that.nobody.knows', undefined],
])('the request id of %s is that of: %s', (event, named) => {
  const found = thingWithEvent(event);
  expect(found && idOf(found)).toBe(named);
});

describe('the states of a thing', () => {
  const going = withStates.filter(([, { list, events }]) => list && eventsThatGoOn(events).length > 0);

  test.each(going)('%s: an event that it goes on has a status of its list', (_name, thing) => {
    const { list } = thing;
    const usual = usualStateOf(thing) ?? 'none';
    expect(goesOn(thing, usual)).toBe(true);
    expect(list && documentedStates(rowFields(list), list.status)).toContain(usual);
  });

  test.each(withStates)('%s: each that the contract documents has a meaning', (_name, thing) => {
    const { states = {}, list, read } = thing;
    const documented = [
      ...documentedStates(statusFields(thing), 'status'),
      ...documentedStates(startFields(thing), 'status'),
      ...(list ? documentedStates(rowFields(list), list.status) : []),
    ];
    expect(read ?? list).toBeDefined();
    expect(documented.filter((state) => !Object.hasOwn(states, state))).toEqual([]);
  });

  test.each(withStates)('%s: some go on, some end well, and some end badly', (_name, thing) => {
    const all = Object.keys(thing.states ?? {});
    expect(new Set(all.map((state) => outcomeIn(thing, state)))).toEqual(new Set(['accepted', 'settled', 'failed']));
    for (const state of all) expect(goesOn(thing, state), state).toBe(outcomeIn(thing, state) === 'accepted');
  });

  test.each(withStates)('%s: one that says of itself in the contract that it failed ends badly', (_name, thing) => {
    const { read, starts, states = {} } = thing;
    const failed = [...(read ? [read.endpoint] : []), ...starts]
      .flatMap(({ fails }) => fails?.['status'] ?? [])
      .map(String)
      .filter((state) => Object.hasOwn(states, state));
    for (const state of failed) expect(outcomeIn(thing, state), state).toBe('failed');
  });
});

describe('the fields of a thing', () => {
  test.each(things)('%s: facts are in the contract', async (_name, thing) => {
    const known = names(await fieldsOf(thing));
    expect(thing.facts.flatMap(({ fields }) => fields).filter((field) => !known.has(field))).toEqual([]);
  });

  test.each(things)('%s: amount, name, links and reason are in the contract', async (_name, thing) => {
    const known = names(await fieldsOf(thing));
    const { amount, who, links, reason } = thing;
    expect([...amount, ...who, ...links, ...reason].filter((field) => !known.has(field))).toEqual([]);
  });

  test.each(things)('%s: amounts have a unit and times are times in the contract', async (_name, thing) => {
    const rows = await fieldsOf(thing);
    const of = (field: string) => rows.filter(({ name }) => name === field);
    for (const { fields, kind } of thing.facts)
      for (const field of fields) {
        if (kind === 'amount')
          expect(
            of(field).map(({ unit }) => unit),
            field,
          ).not.toContain(undefined);
        if (kind === 'time') expect(new Set(of(field).map(({ type }) => type)), field).toEqual(new Set(['datetime']));
      }
    for (const field of thing.amount)
      expect(
        of(field).some(({ unit }) => unit !== undefined),
        field,
      ).toBe(true);
  });

  test.each(things.filter(([, { read }]) => read))(
    '%s: the id that its status is read by is a field of the request',
    (_name, thing) => {
      const { read, list } = thing;
      expect(names(rowsOf(read?.endpoint.request() as z.ZodMiniType))).toContain(read?.id);
      if (read?.createdAt) expect(names(statusFields(thing))).toContain(read.createdAt);
      if (list) expect(names(rowFields(list))).toContain(list.id);
    },
  );
});

describe('a list', () => {
  test.each(lists)('%s: id, status, time, label and columns are fields of its rows', (_name, list) => {
    const known = names(rowFields(list));
    const columns = list.columns.map((column) => (typeof column === 'string' ? column : column.field));
    const all = [list.id, list.createdAt, ...(list.status ? [list.status] : []), ...list.label, ...columns];
    expect(all.filter((field) => !known.has(field))).toEqual([]);
    // Throws for a column that has no title.
    for (const column of columns) expect(titleOf(list, column)).not.toBe('');
    expect(duplicates(columns)).toEqual([]);
  });

  test.each(lists)('%s: a fact with a column is copied from a field of its rows', (_name, list) => {
    const known = names(rowFields(list));
    const copied = list.facts.filter(({ column, isElsewhere }) => column !== undefined && !isElsewhere);
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.flatMap(({ fields: [field = ''] }) => (known.has(field) ? [] : [field]))).toEqual([]);
  });

  test.each(TABLES.map((table) => [table.name, table] as const))(
    '%s: no column of the copy is there twice',
    (_name, { columns }) => {
      const all = columns.flatMap(({ name, kind }) =>
        kind === 'amount' ? [`${name}_minor`, `${name}_asset`] : [name],
      );
      expect(duplicates([...all, 'id', 'status', 'created_at', 'json', 'is_open', 'gone_at'])).toEqual([]);
    },
  );

  test.each(lists)('%s: a label is no secret, and of a user only the name', (_name, list) => {
    const rows = rowFields(list);
    const isOfUser = THINGS.some((thing) => thing.list === list && thing.of === 'user');
    expect(list.label.length).toBeGreaterThan(0);
    for (const field of list.label) {
      const leaf = field.split('.').at(-1) ?? '';
      expect(rows.find(({ name }) => name === field)?.secret, field).not.toBe(true);
      expect(redactUnknown({ [leaf]: 'shown' }), field).toEqual({ [leaf]: 'shown' });
      const fact = list.facts.find(({ fields }) => fields.includes(field));
      if (isOfUser && fact?.isPersonal) expect(fact.isName, field).toBe(true);
    }
  });

  test.each(lists)(
    '%s: each name of a person and each account number of one is kept only for some time',
    (_name, list) => {
      const personal = rowFields(list).filter(({ personal: kind }) => kind === 'name' || kind === 'account');
      const kept = list.facts.filter(
        ({ fields: [field], column, isPersonal }) =>
          column !== undefined && !isPersonal && personal.some(({ name }) => name === field),
      );
      expect(kept.map(({ title }) => title)).toEqual([]);
    },
  );

  test.each(lists)('%s: a row is a thing whose list it is', (_name, list) => {
    const own = THINGS.filter((thing) => thing.list === list);
    expect(own.length).toBeGreaterThan(0);
    expect(duplicates(own.flatMap(({ types = [] }) => types))).toEqual([]);
    for (const thing of own)
      for (const type of thing.types ?? [undefined]) expect(thingOfRow(list.name, type)).toBe(thing);
    // A row of a type that nobody documented is not taken for money of the account.
    if (own.length > 1) expect(thingOfRow(list.name, 'a new type').of).toBe('user');
  });
});

describe('what starts a thing', () => {
  const started = THINGS.flatMap((thing) => thing.starts.map((start) => [start.id, thing] as const));

  test('is one endpoint for one thing', () => {
    expect(started.length).toBeGreaterThan(10);
    expect(duplicates(started.map(([id]) => id))).toEqual([]);
  });

  test.each(started)('%s is found without loading the others', async (id, thing) => {
    expect(await loadThingStartedBy(id)).toBe(thing);
    expect(thingStartedBy(id)).toBe(thing);
  });

  test.each(endpoints.filter(({ id }) => !started.some(([start]) => start === id)).map(({ id }) => id))(
    'is not %s',
    async (id) => {
      expect(await loadThingStartedBy(id)).toBeUndefined();
      expect(thingStartedBy(id)).toBeUndefined();
    },
  );

  test.each(MONEY.map(({ id }) => id))('or is a change that is looked for: %s', (id) => {
    const isChange = changes.some(({ starts }) => starts.some((start) => start.id === id));
    expect(isChange).toBe(thingStartedBy(id) === undefined);
  });
});
