import { afterAll } from 'vitest';
import { journals } from '../support/journal-intent.ts';
import { startPostgres, type TestServer } from '../support/postgres.ts';
import { clockedDatabase, setClock } from './inboxes.ts';
import { openHost, stateFolder } from './support.ts';

/** Has the tests of this file open their journals on a server, whose clock is that of the test. A path is a host with a database of its own. */
export function onServer(): void {
  let server: TestServer | undefined;
  const { engine, open, edit } = journals;
  journals.engine = 'postgres';
  const places = new Map<string, { readonly url: string; readonly dir: string }>();
  journals.open = async ({ path, ids, clock, host }) => {
    server ??= await startPostgres();
    const running = server;
    const known = path === ':memory:' ? undefined : places.get(path);
    const { url, dir } = known ?? { url: clockedDatabase(running), dir: stateFolder() };
    places.set(path, { url, dir });
    const show = () => setClock(running, url, clock.now());
    const { pass } = clock;
    Object.assign(clock, {
      pass: (byMs: number) => {
        pass(byMs);
        show();
      },
    });
    show();
    return openHost(url, { ids, clock, host, dir });
  };
  journals.edit = (path, sql) => {
    const { url = '' } = places.get(path) ?? {};
    server?.sql(url, `SET search_path = fiatrail; ${sql}`);
  };
  afterAll(async () => {
    Object.assign(journals, { engine, open, edit });
    await server?.stop();
  });
}
