import { changeIn, type Part } from '../../sqlite/parts.ts';
import { tableOnServer } from '../../store/ddl.ts';
import type { Table } from '../../store/table.ts';
import type { Queries } from '../store.ts';
import { catalogOf } from './catalog.ts';
import type { Client, QueryResult } from './connection.ts';
import { ServerError, type ServerProblem } from './errors.ts';
import { partsIn } from './parts.ts';

/** A schema that fiatrail makes in a database: the journal's, the inbox's or the local copy's. */
export interface SchemaLayout {
  readonly schema: string;
  readonly version: number;
  /** The advisory lock of whoever creates it. */
  readonly lock: number;
  /** `setting` is among them, and gets the version. */
  readonly tables: readonly Table[];
  /** Statements that create everything else, in order. */
  readonly creation: readonly string[];
  /** Statements that create what may be there too. */
  readonly later?: readonly string[];
  /** Views that someone may add, whatever they show: nothing of fiatrail reads them. */
  readonly views?: readonly string[];
  /** Statements that bring each older version to the next one; left out if there is none. */
  readonly upgrades?: Readonly<Record<string | number, string>>;
  /** The statements that grant a host what it needs. Nobody who is a stranger may have more. */
  readonly host: readonly string[];
}

/** A row of the catalogs (catalog.ts). `role` is null for everyone. */
interface Found extends Part {
  readonly role: string | null;
}

/** What is wrong with a schema, and what exactly. */
interface Wrong {
  readonly problem: 'owner' | 'changed' | 'open';
  readonly what: string;
}

interface Looked {
  readonly wrong: Wrong | undefined;
  /** Undefined if there is no table with it. */
  readonly version: string | undefined;
  readonly isEmpty: boolean;
  /** Whether it has something, but no settings. */
  readonly isForeign: boolean;
}

/** Finds names in the catalogs, so that nothing in a schema can stand for a function or an operator of the server. */
export const pathTo = (schema: string) => `SET LOCAL search_path = pg_catalog, ${schema}, pg_temp`;

/** Makes what is created without the name of its schema a part of that. */
const pathInto = (schema: string) => `SET LOCAL search_path = ${schema}, pg_catalog, pg_temp`;

/** Whether it is about a right, and not a part of the schema. */
const isRight = ({ kind }: Found) => kind === 'owner' || kind === 'privilege';

/**
 * Asks the three questions about a schema: whether a stranger owns something of it, whether it is as this version makes it, and whether a
 * stranger may do more in it than a host.
 */
function wrongIn(found: readonly Found[], layout: SchemaLayout, hasDefinitions: boolean): Wrong | undefined {
  const { schema, tables, creation, later = [], views = [] } = layout;
  const stranger = found.find(({ kind }) => kind === 'owner');
  if (stranger) return { problem: 'owner', what: `role ${stranger.role} owns ${stranger.name}` };
  const reader = partsIn(schema, tables);
  const parts = found.filter((each) => !isRight(each) && !(each.kind === 'view' && views.includes(each.name)));
  const needed = reader.madeBy(tables, hasDefinitions ? creation : creation.map(withoutDefinition));
  const what = changeIn(parts.map(reader.described), { needed, optional: reader.madeBy([], later) });
  if (what !== undefined) return { problem: 'changed', what };
  const granted = grantedBy(layout);
  const open = found.find((each) => each.kind === 'privilege' && !isGranted(each, granted));
  if (!open) return undefined;
  const who = open.role === null ? 'everybody' : `role ${open.role}`;
  return { problem: 'open', what: `${who} has ${open.text} on ${open.name}` };
}

/** Leaves of a statement that makes a view only which one it is. */
const withoutDefinition = (sql: string) => sql.replace(/^(CREATE VIEW \w+ AS) .*/s, '$1');

/** Asks the three questions in a transaction of someone else, of the definitions of views too. */
export const wrongOn = async (queries: Queries, layout: SchemaLayout): Promise<Wrong | undefined> =>
  wrongIn(await queries.all<Found>(catalogOf(layout.schema, true)), layout, true);

/** Whether the table of settings is there and is nothing else: reading a view would run whatever is in it. */
function hasSettings(found: readonly Found[], { schema, tables }: SchemaLayout): boolean {
  const isOfSetting = ({ name }: Part) => /^(?:of )?setting(?:\.|$)/.test(name);
  const reader = partsIn(schema, tables);
  const parts = found.filter((each) => !isRight(each) && isOfSetting(each)).map(reader.described);
  const needed = tables.filter(({ name }) => name === 'setting');
  return changeIn(parts, { needed: reader.madeBy(needed, []) }) === undefined;
}

const GRANT = /^GRANT (.*) ON (?:(SCHEMA|ALL TABLES IN SCHEMA) )?(\S+) TO /;

/** Returns what the statements grant: `SELECT entry`, or `UPDATE operation.state`. */
function grantedBy({ host, tables, creation }: SchemaLayout): ReadonlySet<string> {
  const views = creation.flatMap((sql) => /^CREATE VIEW (\w+)/.exec(sql)?.[1] ?? []);
  const relations = [...tables.map(({ name }) => name), ...views];
  const all = host.flatMap((statement) => {
    const [, privileges = '', kind, on = ''] = GRANT.exec(statement) ?? [];
    const names = kind === 'SCHEMA' ? ['the schema'] : kind ? relations : [on.replace(/^.*\./, '')];
    return [...privileges.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege, columns]) =>
      names.flatMap(
        (name) => columns?.split(', ').map((column) => `${privilege} ${name}.${column}`) ?? `${privilege} ${name}`,
      ),
    );
  });
  return new Set(all);
}

function isGranted({ name, text, role }: Found, granted: ReadonlySet<string>): boolean {
  if (name === 'the schema' && text === 'USAGE') return true;
  return role !== null && (granted.has(`${text} ${name}`) || granted.has(`${text} ${name.replace(/\..*$/, '')}`));
}

/** Where a look comes while another host creates or upgrades the schema, a server may not find what it has just found in its catalogs. */
const INTERNAL = 'XX000';

/** How long a second look waits for whoever creates or upgrades the schema. */
const WAIT_MS = 20_000;

interface Look {
  /** A second look waits for whoever changes the schema. */
  readonly isSecond: boolean;
  /** Whether it is a look at the definitions of views too. */
  readonly isWhole: boolean;
}

/** Reads the catalogs and, unless that would run something of a stranger, the version. */
async function lookAt(client: Client, layout: SchemaLayout, { isSecond, isWhole }: Look): Promise<Looked | undefined> {
  const { schema, lock } = layout;
  const begin = `BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY; SET LOCAL search_path = pg_catalog, pg_temp`;
  const wait = `SET LOCAL lock_timeout = ${WAIT_MS}; SELECT pg_advisory_xact_lock_shared(${lock})`;
  try {
    const answers = await client.query([begin, ...(isSecond ? [wait] : []), catalogOf(schema, isWhole)].join('; '));
    const found = rowsOf<Found>([answers].flat().slice(-1));
    const wrong = wrongIn(found, layout, isWhole);
    const isReadable = wrong?.problem !== 'owner' && hasSettings(found, layout);
    const version = `SELECT value FROM ${schema}.setting WHERE name = 'version'; `;
    const [row] = rowsOf<{ readonly value: string }>(await client.query(`${isReadable ? version : ''}COMMIT`));
    return { wrong, version: row?.value, isEmpty: found.every(isRight), isForeign: isForeign(found, layout) };
  } catch (error) {
    if (isSecond || (error as { readonly code?: unknown }).code !== INTERNAL) throw error;
    await client.query('ROLLBACK');
    return undefined;
  }
}

/** Whether something is there, and of ours at most what every program may have: settings. */
function isForeign(found: readonly Found[], { tables }: SchemaLayout): boolean {
  const ours = tables.map(({ name }) => name).filter((name) => name !== 'setting');
  return !found.every(isRight) && !found.some(({ name }) => ours.includes(name));
}

/** Returns the rows of several statements, each of which has a result. */
const rowsOf = <R>(answer: QueryResult | readonly QueryResult[]): readonly R[] =>
  [answer].flat().flatMap(({ rows }: QueryResult) => rows as R[]);

/**
 * Returns what every new connection to a database goes through before anything else: it creates or upgrades the schema if it has to, and throws
 * ServerError unless the schema is as this version makes it, and no stranger owns something of it or may do more in it than a host. `settings`
 * returns more rows for the settings of a new schema. A schema that is gone is not created again. Views are compared by their names, or as a
 * whole if that is asked for.
 */
export function gateTo(
  layout: SchemaLayout,
  name: string,
  settings = () => '',
): (client: Client, isWhole?: boolean) => Promise<void> {
  const { schema, version, upgrades = {} } = layout;
  const refused = (problem: ServerProblem, what: string) => new ServerError(problem, name, new Error(what));
  let wasThere = false;
  /** Throws ServerError; returns whether everything is as it should be, or something was done about it. */
  const passes = async (client: Client, { wrong, version: found, isEmpty, isForeign }: Looked, isSecond: boolean) => {
    if (isEmpty && wasThere) throw refused('other', `the schema ${schema} is gone`);
    if (wrong?.problem === 'owner') throw refused('owner', wrong.what);
    if (isEmpty) await create(client, layout, settings());
    else if (found !== undefined && Object.hasOwn(upgrades, found)) await upgrade(client, layout, Number(found));
    else if (found !== undefined && found !== String(version))
      throw new ServerError(Number(found) > version ? 'newer' : 'older', name);
    else if (found !== undefined && !wrong) return true;
    // Another host may have created or upgraded it between two questions.
    else if (isSecond) throw isForeign ? new ServerError('foreign', name) : refusal(wrong);
    return false;
  };
  const refusal = (wrong: Wrong | undefined) =>
    refused(wrong?.problem ?? 'changed', wrong?.what ?? 'its version is missing');
  return async (client, isWhole = false) => {
    let turn = 0;
    for (let isDone = false; !isDone; turn++) {
      const looked = await lookAt(client, layout, { isSecond: turn > 0, isWhole });
      isDone = looked !== undefined && (await passes(client, looked, turn > 0));
    }
    wasThere = true;
  };
}

/** Runs statements in the schema, if a condition still holds once nobody else is at it. */
async function change(client: Client, { schema, lock }: SchemaLayout, condition: string, work: string): Promise<void> {
  await client.query(
    [
      `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT pg_advisory_xact_lock(${lock})`,
      pathInto(schema),
      `DO $do$ BEGIN IF ${condition} THEN ${work};\n END IF; END $do$`,
      'COMMIT',
    ].join(';\n'),
  );
}

const create = (client: Client, layout: SchemaLayout, settings: string): Promise<void> =>
  change(
    client,
    layout,
    `to_regclass('${layout.schema}.setting') IS NULL`,
    `CREATE SCHEMA IF NOT EXISTS ${layout.schema}; ${[...layout.tables.map(tableOnServer), ...layout.creation].join(';\n')};
     INSERT INTO setting VALUES ('version', '${layout.version}')${settings}`,
  );

const upgrade = (client: Client, layout: SchemaLayout, from: number): Promise<void> =>
  change(
    client,
    layout,
    `(SELECT value FROM ${layout.schema}.setting WHERE name = 'version') = '${from}'`,
    `${layout.upgrades?.[from]};\n UPDATE setting SET value = '${from + 1}' WHERE name = 'version'`,
  );
