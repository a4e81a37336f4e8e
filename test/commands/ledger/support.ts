import { DatabaseSync } from 'node:sqlite';
import { main } from '../../../src/main.ts';
import { type ServedSandbox, serve } from '../../../src/sandbox/serve.ts';
import { furnish, type Place } from '../../faults/money-groups.ts';
import { type AtEnd, temporaryFolder } from '../../support/built.ts';
import { testNetwork } from '../../support/loopback.ts';
import { countingIds, fakeClock } from '../../support/sandbox.ts';
import { fakeWorld } from '../../support/world.ts';

type Json = Readonly<Record<string, unknown>>;

/** A sandbox that is served over HTTP, two accounts of it, and its ledger. */
export interface Account extends Place {
  /** Runs a command line over HTTP, and returns what it prints. Throws its output if it fails. */
  run(line: string): Promise<Json>;
  /** Runs a command line with the other account. */
  runOther(line: string): Promise<Json>;
  /** Lets everything that is going on come to its end. */
  finish(): Promise<void>;
  /**
   * The postings since the last call: `offramp.taken: wallet user/base CNGN -2000250000`; then the account's orders and bridges that are new or changed.
   * Amounts are in the smallest unit. A wallet without a name is its kind, the number of its fintech, and what it buys.
   */
  moved(): string[];
}

const POSTINGS = `SELECT posting_set.id AS id, event, code, asset, minor FROM posting
  JOIN posting_set ON posting_set.id = posting.posting_set JOIN account ON account.id = posting.account
  WHERE posting_set.id > ? ORDER BY posting_set.id, asset, code, minor`;

/** What was agreed on before anything moves. */
const TERMS = `SELECT 'order: ' || pair || ' gives ' || gives || ' at ' || price_micro || ' + ' || spread_millionths || ', ' || min_base || ' to ' || max_base AS text
  FROM fx_order WHERE fintech = 1
  UNION ALL SELECT 'bridge: ' || amount_base || ' ' || asset || ' from ' || from_network || ' to ' || to_network || ', received ' || received_base
  FROM bridge WHERE received_base IS NOT NULL`;

/** Creates the function that runs command lines over HTTP, with two accounts of a served sandbox. */
async function accountsOf(
  served: ServedSandbox,
  folder: string,
  otherKey: string,
  clock: ReturnType<typeof fakeClock>,
) {
  const env = { FIATRAIL_STATE_DIR: `${folder}/state`, FIATRAIL_CONFIG_DIR: `${folder}/config` };
  const ids = countingIds(2);
  const run = async (argv: readonly string[], stdin = ''): Promise<Json> => {
    const world = {
      ...fakeWorld({ network: testNetwork(env), env, stdin, clock: { ...clock, sleep: async () => {} } }),
      ids,
    };
    const code = await main([...argv, '--yes', '-o', 'json', '-q'], world);
    if (code !== 0)
      throw new Error(`${argv.join(' ')} ended with ${code}: ${world.stdout.text()}${world.stderr.text()}`);
    return JSON.parse(world.stdout.text() || '{}') as Json;
  };
  for (const [name, key] of [
    ['main', served.apiKey],
    ['other', otherKey],
  ] as const)
    await run(['profiles', 'add', name, '--mode', 'sandbox', '--base-url', served.url, '--key-stdin'], key);
  await run(['profiles', 'use', 'main']);
  return run;
}

/** Serves a sandbox at an instant pace, with a user and money, until the tests of a file have ended. */
export async function openAccount(atEnd: AtEnd): Promise<Account> {
  const folder = temporaryFolder(atEnd);
  const path = `${folder}/sandbox.db`;
  const clock = fakeClock();
  const served = await serve({ clock, ids: countingIds() }, { path, port: 0, pace: 'instant', rateLimits: false });
  atEnd(() => served.close());
  const rows = (sql: string, ...values: readonly (string | number)[]) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const found = database.prepare(sql).all(...values);
    database.close();
    return found;
  };
  const [other] = rows(`SELECT key FROM api_key WHERE fintech = 2 AND kind = 'sandbox'`);
  const run = await accountsOf(served, folder, String(other?.['key']), clock);
  const finish = async () => {
    // More than one look, because what falls due may start something else.
    for (let look = 0; look < 3; look++) {
      clock.pass(60_000);
      await run(['sandbox', 'status']);
    }
  };
  const place = await furnish(run as Parameters<typeof furnish>[0], finish);
  const known: Readonly<Record<string, string>> = { [place.managedWallet]: 'user', [place.onrampWallet]: 'onramp' };
  const nameOf = (code: string) =>
    code.replace(/^wallet\/(\d+)/, (_, id: string) => {
      const {
        address,
        kind,
        fintech,
        token_buy: buys,
      } = rows('SELECT * FROM wallet WHERE id = ?', Number(id))[0] ?? {};
      return `wallet ${known[String(address)] ?? `${kind}-${fintech}-${buys}`}`;
    });
  let last = 0;
  const postings = () => {
    const found = rows(POSTINGS, last);
    last = Number(found.at(-1)?.['id'] ?? last);
    return found.map(({ event, code, asset, minor }) => `${event}: ${nameOf(String(code))} ${asset} ${minor}`);
  };
  const seen = new Set<string>();
  const terms = () => {
    const fresh = rows(TERMS)
      .map(({ text }) => String(text))
      .filter((text) => !seen.has(text));
    for (const text of fresh) seen.add(text);
    return fresh;
  };
  const moved = () => [...postings(), ...terms()];
  moved();
  return {
    ...place,
    finish,
    moved,
    run: (line) => run(line.split(' ')),
    runOther: (line) => run([...line.split(' '), '--profile', 'other']),
  };
}
