import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type AtEnd, type Home, newHome, type Ran, type Running, type startFiatrail } from './built.ts';

/** A served sandbox and its keys. */
export interface Served {
  readonly home: Home;
  readonly url: string;
  readonly apiKey: string;
  keys(): readonly { readonly key: string; readonly isLive: boolean }[];
}

/** Returns the rows of a query on a database that a command may have open. */
export function rowsIn<R>(path: string, sql: string): R[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(sql).all() as R[];
  } finally {
    database.close();
  }
}

/** Returns every key that a sandbox has issued, from its database. */
export function keysIn({ stateDir }: Home) {
  const sql = 'SELECT key, revoked_at IS NULL AS live FROM api_key';
  const rows = rowsIn<{ key: string; live: number }>(join(stateDir, 'sandbox.db'), sql);
  return rows.map(({ key, live }) => ({ key, isLive: live === 1 }));
}

/** Accounts of served sandboxes, with fiatrail as programs (rotations.ts) or in this process (in-process.ts). */
export function accountsWith(start: typeof startFiatrail) {
  /** Runs a command. Throws its output if it exits with another code than expected. */
  async function must(
    home: Home,
    argv: readonly string[],
    stdin = '',
    codes: readonly (number | null)[] = [0],
  ): Promise<Ran> {
    const ran = await start(home, argv, { stdin }).end;
    if (!codes.includes(ran.code))
      throw new Error(`fiatrail ${argv.join(' ')} ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
    return ran;
  }

  /** Serves a sandbox from a new home until the test has finished. */
  async function serveSandbox(atEnd: AtEnd): Promise<Served> {
    const home = newHome(atEnd);
    const words = ['sandbox', 'serve', '--port', '0', '-o', 'json', '--pace', 'instant', '--rate-limits', 'off'];
    const server: Running = start(home, words);
    atEnd(async () => {
      server.kill('SIGTERM');
      await server.end;
    });
    const { url, apiKey } = JSON.parse(await server.firstLine()) as { url: string; apiKey: string };
    return { home, url, apiKey, keys: () => keysIn(home) };
  }

  /** Creates a home whose default profile, `main`, is an account of the sandbox with its key in a file. */
  async function accountOf({ url, apiKey }: Served, atEnd: AtEnd): Promise<Home> {
    const home = newHome(atEnd);
    const words = ['profiles', 'add', 'main', '--base-url', url, '--mode', 'sandbox', '--store', 'file', '--key-stdin'];
    await must(home, words, apiKey);
    await must(home, ['profiles', 'use', 'main']);
    return home;
  }

  return { must, serveSandbox, accountOf };
}
