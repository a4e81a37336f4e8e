import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { fiatrail, type Home, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { TO } from '../support/fee-withdrawal.ts';
import { fiatrailJson, must } from '../support/in-process.ts';
import { embeddedKey } from '../support/rotations.ts';

beforeAll(requireBuilt);

const pay = (amount: string, ...more: string[]) => [
  'fees',
  'withdraw',
  '--amount',
  amount,
  ...TO,
  '--yes',
  '-o',
  'json',
  ...more,
];

/** The soak tries it more often. */
const ONCE_KEYS = process.env['FIATRAIL_SOAK_RUNS'] ? ['a', 'b', 'c'] : ['a'];

/** A home whose own sandbox is also served, with two profiles for it. */
async function servedHome(): Promise<{ readonly home: Home; readonly url: string; readonly apiKey: string }> {
  const home = newHome(onTestFinished);
  const words = ['sandbox', 'serve', '--port', '0', '-o', 'json', '--pace', 'instant', '--rate-limits', 'off'];
  const server = startFiatrail(home, words);
  onTestFinished(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  const { url, apiKey } = JSON.parse(await server.firstLine()) as { url: string; apiKey: string };
  for (const [name, at] of [
    ['main', url],
    ['twin', url.replace('127.0.0.1', 'localhost')],
  ] as const)
    await must(home, ['profiles', 'add', name, '--base-url', at, '--mode', 'sandbox', '--key-stdin'], apiKey);
  return { home, url, apiKey };
}

/** Every way to reach the sandbox of a home: each is the same account. */
const waysTo = (url: string, apiKey: string) => [
  { flags: ['--profile', 'main'], env: {} },
  { flags: ['--profile', 'twin'], env: {} },
  { flags: ['--profile', 'sandbox'], env: {} },
  { flags: [], env: { FIATRAIL_BASE_URL: `${url}/`, FIATRAIL_API_KEY: apiKey } },
  { flags: [], env: { FIATRAIL_PROFILE: 'twin', FIATRAIL_API_KEY: apiKey } },
  { flags: ['--profile', 'main'], env: {} },
];

const withdrawals = async (home: Home) =>
  (await fiatrailJson<{ withdrawals: { withdrawalId: string }[] }>(home, ['fees', 'withdrawals', 'list', '--all']))
    .withdrawals;

test('processes with the same key pay once under one idempotency key, however each of them got the key', async () => {
  const { home, url, apiKey } = await servedHome();
  for (const key of ONCE_KEYS) {
    const before = await withdrawals(home);
    const ran = await Promise.all(
      waysTo(url, apiKey).map(({ flags, env }) => fiatrail(home, pay('max', '--once', key, ...flags), { env })),
    );
    expect(
      ran.map(({ code }) => code),
      ran.map(({ stderr }) => stderr).join(''),
    ).toEqual(Array(6).fill(0));
    const printed = ran.map(({ stdout }) => (JSON.parse(stdout) as { withdrawalId: string }).withdrawalId);
    const after = await withdrawals(home);
    expect(after).toHaveLength(before.length + 1);
    expect(new Set(printed)).toEqual(new Set([after[0]?.withdrawalId]));
  }
});

test('processes with the same key pay once without an idempotency key', async () => {
  const { home, url, apiKey } = await servedHome();
  // Each key that there is: of a profile, of the sandbox and of the environment.
  const ways = waysTo(url, apiKey).slice(2);
  const ran = await Promise.all(ways.map(({ flags, env }) => fiatrail(home, pay('500', ...flags), { env })));
  expect(ran.map(({ code }) => code).sort()).toEqual([0, 9, 9, 9]);
  expect(await withdrawals(home)).toHaveLength(1);
});

test('an idempotency key survives a rotation that one of the processes runs meanwhile', async () => {
  const home = newHome(onTestFinished);
  await must(home, ['sandbox', 'seed', '--rate-limits', 'off', '--pace', 'instant', '-q']);
  const first = embeddedKey(home);
  const rotating = fiatrail(home, ['keys', 'rotate', '--yes', '-q']);
  const paying = Array.from({ length: ONCE_KEYS.length > 1 ? 6 : 4 }, () => fiatrail(home, pay('500', '--once', 'k')));
  expect((await rotating).code).toBe(0);
  const ran = await Promise.all(paying);
  expect(embeddedKey(home)).not.toBe(first);
  // A command that read the old key and sent it too late was rejected (4), or another one was at work under the idempotency key (9).
  const others = ran.filter(({ code }) => code === null || ![0, 4, 9].includes(code));
  expect(others.map(({ code, stderr }) => `${code} ${stderr}`)).toEqual([]);
  expect((await fiatrail(home, pay('500', '--once', 'k'))).code).toBe(0);
  expect(await withdrawals(home)).toHaveLength(1);
});
