import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../support/postgres.ts';
import { timesInTurn } from './measure.ts';
import type { Row } from './report.ts';
import { quantile, ratios } from './statistics.ts';
import type { Command, Workshop } from './workshop.ts';

/** What a payment with a journal on a server may take longer than with a file. */
const MORE_MS = 60;
const CLAIM_MS = 10;
const PROCESSES = 4;
const CLAIMS = 200;

/** Measures a payment whose journal is in PostgreSQL, and claims by several processes at once. */
export async function measureSharedJournal(shop: Workshop, { runs }: { readonly runs: number }): Promise<Row[]> {
  const server = await startPostgres();
  try {
    const added = await measurePayments(shop, server.newDatabase(), runs);
    const filled = await measureFilled(shop, server.newDatabase(), runs);
    const url = server.newDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'fiatrail-claims-'));
    const found = await Promise.all(
      Array.from({ length: PROCESSES }, (_, index) => {
        const own = join(folder, String(index));
        mkdirSync(own, { mode: 0o700 });
        return claimsOf(shop.node([join(import.meta.dirname, 'claims-in.ts'), url, own, String(CLAIMS)]));
      }),
    );
    rmSync(folder, { recursive: true });
    const ours = found.flatMap((each) => each.ours);
    if (ours.length !== CLAIMS || new Set(ours).size !== CLAIMS)
      throw new Error(`${CLAIMS} keys were claimed ${ours.length} times`);
    const times = found.flatMap((each) => each.times);
    const limit = times.map(() => CLAIM_MS);
    return [
      added,
      filled,
      {
        name: `a claim in PostgreSQL, ${PROCESSES} processes that want the same ${CLAIMS} keys`,
        unit: 'ms',
        values: times,
        against: 'limit',
        beside: limit,
        ratios: ratios(times, limit),
        target: { is: 'at most', ratio: 1 },
        note: 'Each process claims without a pause, so three wait while one is served. Each key was claimed once.',
      },
    ];
  } finally {
    await server.stop();
  }
}

async function measurePayments(shop: Workshop, url: string, runs: number): Promise<Row> {
  const state = 'shared-journal';
  const seed = shop.fiatrail(state, ['sandbox', 'seed', '--users', '1', '--pace', 'instant', '--rate-limits', 'off']);
  run(seed);
  const served = await shop.serve(
    shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']),
  );
  const account = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  const list = ['users', 'list', '-o', 'json', '--query', 'users[0].userId'];
  const user = JSON.parse(run(shop.fiatrail('in-file', list, account))) as string;
  const argv = ['onramp', 'create', user, '--amount', '5000', '--yes', '-q', '-o', 'json'];
  const file = shop.fiatrail('in-file', argv, account);
  // An account has one journal, which is remembered beside the profiles.
  const configDir = `${file.env['FIATRAIL_CONFIG_DIR']}-of-server`;
  const onServer = { ...account, FIATRAIL_JOURNAL_URL: url, FIATRAIL_CONFIG_DIR: configDir };
  const times = await timesInTurn({ shared: shop.fiatrail('on-server', argv, onServer), file }, runs);
  await shop.stop(served);
  const added = times.shared.map((ms, index) => ms - (times.file[index] ?? Number.NaN));
  const limit = added.map(() => MORE_MS);
  return {
    name: 'added to a payment by a journal in PostgreSQL, against SQLite',
    unit: 'ms',
    values: added,
    against: 'limit',
    beside: limit,
    ratios: ratios(added, limit),
    target: { is: 'at most', ratio: 1 },
    note: 'onramp create over loopback, the database over a local socket, in turn.',
  };
}

/** Measures payments while the local copy is filled in the database that has their journal, against payments while nothing else happens. */
async function measureFilled(shop: Workshop, url: string, runs: number): Promise<Row> {
  const state = 'filled-shared';
  run(shop.fiatrail(state, ['sandbox', 'seed', '--history', '20000', '--pace', 'instant', '--rate-limits', 'off']));
  const served = await shop.serve(
    shop.fiatrail(state, ['sandbox', 'serve', '--port', '0', '--rate-limits', 'off', '-o', 'json']),
  );
  const account = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  const onServer = (name: string, args: readonly string[]) => {
    const { env } = shop.fiatrail(name, args, account);
    const configDir = `${env['FIATRAIL_CONFIG_DIR']}-${name}`;
    const urls = { FIATRAIL_JOURNAL_URL: url, FIATRAIL_COPY_URL: url, FIATRAIL_CONFIG_DIR: configDir };
    return shop.fiatrail(name, args, { ...account, ...urls });
  };
  const list = ['users', 'list', '-o', 'json', '--query', 'users[0].userId'];
  const user = JSON.parse(run(onServer('paying', list))) as string;
  const payment = onServer('paying', ['onramp', 'create', user, '--amount', '5000', '--yes', '-q']);
  const { pay: idle } = await timesInTurn({ pay: payment }, runs);
  const { file, args, env } = onServer('filling', ['sync', '--full', '--every', '1s', '-q']);
  const fill = spawn(file, args, { env, stdio: 'ignore' });
  const { pay: during } = await timesInTurn({ pay: payment }, runs);
  const isFilling = fill.exitCode === null;
  fill.kill();
  await shop.stop(served);
  if (!isFilling) throw new Error('the fill ended before the payments');
  const [values, beside] = [[quantile(during, 0.99)], [quantile(idle, 0.99)]];
  return {
    name: `p99 of ${runs} payments while the local copy is filled in the same database`,
    unit: 'ms',
    values,
    against: 'nothing else',
    beside,
    ratios: ratios(values, beside),
    target: { is: 'at most', ratio: 1.2 },
    note: 'The fill also takes a core, as do the sandbox and the database that serve both.',
  };
}

function run({ file, args, env }: Command): string {
  const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

interface Claims {
  readonly times: readonly number[];
  readonly ours: readonly number[];
}

function claimsOf({ file, args, env }: Command): Promise<Claims> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    child.on('close', (status) =>
      status === 0 ? resolve(JSON.parse(text) as Claims) : reject(new Error(`claims-in.ts ended with ${status}`)),
    );
  });
}
