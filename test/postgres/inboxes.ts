import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Host } from '../../src/base/world.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { openInboxAt } from '../../src/webhooks/inbox/open.ts';
import { GRANTS } from '../../src/webhooks/inbox/postgres/schema.ts';
import { databaseOf, replaceClock, startPostgres, type TestServer } from '../support/postgres.ts';
import { countingIds, type FakeClock, fakeClock } from '../support/sandbox.ts';
import { hostWith, stores } from '../webhooks/support.ts';
import { stateFolder } from './support.ts';

let hosts = 0;

/** Opens the inbox of a database as a host does. A host is a folder. */
export async function openOn(
  url: string,
  { clock, host, dir = stateFolder() }: { clock: FakeClock; host: Host; dir?: string },
): Promise<Inbox> {
  hosts += 1;
  const account = 'https://service.example/v1';
  const server = { url, from: 'the test', account, passwordFile: `${dir}/pgpass`, dir };
  return openInboxAt({ path: `${dir}/inbox.db`, server }, { clock, host, ids: countingIds(50_000 + hosts * 1_000) });
}

const clockOf = (server: TestServer, database: string) => join(server.folder, `clock-${database}`);

/** Sets the clock of a database that `clockedDatabase` made: a file, because a test that passes time should start no program each time. */
export function setClock(server: TestServer, url: string, timeMs: number): void {
  const path = clockOf(server, databaseOf(url));
  // The server reads it at any moment, so it is never empty.
  writeFileSync(`${path}.new`, String(timeMs));
  renameSync(`${path}.new`, path);
}

/** What such databases of a server are copies of. */
const templates = new WeakMap<TestServer, string>();

function templateOf(server: TestServer): string {
  const url = server.newDatabase();
  // Only the owner may read the file.
  server.sql(
    url,
    `CREATE FUNCTION pg_catalog.file_clock() RETURNS timestamptz LANGUAGE sql SECURITY DEFINER
     AS $$ SELECT to_timestamp(pg_read_file('${clockOf(server, '')}' || current_database())::numeric / 1000) $$`,
  );
  replaceClock(server, url, 'file_clock()');
  return url;
}

/** Returns a new database whose clock tells what was set last: at first, the time of this machine. */
export function clockedDatabase(server: TestServer): string {
  const template = templates.get(server) ?? templateOf(server);
  templates.set(server, template);
  const url = server.newDatabase(template);
  setClock(server, url, Date.now());
  return url;
}

/** Returns the URL with which a role connects. */
export const asRole = (role: string, url: string) => url.replace(/\/\/[^@]*@/, `//${role}@`);

/** Starts a server that has the roles of the docs, and a stranger. */
export async function startWithRoles(): Promise<TestServer> {
  const server = await startPostgres();
  server.sql(server.newDatabase(), ['host', 'reader'].map((name) => `CREATE ROLE fiatrail_${name} LOGIN`).join('; '));
  server.sql(server.newDatabase(), 'CREATE ROLE mallory LOGIN');
  return server;
}

/** Makes a database in which the owner has made an inbox, and granted a host what it needs. */
async function makeOwned(server: TestServer): Promise<string> {
  const url = clockedDatabase(server);
  const made = await openOn(url, { clock: fakeClock(), host: hostWith(1) });
  await made.close();
  server.sql(url, GRANTS.host.join('; '));
  return url;
}

/** Has the tests of this file open their inboxes on a server as a host, whose clock is that of the test. */
export function onServer(): void {
  let server: TestServer | undefined;
  let owned: string | undefined;
  const { open } = stores;
  const urls = new Map<string, string>();
  stores.open = async (path, clock, host) => {
    server ??= await startWithRoles();
    const running = server;
    owned ??= await makeOwned(running);
    const url = (path === ':memory:' ? undefined : urls.get(path)) ?? running.newDatabase(owned);
    urls.set(path, url);
    const show = () => setClock(running, url, clock.now());
    show();
    const inbox = await openOn(asRole('fiatrail_host', url), { clock, host });
    const { pass } = clock;
    Object.assign(clock, {
      pass: (byMs: number) => {
        pass(byMs);
        show();
      },
    });
    await inbox.claim('here');
    const due: Inbox['forwards']['due'] = async (...asked) => {
      await inbox.holds();
      return inbox.forwards.due(...asked);
    };
    return { ...inbox, forwards: { ...inbox.forwards, due } };
  };
  afterAll(async () => {
    stores.open = open;
    await server?.stop();
  });
}
