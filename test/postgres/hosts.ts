import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationState } from '../../src/journal/states.ts';
import type { Served } from '../support/accounts.ts';
import { type AtEnd, type Home, newHome, type Ran } from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import type { TestServer } from '../support/postgres.ts';

/** Creates a host: a home of its own that uses an account of the service, and the journal on a server. */
export function hostOf({ url, apiKey }: Pick<Served, 'url' | 'apiKey'>, journalUrl: string, atEnd: AtEnd): Home {
  const home = newHome(atEnd);
  return withEnv(home, { FIATRAIL_BASE_URL: url, FIATRAIL_API_KEY: apiKey, FIATRAIL_JOURNAL_URL: journalUrl });
}

export const withEnv = (home: Home, env: Readonly<Record<string, string>>): Home => ({
  ...home,
  env: { ...home.env, ...env },
});

/** A command line that withdraws ₦500 once. A service that is busy with other tests has time to respond. */
export const pay = (idempotencyKey: string, ...more: readonly string[]) =>
  withdraw('500', '--once', idempotencyKey, '--timeout', '30s', '-o', 'json', ...more);

/** Returns the id of the withdrawal that a command printed. */
export function withdrawalOf({ stdout, stderr, code }: Ran): string {
  if (code !== 0) throw new Error(`the command ended with ${code}:\n${stderr}`);
  return (JSON.parse(stdout) as { withdrawalId: string }).withdrawalId;
}

/** Returns the id of each withdrawal for which the service took money, from its ledger. */
export function withdrawalsAt({ home }: Served): string[] {
  const database = new DatabaseSync(join(home.stateDir, 'sandbox.db'), { readOnly: true, timeout: 20_000 });
  try {
    const sql = `SELECT subject AS id FROM posting_set WHERE event = 'fee-withdrawal.locked'`;
    return database
      .prepare(sql)
      .all()
      .map(({ id }) => String(id));
  } finally {
    database.close();
  }
}

/** The code and the exit code of the error that a command printed with `-o json`, and nothing else. */
export function failureOf({ stdout, stderr, code }: Ran): { readonly exit: number | null; readonly code: string } {
  if (code === 0 || code === 1 || /\n +at /.test(stderr)) throw new Error(`ended with ${code}: ${stdout}${stderr}`);
  return { exit: code, code: /"code": *"(\w+)"/.exec(`${stdout}${stderr}`)?.[1] ?? `${stdout}${stderr}` };
}

interface JournalRow {
  readonly id: string;
  readonly state: OperationState;
  readonly verdict: string | null;
  readonly once_key: string | null;
  readonly request_id: string | null;
  readonly endpoint: string;
}

/** Returns the operations of a journal on a server. */
export function rowsOf(server: TestServer, url: string): JournalRow[] {
  const sql = `SELECT coalesce(json_agg(r), '[]') FROM (SELECT id, state, verdict, once_key, request_id, endpoint FROM fiatrail.operation ORDER BY id) r`;
  return JSON.parse(server.sql(url, sql)) as JournalRow[];
}

const LOOKS = 40;

/** Reconciles on one host, while time passes at the service, until nothing is uncertain. */
export async function endUnknown(host: Home, served: Served, unknownOutcomes: () => unknown[]): Promise<void> {
  let last: Ran | undefined;
  for (let looks = 0; unknownOutcomes().length > 0; looks++) {
    if (looks === LOOKS)
      throw new Error(`still uncertain: ${JSON.stringify(unknownOutcomes())}\n${last?.stdout}${last?.stderr}`);
    // Absence is believed after two complete reads, 10 minutes apart on the clock of the service.
    await fiatrailJson(served.home, ['sandbox', 'advance', '6m', '-q']);
    last = await fiatrail(host, ['ops', 'reconcile', '-q', '-o', 'json']);
    if (last.code === 1) throw new Error(`an internal error: ${last.stderr}`);
    // An operation of another host counts as at work until its time is over.
    await sleep(200);
  }
}
