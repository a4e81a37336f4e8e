/**
 * Records what the sandbox writes: `node record-writes.ts STATE BARE`. Runs each scenario in a state file, copies it to BARE without
 * triggers, runs each again, and prints the requests as JSON: of each, what it was answered, and the rows that each of its commits changed.
 */
import { copyFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { countingIds, fakeClock, openSandbox } from '../support/sandbox.ts';
import { type Change, changesIn } from './changeset.ts';
import { SCENARIOS, type Send, userOf } from './scenarios.ts';

/** A request of a scenario, for the bare server. */
export interface RecordedRequest {
  readonly method: 'GET' | 'POST';
  readonly body: object | undefined;
  readonly answer: unknown;
  readonly commits: readonly (readonly Change[])[];
}

const [state = '', bare = ''] = process.argv.slice(2);
const clock = fakeClock(Date.now());

/** Watches the commits of connections. */
function watchCommits(onCommit: (changes: Change[]) => void): void {
  const { prepare } = DatabaseSync.prototype;
  let session: ReturnType<DatabaseSync['createSession']> | undefined;
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql);
    const run = statement.run.bind(statement);
    const before = () => {
      session = this.createSession();
      return run();
    };
    const after = () => {
      const result = run();
      const changes = session ? changesIn(session.changeset()) : [];
      session?.close();
      session = undefined;
      if (changes.length > 0) onCommit(changes);
      return result;
    };
    if (sql === 'BEGIN IMMEDIATE') statement.run = before;
    if (sql === 'COMMIT') statement.run = after;
    return statement;
  };
}

async function runAll(seed: number, onRequest: (scenario: string, request: RecordedRequest) => void) {
  let commits: Change[][] = [];
  watchCommits((changes) => commits.push(changes));
  const box = await openSandbox({ path: state, clock, ids: countingIds(seed), pace: 'instant' });
  const sendIn =
    (scenario: string): Send =>
    async (method, path, body) => {
      commits = [];
      const { status, body: text } = await box.fetch(method, path, body && JSON.stringify(body));
      if (status !== 200) throw new Error(`${method} ${path}: ${text}`);
      const answer = JSON.parse(text) as { data: Readonly<Record<string, unknown>> };
      onRequest(scenario, { method, body, answer, commits });
      return answer.data;
    };
  const user = await userOf(sendIn(''));
  for (const [name, run] of Object.entries(SCENARIOS)) await run(sendIn(name), user, seed);
  await box.close();
}

// A first time, so that what only the first one writes is not recorded.
await runAll(1_000_001, () => {});
copyFileSync(state, bare);
const copy = new DatabaseSync(bare);
copy.exec('PRAGMA journal_mode = WAL');
for (const { name } of copy.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all())
  copy.exec(`DROP TRIGGER ${String(name)}`);
copy.close();
const recorded: Record<string, RecordedRequest[]> = {};
await runAll(1_000_002, (scenario, request) => {
  recorded[scenario] ??= [];
  recorded[scenario].push(request);
});
// JSON has no integers of this size, and no value for a column that stays as it is.
const written = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? { integer: String(value) } : value === undefined ? { integer: '' } : value;
process.stdout.write(JSON.stringify(recorded, written));
