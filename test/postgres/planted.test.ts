import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openCopyServer } from '../../src/copy/postgres.ts';
import { GRANTS as OF_COPY } from '../../src/copy/schema.ts';
import { ServerError } from '../../src/journal/postgres/errors.ts';
import { GRANTS as OF_JOURNAL } from '../../src/journal/postgres/schema.ts';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { stateError } from '../../src/terminal/show/failures.ts';
import { GRANTS as OF_INBOX } from '../../src/webhooks/inbox/postgres/schema.ts';
import { fiatrail, newHome, ROOT, requireBuilt, startFiatrail } from '../support/built.ts';
import { closedPort } from '../support/loopback.ts';
import type { TestServer } from '../support/postgres.ts';
import { countingIds, fakeClock } from '../support/sandbox.ts';
import { accountEnv, sendEvent } from '../tools/listener.ts';
import { deliveryOf, hostWith, onboarded, received } from '../webhooks/support.ts';
import { asRole, openOn, startWithRoles } from './inboxes.ts';
import { openHost, stateFolder } from './support.ts';

/** What is opened, and what asks again while it is open. */
interface Opened {
  again(): Promise<unknown>;
  close(): unknown;
}

/** One of the databases, and the table and the function that someone plants something in. */
interface Planted {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  /** A function of its own, if it has one. */
  readonly runs?: string;
  readonly grants: readonly string[];
  open(url: string): Promise<Opened>;
}

function openCopy(url: string) {
  const dir = stateFolder();
  const access = { dir, localPath: `${dir}/copy.db`, password: async () => undefined };
  return openCopyServer(serverAddressOf(url), access, { clock: fakeClock(), ids: countingIds(), host: hostWith(1) });
}

const DATABASES: Readonly<Record<'journal' | 'inbox' | 'copy', Planted>> = {
  journal: {
    schema: 'fiatrail',
    table: 'entry',
    column: 'state',
    runs: 'reject',
    grants: OF_JOURNAL.host,
    open: async (url) => {
      const journal = await openHost(url);
      return { again: () => journal.requireLastLink(), close: () => {} };
    },
  },
  inbox: {
    schema: 'fiatrail_inbox',
    table: 'event',
    column: 'body',
    runs: 'tally_event_insert',
    grants: OF_INBOX.host,
    open: async (url) => {
      const inbox = await openOn(url, { clock: fakeClock(), host: hostWith(1) });
      await inbox.claim('here');
      return { again: () => inbox.touch(), close: () => inbox.close() };
    },
  },
  copy: {
    schema: 'fiatrail_copy',
    table: 'person_name',
    column: 'folded',
    grants: OF_COPY.host,
    open: async (url) => {
      const copy = await openCopy(url);
      return { again: () => copy.lock(), close: () => copy.close() };
    },
  },
};

type Kind = keyof typeof DATABASES;
const KINDS = Object.keys(DATABASES) as Kind[];

let server: TestServer;
const made = new Map<Kind, string>();

/** What someone has ready in another schema. */
const READY = `CREATE FUNCTION public.spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE FUNCTION public.tell() RETURNS text LANGUAGE sql AS 'SELECT ''x''::text';
  CREATE FUNCTION public.boom(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''someone read it''; END';
  CREATE FUNCTION public.passes(text) RETURNS boolean LANGUAGE sql AS 'SELECT true'`;

beforeAll(async () => {
  requireBuilt();
  server = await startWithRoles();
});
afterAll(() => server?.stop());

/** Makes a database as its owner does, and grants a host what it needs. */
async function make(kind: Kind): Promise<string> {
  const url = server.newDatabase();
  await (await DATABASES[kind].open(url)).close();
  server.sql(url, [...DATABASES[kind].grants, READY].join('; '));
  return url;
}

/** Returns a copy of such a database. */
async function copyOf(kind: Kind): Promise<string> {
  const original = made.get(kind) ?? (await make(kind));
  made.set(kind, original);
  return server.newDatabase(original);
}

const host = (url: string) => asRole('fiatrail_host', url);

type Sql = (at: Planted & { readonly on: string }) => string;
type Plant = readonly [what: string, sql: Sql, problem: 'owner' | 'changed' | 'open', says: string];

const TRIGGERS: readonly Plant[] = ['BEFORE', 'AFTER'].flatMap((when) => [
  ...['INSERT', 'UPDATE', 'DELETE'].flatMap((event) =>
    ['ROW', 'STATEMENT'].map(
      (level): Plant => [
        `a trigger ${when} ${event} for each ${level}`,
        ({ on }) => `CREATE TRIGGER planted ${when} ${event} ON ${on} FOR EACH ${level} EXECUTE FUNCTION public.spy()`,
        'changed',
        'trigger planted was added to it',
      ],
    ),
  ),
  [
    `a trigger ${when} TRUNCATE`,
    ({ on }) => `CREATE TRIGGER planted ${when} TRUNCATE ON ${on} EXECUTE FUNCTION public.spy()`,
    'changed',
    'trigger planted was added to it',
  ] as const,
]);

const PLANTS: readonly Plant[] = [
  ...TRIGGERS,
  [
    'a trigger at the end of the transaction',
    ({ on }) =>
      `CREATE CONSTRAINT TRIGGER planted AFTER INSERT ON ${on} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.spy()`,
    'changed',
    'trigger planted was added to it',
  ],
  ['a rule', ({ on }) => `CREATE RULE planted AS ON INSERT TO ${on} DO ALSO SELECT 1`, 'changed', 'rule planted'],
  [
    'a rule that does nothing instead',
    ({ on }) => `CREATE RULE planted AS ON DELETE TO ${on} DO INSTEAD NOTHING`,
    'changed',
    'rule planted',
  ],
  [
    'a view in place of a table',
    ({ on, table }) =>
      `ALTER TABLE ${on} RENAME TO hidden; CREATE VIEW ${on} AS SELECT * FROM ${on.replace(table, 'hidden')}`,
    'changed',
    'its table',
  ],
  [
    'a view in place of the settings',
    ({ schema }) =>
      `ALTER TABLE ${schema}.setting RENAME TO hidden; CREATE VIEW ${schema}.setting AS SELECT name, public.boom(value) AS value FROM ${schema}.hidden`,
    'changed',
    'its table setting is missing or another one',
  ],
  ['a table that loses its rows in a crash', ({ on }) => `ALTER TABLE ${on} SET UNLOGGED`, 'changed', 'its table'],
  ['a table that inherits', ({ on }) => `CREATE TABLE public.heir () INHERITS (${on})`, 'changed', 'its table'],
  ['one more table', ({ schema }) => `CREATE TABLE ${schema}.planted (a int)`, 'changed', 'table planted was added'],
  ['a sequence', ({ schema }) => `CREATE SEQUENCE ${schema}.planted`, 'changed', 'sequence planted was added'],
  [
    'a view that does not belong there',
    ({ schema }) => `CREATE VIEW ${schema}.planted AS SELECT public.tell()`,
    'changed',
    'view planted was added',
  ],
  [
    'a function of the server’s name',
    ({ schema }) => `CREATE FUNCTION ${schema}.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT now()'`,
    'changed',
    'function clock_timestamp was added',
  ],
  [
    'a function replaced',
    ({ schema, runs = 'planted' }) =>
      `CREATE OR REPLACE FUNCTION ${schema}.${runs}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    'changed',
    'function ',
  ],
  [
    'an operator',
    ({ schema }) =>
      `CREATE FUNCTION public.same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR ${schema}.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.same)`,
    'changed',
    'operator ',
  ],
  ['a type', ({ schema }) => `CREATE DOMAIN ${schema}.planted AS text`, 'changed', 'type planted was added'],
  [
    'a column whose default calls a function',
    ({ on }) => `ALTER TABLE ${on} ADD COLUMN planted text DEFAULT public.tell()`,
    'changed',
    '.planted was added to it',
  ],
  [
    'a column that is computed',
    ({ on, column }) => `ALTER TABLE ${on} ADD COLUMN planted text GENERATED ALWAYS AS (${column} || 'x') STORED`,
    'changed',
    '.planted was added to it',
  ],
  [
    'a default that calls a function',
    ({ on, column }) => `ALTER TABLE ${on} ALTER COLUMN ${column} SET DEFAULT public.tell()`,
    'changed',
    'is missing or another one',
  ],
  [
    'a column of another type',
    ({ on, column }) => `ALTER TABLE ${on} ALTER COLUMN ${column} TYPE varchar(9000)`,
    'changed',
    'is missing or another one',
  ],
  [
    'a column that may be empty',
    ({ on, column }) => `ALTER TABLE ${on} ALTER COLUMN ${column} DROP NOT NULL`,
    'changed',
    'is missing or another one',
  ],
  [
    'a check that calls a function',
    ({ on, column }) => `ALTER TABLE ${on} ADD CHECK (public.passes(${column}))`,
    'changed',
    'constraint of ',
  ],
  [
    'a reference from elsewhere',
    ({ schema }) => `CREATE TABLE public.child (name text COLLATE "C" REFERENCES ${schema}.setting (name))`,
    'changed',
    'constraint of ',
  ],
  [
    'settings with two of a name',
    ({ schema }) => `ALTER TABLE ${schema}.setting DROP CONSTRAINT setting_pkey`,
    'changed',
    'its constraint of setting is missing or another one',
  ],
  [
    'an index that calls a function',
    ({ on, column }) =>
      `CREATE FUNCTION public.sly(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1'; CREATE INDEX planted ON ${on} (public.sly(${column}))`,
    'changed',
    'index planted was added',
  ],
  ['a policy', ({ on }) => `CREATE POLICY planted ON ${on} USING (true)`, 'changed', 'policy planted was added'],
  [
    'row security',
    ({ on }) => `CREATE POLICY planted ON ${on} USING (true); ALTER TABLE ${on} ENABLE ROW LEVEL SECURITY`,
    'changed',
    'its table',
  ],
  ['another owner of the schema', ({ schema }) => `ALTER SCHEMA ${schema} OWNER TO mallory`, 'owner', 'mallory'],
  ['another owner of a table', ({ on }) => `ALTER TABLE ${on} OWNER TO mallory`, 'owner', 'role mallory owns '],
  [
    'another owner of a function',
    ({ schema, runs = 'planted' }) =>
      `CREATE OR REPLACE FUNCTION ${schema}.${runs}() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; ALTER FUNCTION ${schema}.${runs}() OWNER TO mallory`,
    'owner',
    'role mallory owns ',
  ],
  ['someone who may empty it', ({ on }) => `GRANT TRUNCATE ON ${on} TO mallory`, 'open', 'has TRUNCATE on '],
  ['someone who may plant', ({ on }) => `GRANT TRIGGER ON ${on} TO mallory`, 'open', 'has TRIGGER on '],
  [
    'someone who may change what arrived',
    ({ on, column }) => `GRANT UPDATE (${column}) ON ${on} TO mallory`,
    'open',
    'role mallory has UPDATE on ',
  ],
  [
    'someone who may pass it on',
    ({ on }) => `GRANT SELECT ON ${on} TO mallory WITH GRANT OPTION`,
    'open',
    'has SELECT WITH GRANT OPTION on ',
  ],
  [
    'someone who may create',
    ({ schema }) => `GRANT CREATE ON SCHEMA ${schema} TO mallory`,
    'open',
    'role mallory has CREATE on the schema',
  ],
  ['everybody who may read', ({ on }) => `GRANT SELECT ON ${on} TO PUBLIC`, 'open', 'everybody has SELECT on '],
];

const OWN: Readonly<Record<Kind, readonly Plant[]>> = {
  journal: [
    ['a trigger that is off', ({ on }) => `ALTER TABLE ${on} DISABLE TRIGGER entry_stays`, 'changed', 'entry_stays'],
    ['references that are off', ({ on }) => `ALTER TABLE ${on} DISABLE TRIGGER ALL`, 'changed', 'trigger '],
    ['an index that is gone', () => 'DROP INDEX fiatrail.held_once_key', 'changed', 'its index held_once_key'],
    [
      'someone who may delete',
      ({ on }) => `GRANT DELETE ON ${on} TO mallory`,
      'open',
      'role mallory has DELETE on entry',
    ],
  ],
  inbox: [
    [
      'a trigger that is off',
      ({ on }) => `ALTER TABLE ${on} DISABLE TRIGGER tally_event_insert`,
      'changed',
      'trigger ',
    ],
    [
      'someone who may add events with everyone',
      ({ on }) => `GRANT INSERT ON ${on} TO PUBLIC`,
      'open',
      'INSERT on event',
    ],
  ],
  copy: [
    [
      'a trigger in place of a view',
      () =>
        'CREATE TRIGGER planted INSTEAD OF INSERT ON fiatrail_copy.deposits FOR EACH ROW EXECUTE FUNCTION public.spy()',
      'changed',
      'trigger planted was added',
    ],
    ['someone who may add', ({ on }) => `GRANT INSERT ON ${on} TO mallory`, 'open', 'has INSERT on person_name'],
  ],
};

/** What is planted is the same everywhere, and one gate looks for it: the journal has all of it, and the others half of it each. */
const plantsOf = (kind: Kind) => [
  ...PLANTS.filter((_, at) => kind === 'journal' || (kind === 'inbox') === (at % 2 === 0)),
  ...OWN[kind],
];

describe.each(KINDS)('in the %s', (kind) => {
  const database = DATABASES[kind];
  const at = { ...database, on: `${database.schema}.${database.table}` };

  test.each(plantsOf(kind))('%s is noticed, also while it is open', async (_what, sql, problem, says) => {
    const url = await copyOf(kind);
    const open = await database.open(host(url));
    onTestFinished(() => void open.close());
    server.sql(url, sql(at));
    // A payment may find first that it cannot read what was planted.
    await expect(open.again()).rejects.toMatchObject(kind === 'journal' ? {} : { server: problem, of: kind });
    const error = await database.open(host(url)).then(
      () => undefined,
      (each: unknown) => each,
    );
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ server: problem, of: kind });
    const shown = stateError(error);
    expect(shown).toMatchObject({ category: 'usage', code: `${kind.toUpperCase()}_${problem.toUpperCase()}` });
    expect(shown?.message).toContain(says);
    expect(shown?.message).toMatch(/nothing was read, written or sent/);
  });

  test('what the recipes grant, and what the owner added for others, is not rejected', async () => {
    const url = await copyOf(kind);
    const readers = { journal: OF_JOURNAL, inbox: OF_INBOX, copy: OF_COPY }[kind].reader;
    server.sql(url, [...readers, `GRANT fiatrail_host TO mallory`].join('; '));
    for (const role of ['fiatrail_host', 'mallory']) await (await database.open(asRole(role, url))).close();
    await (await database.open(url)).close();
  });

  test('a dump of a stranger is not adopted', async () => {
    const url = await copyOf(kind);
    const all = `SELECT 'ALTER TABLE ${database.schema}.' || relname || ' OWNER TO mallory' FROM pg_class
      WHERE relnamespace = '${database.schema}'::regnamespace AND relkind = 'r'`;
    server.sql(url, server.sql(url, all).split('\n').join('; '));
    server.sql(url, `ALTER SCHEMA ${database.schema} OWNER TO mallory`);
    await expect(database.open(host(url))).rejects.toMatchObject({ server: 'owner', of: kind });
  });
});

test('a view of a local copy that shows something else is noticed by whoever fills the copy, or reads its books', async () => {
  const url = await copyOf('copy');
  const earlier = await openCopy(host(url));
  onTestFinished(() => earlier.close());
  server.sql(
    url,
    'CREATE OR REPLACE VIEW fiatrail_copy.balances AS SELECT at, source, place, minor + 1 AS balance_minor, asset AS balance_asset FROM fiatrail_copy.stored_balances',
  );
  const changed = {
    server: 'changed',
    of: 'copy',
    cause: expect.objectContaining({ message: 'its view balances is missing or another one' }),
  };
  const later = await openCopy(host(url));
  onTestFinished(() => later.close());
  for (const copy of [earlier, later]) {
    // A question that needs no view does not wait for the definitions of all.
    expect(await copy.read((queries) => queries.all('SELECT id FROM stored_payouts LIMIT 1'))).toEqual([]);
    await expect(copy.read((queries) => queries.all('SELECT id FROM book_entries LIMIT 1'))).rejects.toMatchObject(
      changed,
    );
    await expect(copy.lock()).rejects.toMatchObject(changed);
  }
});

/** Ways to make an event vanish once it was written. */
const REMOVALS: Readonly<Record<string, string>> = {
  'after each row':
    'CREATE TRIGGER planted AFTER INSERT ON fiatrail_inbox.event FOR EACH ROW EXECUTE FUNCTION public.vanish()',
  'after each statement':
    'CREATE TRIGGER planted AFTER INSERT ON fiatrail_inbox.event FOR EACH STATEMENT EXECUTE FUNCTION public.vanish()',
  'at the end':
    'CREATE CONSTRAINT TRIGGER planted AFTER INSERT ON fiatrail_inbox.event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.vanish()',
  'before each row':
    'CREATE TRIGGER planted BEFORE INSERT ON fiatrail_inbox.event FOR EACH ROW EXECUTE FUNCTION public.skip()',
  'by a rule': 'CREATE RULE planted AS ON INSERT TO fiatrail_inbox.event DO INSTEAD NOTHING',
  'when it is counted':
    'CREATE TRIGGER planted AFTER INSERT ON fiatrail_inbox.event_tally FOR EACH STATEMENT EXECUTE FUNCTION public.vanish()',
};

const VANISHING = `CREATE FUNCTION public.vanish() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN DELETE FROM fiatrail_inbox.event; RETURN NULL; END';
  CREATE FUNCTION public.skip() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`;

test.each(Object.entries(REMOVALS))('no event is acknowledged that vanishes %s', async (_when, planted) => {
  const url = await copyOf('inbox');
  const inbox = await openOn(host(url), { clock: fakeClock(), host: hostWith(1) });
  onTestFinished(() => inbox.close());
  const events = await Promise.all([1, 2, 3].map((number) => received(deliveryOf(onboarded(number)))));
  expect(await inbox.add(events.slice(0, 1))).toMatchObject([{ isCopy: false }]);
  server.sql(url, `${VANISHING}; ${planted}`);
  const kept = await inbox.add(events.slice(1)).catch(() => []);
  expect(kept.filter(({ isCopy }) => !isCopy)).toEqual([]);
  expect(server.sql(url, 'SELECT count(*) FROM fiatrail_inbox.event')).toBe('1');
});

test('a listener into whose inbox someone plants a trigger acknowledges nothing more, and ends', async () => {
  const url = await copyOf('inbox');
  const port = await closedPort();
  const env = { ...accountEnv, FIATRAIL_INBOX_URL: host(url) };
  server.sql(url, `UPDATE fiatrail_inbox.setting SET value = '${accountEnv.FIATRAIL_BASE_URL}' WHERE name = 'account'`);
  const listener = startFiatrail(newHome(onTestFinished), ['webhooks', 'listen', '--port', String(port)], { env });
  await listener.says('listening at');
  const send = (number: number) => sendEvent(`http://127.0.0.1:${port}/`, number).catch(() => 0);
  const acknowledged: number[] = [];
  for (let number = 1; number <= 5; number++) if ((await send(number)) === 200) acknowledged.push(number);
  expect(acknowledged).toHaveLength(5);
  server.sql(url, `${VANISHING}; ${REMOVALS['after each row']}`);
  for (let number = 6; number <= 10; number++) if ((await send(number)) === 200) acknowledged.push(number);
  const { code, stderr } = await listener.end;
  expect({ code, stderr }).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('trigger planted was added to it'),
  });
  const ids = server.sql(url, 'SELECT event_id FROM fiatrail_inbox.event ORDER BY id').split('\n');
  expect(ids).toEqual(acknowledged.map((number) => `event-${number}`));
});

test('a command says what is wrong, and how to go on', async () => {
  const url = await copyOf('inbox');
  server.sql(url, 'ALTER SCHEMA fiatrail_inbox OWNER TO mallory');
  const env = { ...accountEnv, FIATRAIL_INBOX_URL: host(url) };
  const ran = await fiatrail({ ...newHome(onTestFinished), env }, ['webhooks', 'inbox', 'list']);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toMatch(/a stranger owns something of the inbox.*role mallory owns the schema/);
  expect(ran.stderr).toContain('ALTER SCHEMA fiatrail_inbox OWNER TO');
});

test('the pages about the inbox and the local copy have the statements of this version', () => {
  const pages = { 'webhooks.md': OF_INBOX, 'data.md': OF_COPY };
  for (const [name, { host: ofHost, reader }] of Object.entries(pages)) {
    const page = readFileSync(join(ROOT, 'docs', name), 'utf8');
    for (const statement of [...ofHost, ...reader]) expect(page).toContain(`${statement};`);
  }
});

test('a host of a local copy may ask, and is told what it lacks when it would fill it', async () => {
  const url = await copyOf('copy');
  const run = (argv: readonly string[]) =>
    fiatrail({ ...newHome(onTestFinished), env: { ...accountEnv, FIATRAIL_COPY_URL: host(url) } }, argv);
  expect((await run(['find', 'nothing-has-this-id', '-o', 'json'])).stderr).not.toContain('COPY_');
  const filled = await run(['sync', '-o', 'json']);
  expect(filled).toMatchObject({ code: 2, stderr: expect.stringContaining('COPY_FORBIDDEN') });
  expect(filled.stderr).toContain('permission denied');
});
