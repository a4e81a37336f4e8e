import { afterAll } from 'vitest';
import type { Host } from '../../src/base/world.ts';
import type { Inbox } from '../../src/webhooks/inbox/inbox.ts';
import { openInboxAt } from '../../src/webhooks/inbox/open.ts';
import { replaceClock, startPostgres, type TestServer } from '../support/postgres.ts';
import { countingIds, type FakeClock } from '../support/sandbox.ts';
import { stores } from '../webhooks/support.ts';
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

/** Sets the clock of a database. */
export const setClock = (server: TestServer, url: string, timeMs: number) =>
  replaceClock(server, url, `to_timestamp(${timeMs}::numeric / 1000)`);

/** Has the tests of this file open their inboxes on a server, whose clock is that of the test. */
export function onServer(): void {
  let server: TestServer | undefined;
  const { open } = stores;
  const urls = new Map<string, string>();
  stores.open = async (path, clock, host) => {
    server ??= await startPostgres();
    const running = server;
    const url = (path === ':memory:' ? undefined : urls.get(path)) ?? running.newDatabase();
    urls.set(path, url);
    const inbox = await openOn(url, { clock, host });
    const show = () => setClock(running, url, clock.now());
    const { pass } = clock;
    Object.assign(clock, {
      pass: (byMs: number) => {
        pass(byMs);
        show();
      },
    });
    show();
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
