import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFailed, onTestFinished } from 'vitest';
import { type Chances, chancesOf } from '../faults/chances.ts';
import { furnish, type Place } from '../faults/money-groups.ts';
import { hostOf } from '../postgres/hosts.ts';
import type { Served } from '../support/accounts.ts';
import { type Home, newHome, type Ran, type Running, startFiatrail } from '../support/built.ts';
import { clockThatSkips, fiatrail, fiatrailJson } from '../support/in-process.ts';
import type { TestServer } from '../support/postgres.ts';
import { type CampaignFile, campaignFiles, counterIn, doneIn, writeFile } from './campaign-files.ts';
import { type Counting, startCounting } from './counting.ts';
import { printed } from './payouts.ts';

/** Rows of a campaign, and how many runs are begun of which nearly each is to be killed: some end before. */
export const ROWS = Number(process.env['FIATRAIL_SOAK_BULK_ROWS'] ?? 80);
export const RUNS = Number(process.env['FIATRAIL_SOAK_BULK_RUNS'] ?? 8);
const SEED = Number(process.env['FIATRAIL_SOAK_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const IS_LONG = process.env['FIATRAIL_SOAK_BULK_ROWS'] !== undefined;

/** Longer than any campaign takes. */
export const CAMPAIGN_MS = 600_000 + ROWS * 2_000 + RUNS * 30_000;

const FAULTS = [
  ...(['lost-request', 'lost-response', 'slow', 'http-500', 'http-500-after', 'http-502-html'] as const),
  ...(['malformed-json', 'truncated'] as const),
];

/** A served sandbox that can be killed, a journal on a server, and two hosts that share both. */
interface Bench {
  readonly server: Home;
  readonly journal: TestServer;
  readonly url: string;
  readonly hosts: readonly [Home, Home];
  /** A host with a profile, which recognizes BVNs. */
  readonly clerk: Home;
  readonly requests: Counting;
  readonly place: Place;
  readonly counts: Map<string, number>;
  /** The keys of files that were staged. */
  readonly staged: Set<string>;
  killService(): Promise<void>;
}

const count = ({ counts }: Pick<Bench, 'counts'>, what: string, by = 1) =>
  counts.set(what, (counts.get(what) ?? 0) + by);

async function openBench(journal: TestServer): Promise<Bench> {
  const server = newHome(onTestFinished);
  const serve = async (port: string) => {
    const words = ['sandbox', 'serve', '--port', port, '--rate-limits', 'off', '--pace', 'instant', '-o', 'json'];
    const running: Running = startFiatrail(server, words);
    return { running, ...(JSON.parse(await running.firstLine()) as { url: string; apiKey: string }) };
  };
  const first = await serve('0');
  let { running } = first;
  const kill = async () => {
    running.kill('SIGKILL');
    await running.end;
  };
  onTestFinished(kill);
  const requests = await startCounting(first.url, onTestFinished);
  const served = { home: server, url: requests.url, apiKey: first.apiKey, keys: () => [] };
  const url = journal.newDatabase();
  const hosts = [hostOf(served, url, onTestFinished), hostOf(served, url, onTestFinished)] as const;
  const clerk = await clerkOf(served, url);
  const json = (words: readonly string[]) => fiatrailJson<Record<string, unknown>>(hosts[0], [...words, '--yes', '-q']);
  const place = await furnish(json, async () => void (await json(['sandbox', 'advance', '1m'])));
  const { accountId } = await json(['bank-accounts', 'add', '--account-number', '0123456790', '--bank-code', '000013']);
  const killService = async () => {
    await kill();
    ({ running } = await serve(new URL(first.url).port));
  };
  const places = { ...place, bankAccountId: String(accountId) };
  return {
    server,
    journal,
    url,
    hosts,
    clerk,
    requests,
    place: places,
    counts: new Map(),
    staged: new Set(),
    killService,
  };
}

/** A host that uses the account by a profile. */
async function clerkOf({ url, apiKey }: Pick<Served, 'url' | 'apiKey'>, journalUrl: string): Promise<Home> {
  const home = newHome(onTestFinished);
  const clerk = { ...home, env: { ...home.env, FIATRAIL_JOURNAL_URL: journalUrl } };
  const words = ['profiles', 'add', 'clerk', '--base-url', url, '--mode', 'sandbox', '--key-stdin', '--yes', '-q'];
  const { code, stderr } = await fiatrail(clerk, words, { stdin: apiKey });
  if (code !== 0) throw new Error(`the profile was not added: ${stderr}`);
  return { ...clerk, env: { ...clerk.env, FIATRAIL_PROFILE: 'clerk' } };
}

const OPTIONS = ['--yes', '-q', '-o', 'json', '--timeout', '2s', '--wait', '1s', '--stop-after', '1000'];

const createWords = (path: string, { as, key }: CampaignFile) => [
  ...['bulk', 'create', path, '--as', as, '--once', key],
  ...OPTIONS,
];
const resumeWords = ({ key }: CampaignFile) => ['bulk', 'resume', key, ...OPTIONS];

/** Whatever the process of a lease was, its time is over. */
const endLeases = ({ journal, url }: Bench) => journal.sql(url, 'UPDATE fiatrail.file_lease SET busy_until = 0');

/** How a run ended, which is never by an internal error. */
async function endOf(run: Promise<Ran>): Promise<string> {
  const { code, stderr } = await run;
  if (code === 1 || /\n +at /.test(stderr)) throw new Error(`an internal error: ${stderr}`);
  const name = /"code":"(\w+)"/.exec(stderr)?.[1] ?? '';
  return `${code ?? 'killed'} ${name}`.trim();
}

/** Far longer than a row takes, or the end of a run. */
const LONGEST_RUN_MS = 180_000;

const isStagedIn = async (host: Home, { key }: CampaignFile) =>
  printed(await fiatrail(host, ['bulk', 'status', key, '-q', '-o', 'json'])).code === 0;

/** Kills a host, the service or the journal's server while a file is sent, once some rows more have moved. */
async function killOnce(bench: Bench, file: CampaignFile, path: string, chances: Chances, rows: number): Promise<void> {
  const { server, journal } = bench;
  const hosts = hostsOf(bench, file);
  if (chances.percent(40)) addFault(server, chances.percent(70) ? file.start : file.list, chances.one(FAULTS));
  if (chances.percent(30)) await fiatrailJson(hosts[0], ['sandbox', 'advance', `${1 + chances.below(15)}m`, '-q']);
  const isOther = chances.percent(35) && !file.isSecret;
  endLeases(bench);
  const isStaged = bench.staged.has(file.key) || (await isStagedIn(hosts[1], file));
  if (isStaged) bench.staged.add(file.key);
  const running =
    isOther && isStaged ? startFiatrail(hosts[1], resumeWords(file)) : startFiatrail(hosts[0], createWords(path, file));
  let hasEnded = false;
  const ends = endOf(running.end).finally(() => {
    hasEnded = true;
  });
  const counter = counterIn(server, file);
  const until = counter.count() + rows;
  const lateMs = Date.now() + LONGEST_RUN_MS;
  while (!hasEnded && counter.count() < until) {
    if (Date.now() > lateMs) throw new Error(`process ${running.pid} neither sends nor ends`);
    await sleep(20);
  }
  counter.close();
  await sleep(chances.below(60));
  const victim = hasEnded ? 'nothing' : chances.one(['host', 'host', 'host', 'service', 'journal'] as const);
  if (victim === 'host') running.kill('SIGKILL');
  if (victim === 'service') await bench.killService();
  if (victim === 'journal') {
    await journal.kill();
    await sleep(chances.below(300));
    await journal.start();
  }
  if (victim !== 'nothing') count(bench, 'kills');
  if (victim === 'service' || victim === 'journal') {
    // What goes on must end by itself; what waits for a rule of time need not.
    const isLate = sleep(20_000).then(() => running.kill('SIGTERM'));
    await Promise.race([ends, isLate]);
  }
  const end = await ends;
  count(bench, `${isOther && isStaged ? 'second host' : 'first host'}, ${victim} killed: ${end}`);
}

function addFault({ stateDir }: Home, endpoint: string, kind: string): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(`${stateDir}/sandbox.db`, { timeout: 20_000 });
  database
    .prepare('INSERT INTO fault_rule (endpoint, kind, times, created_at) VALUES (?, ?, 1, 0)')
    .run(endpoint, kind);
  database.close();
}

const hostsOf = ({ hosts, clerk }: Bench, { isSecret }: CampaignFile) => (isSecret ? ([clerk, clerk] as const) : hosts);

const LOOKS = 24;

/** Sends what is left, and looks, while time passes at the service, until no outcome is unknown. */
async function finish(bench: Bench, file: CampaignFile, path: string): Promise<void> {
  const hosts = hostsOf(bench, file);
  const words = file.isSecret ? createWords(path, file) : resumeWords(file);
  for (let looks = 0; ; looks++) {
    endLeases(bench);
    const host = hosts[looks % 2] ?? hosts[0];
    // The clocks of hosts differ by minutes.
    const clock = clockThatSkips(Date.now() + (looks % 3 === 0 ? 0 : looks % 3 === 1 ? -7 : 7) * 60_000);
    const { data, stderr } = printed(await fiatrail(host, words, { clock }));
    if (data && data.unknown + data.waiting + data.accepted + data.rejected === 0) return;
    if (data?.rejected === (await onboardedIn(bench, file)) && data.unknown + data.waiting + data.accepted === 0)
      return;
    if (looks === LOOKS) throw new Error(`${file.key} does not end: ${JSON.stringify(data)}\n${stderr}`);
    await fiatrailJson(hosts[0], ['sandbox', 'advance', '6m', '-q']);
    // Something that is newer shows that the list is not late.
    if (file.movesMoney) await sendProof(bench, file, looks);
    if (file.isSecret && looks > 1) await settleByHand(bench, file);
  }
}

/** One more piece of work of the same kind, with an amount of its own. */
async function sendProof({ hosts, place }: Bench, { as }: CampaignFile, looks: number): Promise<void> {
  const amount = String(900 + looks);
  const words: Readonly<Record<string, readonly string[]>> = {
    'payout create': ['payout', 'create', '--to', 'default'],
    'offramp create': ['offramp', 'create', place.userId, '--bank-code', '000013', '--account-number', '0123456791'],
    'transfers create': ['transfers', 'create', '--to', place.wallet],
    'withdrawals create': [
      ...['withdrawals', 'create', place.userId, '--token', 'CNGN'],
      ...['--from', place.managedWallet, '--to', place.destination],
    ],
  };
  await fiatrail(hosts[0], [...(words[as] ?? []), '--amount', amount, '--yes', '-q']);
}

/**
 * No list shows an onboarding, so a person says that it was not done: the service accepts a BVN only once, so that sending it again onboards nobody twice. Its rejection
 * says that it was done.
 */
async function settleByHand({ clerk, ...bench }: Bench, { key }: CampaignFile): Promise<void> {
  const { rows } = printed(await fiatrail(clerk, ['bulk', 'report', key, '-q', '-o', 'json'])).data;
  for (const { status, operationId } of rows) {
    if (status !== 'unknown') continue;
    await fiatrail(clerk, ['ops', 'resolve', operationId, '--not-done', '--reason', 'no list shows it', '--yes', '-q']);
    count(bench, 'an unknown onboarding, decided by a person');
  }
}

/** How many rows of a file with BVNs are rejected because they were onboarded. */
async function onboardedIn({ clerk }: Bench, { key, isSecret }: CampaignFile): Promise<number> {
  if (!isSecret) return 0;
  return printed(await fiatrail(clerk, ['bulk', 'report', key, '-q', '-o', 'json'])).data.rows.filter(isOnboarded)
    .length;
}

/** Whether a row is a BVN that an earlier request of the same row has onboarded. */
const isOnboarded = ({ status, reason }: { readonly status: string; readonly reason: string | null }) =>
  status === 'rejected' && reason !== null && /already belongs to a user/.test(reason);

/** Whether the service did each row once, and the report, the file and the ledger have the same sums. */
async function expectTrue(bench: Bench, file: CampaignFile): Promise<void> {
  const { server } = bench;
  const hosts = hostsOf(bench, file);
  const report = printed(await fiatrail(hosts[1], ['bulk', 'report', file.key, '-q', '-o', 'json'])).data;
  const ends = report.rows.map((row: Parameters<typeof isOnboarded>[0] & { readonly reference: string }) => [
    row.reference,
    file.isSecret && isOnboarded(row) ? 'done' : row.status,
  ]);
  expect(ends).toEqual(file.rows.map(({ reference }) => [reference, 'done']));
  const figures = file.rows.map((row) => row.figure).toSorted((a, b) => a - b);
  // Proofs of later work have other amounts.
  expect(doneIn(server, file).filter((each) => each < 90_000)).toEqual(figures);
  if (!file.movesMoney) return;
  expect(report.sums.map(({ status, rows }: Record<string, unknown>) => [status, rows])).toEqual([
    ['done', file.rows.length],
  ]);
  const sum = figures.reduce((all, each) => all + each, 0);
  expect(Math.round(Number(report.sums[0].sum.value) * 100)).toBe(sum);
  const ids = report.rows.map((row: Record<string, string>) => row['requestId']);
  expect(new Set(ids).size).toBe(file.rows.length);
}

/** Sends files of every kind that moves money, with kills and faults; then settles all of it, and compares report, file and ledger. */
export async function bulkCampaign(journal: TestServer): Promise<void> {
  onTestFailed(() => console.error(`repeat this with FIATRAIL_SOAK_SEED=${SEED}; ${ROWS} rows, ${RUNS} runs`));
  const bench = await openBench(journal);
  const chances = chancesOf(SEED);
  const files = campaignFiles(bench.place, ROWS);
  const runsOfEach = Math.ceil(RUNS / files.length);
  const beganAt = Date.now();
  for (const file of files) {
    const path = writeFile(hostsOf(bench, file)[0], file);
    const before = bench.requests.counts();
    for (let run = 0; run < runsOfEach; run++) {
      const perRun = Math.max(1, Math.floor(file.rows.length / runsOfEach));
      await killOnce(bench, file, path, chances, 1 + chances.below(perRun));
    }
    await fiatrail(bench.hosts[0], ['sandbox', 'fault', 'clear', '-q']);
    await finish(bench, file, path);
    await expectTrue(bench, file);
    if (IS_LONG) console.log(`${file.key}: ${file.rows.length} rows true after ${Date.now() - beganAt} ms`);
    if (IS_LONG) console.log(`  requests: ${requestsText(before, bench.requests.counts(), file.rows.length)}`);
  }
  const status = await fiatrailJson<{ ledger: object }>(bench.hosts[0], ['sandbox', 'status']);
  expect(status.ledger).toMatchObject({ balanced: true });
  expect((await fiatrail(bench.hosts[1], ['ops', 'journal', 'verify', '-q'])).code).toBe(0);
  const unknown = JSON.parse(
    journal.sql(bench.url, `SELECT count(*) FROM fiatrail.operation WHERE state IN ('sent', 'unknown')`),
  );
  expect(unknown).toBe(0);
  const said = [...bench.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `  ${times}  ${what}`);
  if (IS_LONG) console.log([`${ROWS} rows, seed ${SEED}`, ...said].join('\n'));
}

/** How many requests of each kind the hosts have sent since some counts, for each row of a file. */
function requestsText(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, rows: number): string {
  const sent = [...after].map(([path, times]) => [path, times - (before.get(path) ?? 0)] as const);
  const shown = sent.filter(([, times]) => times > 0).toSorted(([, a], [, b]) => b - a);
  const all = shown.reduce((sum, [, times]) => sum + times, 0);
  const each = shown.map(([path, times]) => `${path} ${(times / rows).toFixed(2)}`);
  return [`${(all / rows).toFixed(2)} a row`, ...each].join(', ');
}
