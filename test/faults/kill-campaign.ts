import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { SOUND } from '../sandbox/program.ts';
import { type Home, newHome, type Ran, startFiatrail } from '../support/built.ts';
import { accountOf, fiatrail, fiatrailJson } from '../support/in-process.ts';
import { type Chances, chancesOf } from './chances.ts';
import { furnish, GROUPS, type Group, type Place } from './money-groups.ts';

/** Killed commands for each group. */
export const KILLS = Number(process.env['FIATRAIL_SOAK_MONEY_KILLS'] ?? 1);
const IS_LONG = process.env['FIATRAIL_SOAK_MONEY_KILLS'] !== undefined;
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** The latest moment of a kill, as a multiple of a command's duration, so that some commands complete. */
const LATEST = 1.3;
const FAULTS = [
  ...(['lost-request', 'lost-response', 'slow', 'http-500', 'http-500-after', 'http-502-html'] as const),
  ...(['malformed-json', 'truncated'] as const),
];

/** The journal of a campaign: what makes a command use it, and how its operations are read. */
export interface CampaignJournal {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  entries(client: Home): Entry[];
}

export interface Entry {
  readonly id: string;
  readonly state: string;
  readonly verdict: string | null;
  readonly endpoint: string;
  readonly once_key: string | null;
  readonly request_id: string | null;
}

/** The columns of an entry. */
export const ENTRY_COLUMNS = 'id, state, verdict, endpoint, once_key, request_id';

/** The journal in a file of the host. */
export const FILE_JOURNAL: CampaignJournal = {
  name: 'SQLite',
  env: {},
  entries: ({ stateDir }) => rowsOf<Entry>(join(stateDir, 'journal.db'), `SELECT ${ENTRY_COLUMNS} FROM operation`),
};

/** A served sandbox that can be killed and started again at its address, and a home whose profile uses it. */
interface Bench {
  readonly journal: CampaignJournal;
  readonly client: Home;
  readonly server: Home;
  readonly place: Place;
  readonly commandMs: number;
  killServer(): Promise<void>;
}

async function openBench(journal: CampaignJournal): Promise<Bench> {
  const server = newHome(onTestFinished);
  const serve = async (port: string) => {
    const words = ['sandbox', 'serve', '--port', port, '--rate-limits', 'off', '-o', 'json'];
    const running = startFiatrail(server, words);
    return { running, ...(JSON.parse(await running.firstLine()) as { url: string; apiKey: string }) };
  };
  const first = await serve('0');
  let { running } = first;
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.end;
  });
  const killServer = async () => {
    running.kill('SIGKILL');
    await running.end;
    ({ running } = await serve(new URL(first.url).port));
  };
  const served = { home: server, url: first.url, apiKey: first.apiKey, keys: () => [] };
  const home = await accountOf(served, onTestFinished);
  const client = { ...home, env: { ...home.env, ...journal.env } };
  const json = (words: readonly string[]) => fiatrailJson<Record<string, unknown>>(client, [...words, '--yes', '-q']);
  const place = await furnish(json, async () => void (await json(['sandbox', 'advance', '1m'])));
  const beganAt = performance.now();
  // As a program: its start is part of what is killed.
  await startFiatrail(client, ['fees', 'earned', '-q']).end;
  return { journal, client, server, place, commandMs: performance.now() - beganAt, killServer };
}

/** Reads rows of a database file while its owner runs. */
function rowsOf<R>(path: string, sql: string): R[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all() as R[];
  } finally {
    database.close();
  }
}

function addFault({ server }: Bench, endpoint: string, kind: string): void {
  const database = new DatabaseSync(join(server.stateDir, 'sandbox.db'), { timeout: 20_000 });
  database
    .prepare('INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, 0)')
    .run(endpoint, kind);
  database.close();
}

const clearFaults = (bench: Bench) => fiatrail(bench.client, ['sandbox', 'fault', 'clear', '-q']);

/** What was killed and how it ended, counted. */
type Counts = Map<string, number>;
const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Starts a command, kills it or the server at a random moment, and runs it again. */
async function killOne(bench: Bench, group: Group, index: number, chances: Chances, counts: Counts): Promise<string[]> {
  const { client, commandMs } = bench;
  // Each has its own amount, so that none can be taken for another.
  const { endpoint, argv } = group.line(bench.place, chances, index);
  const words = [...argv, '--once', `${group.name}-${index}`, '--yes', '-q', '--timeout', '2s'];
  const fault = chances.percent(40) ? chances.one(FAULTS) : undefined;
  if (fault) addFault(bench, endpoint, fault);
  const isServers = chances.percent(15);
  const runs = Array.from({ length: chances.percent(20) ? 2 : 1 }, () => startFiatrail(client, words));
  const afterMs = (chances.below(1000 * LATEST) * commandMs) / 1000;
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  if (isServers) await bench.killServer();
  else runs[0]?.kill('SIGKILL');
  const what = `${isServers ? 'server' : 'command'} killed${fault ? ` with ${fault}` : ''}${runs.length > 1 ? ', two at once' : ''}`;
  for (const { end } of runs) count(counts, `${what}: ${exitOf(await end)}`);
  if (chances.percent(70)) count(counts, `again at once: ${exitOf(await fiatrail(client, words))}`);
  return words;
}

const exitOf = ({ code, stderr }: Ran) => {
  if (code === 1) throw new Error(`an internal error: ${stderr}`);
  return code ?? 'killed';
};

/** No list shows this work before someone pays it in. */
const UNLISTED = 'transactions.onramp';

/**
 * Does each thing of a group once, with an amount of its own; returns the command lines. What no list shows ends by itself only if the list
 * goes back to before it and shows something that came later.
 */
async function doEach(bench: Bench, group: Group, name: string, more: number): Promise<readonly string[][]> {
  const line = group.line(bench.place, chancesOf(SEED), more);
  const lines = group.endpoints
    .filter((endpoint) => endpoint !== UNLISTED)
    .map((endpoint) => group.like({ ...line, endpoint }, {}).argv)
    .map((argv, index) => [...argv, '--once', `${group.name}-${name}-${index}`, '--yes', '-q']);
  await fiatrailJson(bench.client, ['sandbox', 'advance', '1m']);
  for (const words of lines) await expectDone(bench, words);
  await fiatrailJson(bench.client, ['sandbox', 'advance', '1m']);
  return lines;
}

async function expectDone({ client }: Bench, words: readonly string[]): Promise<void> {
  expect([words.join(' '), (await fiatrail(client, words)).code]).toEqual([words.join(' '), 0]);
}

/** Ends all unknownOutcomes as a schedule would; a person decides where the service offers no evidence. */
async function endUnknown(bench: Bench, group: Group, known: ReadonlySet<string>, counts: Counts): Promise<void> {
  const { client } = bench;
  let found = '';
  for (let looks = 0; looks < 3; looks++) {
    // The first look and the last are far enough apart, and an onramp does not expire, which takes 30 minutes.
    await fiatrailJson(client, ['sandbox', 'advance', '9m']);
    const ran = await fiatrail(client, ['ops', 'reconcile', '-q', '-o', 'json']);
    count(counts, `ops reconcile: ${exitOf(ran)}`);
    found = `${ran.stdout}${ran.stderr}`;
  }
  for (const { id, endpoint, state } of entries(bench).filter(({ state }) => ['sent', 'unknown'].includes(state))) {
    if (group.hasEvidence(endpoint) && endpoint !== UNLISTED)
      throw new Error(`${id} (${endpoint}) is still ${state}:\n${found}`);
    // Nothing moves before an onramp is paid, so a person may start it again.
    count(counts, 'decided by a person');
    const claimed = new Set(entries(bench).map(({ request_id }) => request_id));
    const stray = workOf(bench, group).find((each) => !known.has(each) && !claimed.has(each));
    const verdict = stray === undefined ? ['--not-done'] : ['--completed', '--request-id', stray];
    await fiatrailJson(client, ['ops', 'resolve', id, ...verdict, '--reason', 'seen']);
  }
}

const entries = ({ journal, client }: Bench) => journal.entries(client);

const workOf = ({ server }: Bench, group: Group) =>
  rowsOf<{ id: string }>(join(server.stateDir, 'sandbox.db'), group.work).map(({ id }) => id);

/** Kills commands of a group, ends every unknownOutcome, runs every command once more, and compares the journal with the ledger. */
async function killGroup(bench: Bench, group: Group, chances: Chances): Promise<Counts> {
  const counts: Counts = new Map();
  const known = new Set(workOf(bench, group));
  const lines: string[][] = [...(await doEach(bench, group, 'before', KILLS))];
  for (let index = 0; index < KILLS; index++) lines.push(await killOne(bench, group, index, chances, counts));
  await clearFaults(bench);
  lines.push(...(await doEach(bench, group, 'after', KILLS + 1)));
  await endUnknown(bench, group, known, counts);
  for (const words of lines) await expectDone(bench, words);
  const moved = workOf(bench, group).filter((id) => !known.has(id));
  const holding = entries(bench).filter(
    ({ once_key, state, verdict }) =>
      once_key?.startsWith(`${group.name}-`) && state !== 'rejected' && verdict !== 'not-done',
  );
  expect(holding.map(({ request_id }) => request_id).toSorted()).toEqual(moved.toSorted());
  expect(new Set(holding.map(({ once_key }) => once_key)).size).toBe(lines.length);
  expect(moved).toHaveLength(lines.length);
  return counts;
}

/** Longer than any campaign takes. */
export const CAMPAIGN_MS = 300_000 + KILLS * 60_000;

/** Kills commands of every group that moves money, with a journal. The long form prints what was killed, and how it ended. */
export async function killCampaign(journal: CampaignJournal): Promise<void> {
  onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${SEED} FIATRAIL_SOAK_MONEY_KILLS=${KILLS}`));
  const bench = await openBench(journal);
  const chances = chancesOf(SEED);
  for (const group of GROUPS.filter(({ hasKeys }) => hasKeys)) {
    const counts = await killGroup(bench, group, chances);
    const said = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `  ${times}  ${what}`);
    if (IS_LONG) console.log([`${group.name}, journal in ${journal.name}: ${KILLS} kills`, ...said].join('\n'));
  }
  expect(await fiatrailJson(bench.client, ['sandbox', 'status'])).toMatchObject(SOUND);
  expect((await fiatrail(bench.client, ['ops', 'journal', 'verify'])).code).toBe(0);
}
