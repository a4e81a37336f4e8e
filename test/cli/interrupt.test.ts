import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { CATEGORIES } from '../../src/base/errors.ts';
import { type Home, newHome, ROOT, requireBuilt, startFiatrail } from '../support/built.ts';
import { readBefore } from '../support/exchange.ts';
import { fiatrail } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';
import { httpServer } from '../support/loopback.ts';

beforeAll(requireBuilt);

const PAY = ['onramp', 'create', 'somebody', '--amount', '5', '--yes', '-o', 'json'];
const PROGRAM = join(ROOT, 'bin', 'fiatrail.js');
const READ = ['users', 'list'];
/** The response to the first read of an account. */
const KEY = { publicKey: 'ab'.repeat(32) };

/** A service that never responds, but for the list before a payment; `asked` resolves when the first other request arrives. */
async function silentService() {
  let arrive: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let requests = 0;
  const { baseUrl } = await httpServer((request, response) => {
    const before = readBefore({ url: `http://service.test${request.url}` });
    request.resume().on('end', () => {
      if (before) return response.writeHead(before.status, before.headers).end(before.body);
      requests += 1;
      return arrive();
    });
  });
  return { env: { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: 'sandbox_a-key' }, asked, requests: () => requests };
}

/** Runs a command with the silent service and sends it a signal. */
async function stopped(home: Home, argv: readonly string[], signal: NodeJS.Signals) {
  const service = await silentService();
  const running = startFiatrail(home, argv, { env: service.env });
  await service.asked;
  process.kill(running.pid, signal);
  return { ...(await running.end), requests: service.requests() };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s leaves a sent payment with an unknown outcome, also in the journal, and exits with 6',
  async (signal) => {
    const home = newHome(onTestFinished);
    const { code, stderr, requests } = await stopped(home, PAY, signal);
    const rows = journalRows(home.stateDir);
    expect({ code, requests, states: rows.map(({ state }) => state) }).toEqual({
      code: CATEGORIES.unknown.exit,
      requests: 1,
      states: ['unknown'],
    });
    expect(stderr).toContain(`"operationId":"${rows[0]?.id}"`);
  },
);

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s interrupts a read, which exits with 130', async (signal) => {
  const { code, stderr } = await stopped(newHome(onTestFinished), READ, signal);
  expect({ code, stderr }).toEqual({
    code: CATEGORIES.interrupted.exit,
    stderr: expect.stringContaining('interrupted'),
  });
});

/** Waits until the journal's only operation has a state. */
async function journalSays(home: Home, state: string): Promise<void> {
  while (!journalRows(home.stateDir).some((row) => row.state === state)) await setTimeout(20);
}

test.each([
  ['SIGINT', 'SIGINT'],
  ['SIGINT', 'SIGTERM'],
] as const)('%s and %s at once are one signal: the outcome is recorded and said', async (first, second) => {
  const home = newHome(onTestFinished);
  const service = await silentService();
  const running = startFiatrail(home, PAY, { env: service.env });
  await service.asked;
  process.kill(running.pid, first);
  process.kill(running.pid, second);
  const { code, stderr } = await running.end;
  const [row] = journalRows(home.stateDir);
  expect({ code, state: row?.state }).toEqual({ code: 6, state: 'unknown' });
  expect(stderr).toContain(`"operationId":"${row?.id}"`);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s during a payment in the embedded sandbox leaves an unknown outcome, which reconciling ends',
  async (signal) => {
    const home = newHome(onTestFinished);
    await fiatrail(home, ['sandbox', 'fault', 'add', '--on', 'fees.withdraw', '--fault', 'slow']);
    // Creates the journal, so that it can be read while the payment is sent.
    await fiatrail(home, ['ops', 'list']);
    const to = ['--bank-code', '000013', '--account-number', '0123456789', '--account-name', 'ADA'];
    const argv = ['fees', 'withdraw', '--amount', '500', ...to, '--yes', '-o', 'json'];
    const running = startFiatrail(home, argv);
    await journalSays(home, 'sent');
    process.kill(running.pid, signal);
    const { code, stderr } = await running.end;
    const [row] = journalRows(home.stateDir);
    expect({ code, state: row?.state }).toEqual({ code: 6, state: 'unknown' });
    expect(stderr).toContain(`"operationId":"${row?.id}"`);
    const { code: found } = await fiatrail(home, ['ops', 'reconcile']);
    expect({ found, state: journalRows(home.stateDir)[0]?.state }).toEqual({ found: 0, state: 'accepted' });
  },
);

test('a second signal ends a command whose output nobody reads, with words', async () => {
  const home = newHome(onTestFinished);
  const child = spawn(process.execPath, [PROGRAM, 'openapi'], { env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const end = new Promise<number | null>((resolve) => child.on('exit', resolve));
  // The pipe is full once something can be read.
  await new Promise<void>((resolve) => child.stdout.once('readable', () => resolve()));
  // As fast as someone presses Ctrl-C, again and again: a machine that is busy may take the first two for one.
  child.kill('SIGINT');
  const pressing = setInterval(() => child.kill('SIGINT'), 300);
  const code = await end;
  clearInterval(pressing);
  expect({ code, stderr: stderr.replace(/^ {2}run: .*\n/m, '') }).toEqual({
    code: 130,
    stderr: 'error: stopped at once; no request was in flight\n',
  });
  child.stdout.destroy();
});

test('SIGINT interrupts a command that has already saved a profile, which exits with 130', async () => {
  let asked: () => void = () => {};
  const second = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let requests = 0;
  const { baseUrl } = await httpServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      if (requests > 1) asked();
      else response.end(JSON.stringify({ status: 'Success', response_code: '00', message: 'done', data: KEY }));
    });
  });
  const home = newHome(onTestFinished);
  const argv = ['init', 'main', '--base-url', baseUrl, '--key-stdin'];
  const running = startFiatrail(home, argv, { stdin: 'sandbox_key' });
  await second;
  process.kill(running.pid, 'SIGINT');
  const { code, stderr } = await running.end;
  expect({ code, stderr }).toEqual({
    code: CATEGORIES.interrupted.exit,
    stderr: expect.stringContaining('interrupted'),
  });
});

test('a payment of a killed process stays sent in the journal', async () => {
  const home = newHome(onTestFinished);
  await stopped(home, PAY, 'SIGKILL');
  const { stdout } = await fiatrail(home, ['ops', 'list', '-o', 'json', '--query', 'operations[0].operationId']);
  const shown = await fiatrail(home, ['ops', 'show', JSON.parse(stdout), '-o', 'json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    state: 'sent',
    advice: expect.stringContaining('the outcome is unknown'),
  });
});

test('an interrupted wait exits with 130 and the work continues', async () => {
  const home = newHome(onTestFinished);
  await fiatrail(home, ['sandbox', 'seed', '--pace', 'real']);
  const running = startFiatrail(home, ['users', 'onboard', '--bvn-stdin', '--wait'], {
    stdin: '22345678901',
  });
  await running.says('the onboarding is in progress (status: processing)');
  process.kill(running.pid, 'SIGINT');
  const { code, stderr } = await running.end;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('it continues without this command') });
});
