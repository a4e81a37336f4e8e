import { describe, expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { createNetwork } from '../../src/client/network.ts';
import { controls } from '../../src/contract/control.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import type { FaultName } from '../../src/contract/faults.ts';
import { main } from '../../src/main.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { groups } from '../service/operations/rows/index.ts';
import { openSandbox, temporaryFolder } from '../support/sandbox.ts';
import { type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { CONDITIONS, type Condition, type Things, TO_NAMED } from './conditions.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

function conditionOf(fault: FaultName, when: string): Condition {
  const found = CONDITIONS.find(({ declares }) => declares(fault, when));
  if (!found) throw new Error(`no condition for: ${when} (${fault})`);
  return found;
}

/** The code that the client gives an answer of an endpoint. */
function codeOf(endpoint: Endpoint, status: number, envelope: object): string {
  const response = { status, headers: {}, body: JSON.stringify(envelope) };
  try {
    replyOf(endpoint, {}, { response }, new Secret('a-key'));
  } catch (error) {
    if (error instanceof CliError) return error.code;
    throw error;
  }
  throw new Error(`${endpoint.id} accepted the request`);
}

const declared = groups.flatMap((group) => group.declared);

test.each(declared.map((row) => [...row] as const))('%s: %s', async (id, when, fault, act) => {
  await using box = await openSandbox();
  const { status, envelope } = await act(box);
  const endpoint = [...endpoints, ...controls].find((each) => each.id === id);
  if (!endpoint) throw new Error(`no endpoint ${id}`);
  expect(codeOf(endpoint, status, envelope)).toBe(conditionOf(fault, when).code);
});

async function embedded(): Promise<FakeWorld> {
  return fakeWorld();
}

async function overHttp(): Promise<FakeWorld> {
  const folder = temporaryFolder();
  const world = fakeWorld({ clock: fakeClock() });
  const served = await serve(world, { path: folder.file('sandbox.db'), port: 0, rateLimits: false });
  onTestFinished(async () => {
    await served.close();
    folder[Symbol.dispose]();
  });
  const env = { ...world.env, FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  return { ...world, env, network: createNetwork({}) };
}

async function printed(world: FakeWorld, line: readonly string[]): Promise<Record<string, unknown>> {
  const before = world.stdout.text().length;
  const exit = await main([...line, '-o', 'json', '-q'], world);
  if (exit !== 0) throw new Error(`${line.join(' ')}: ${world.stderr.text()}`);
  return JSON.parse(world.stdout.text().slice(before)) as Record<string, unknown>;
}

/** A user with ₦1,000, a registered wallet, the seeded bank account, and ₦50,000 in fees. */
async function prepared(world: FakeWorld): Promise<Things> {
  const { userId } = (await printed(world, ['users', 'onboard', '22222222221', '--wait', '--yes'])) as {
    userId: string;
  };
  const { users } = (await printed(world, ['users', 'list'])) as {
    users: { wallets: { evm: string }; virtualAccount: { accountNumber: string; accountName: string } }[];
  };
  const { accountNumber = '', accountName = '' } = users[0]?.virtualAccount ?? {};
  await printed(world, ['sandbox', 'pay', accountNumber, '--amount', '1000', '--from', accountName]);
  await printed(world, ['sandbox', 'settle']);
  await printed(world, ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes']);
  // Leaves less than the maximum withdrawal.
  const withdraw = ['fees', 'withdraw', '--amount', '100000', ...TO_NAMED, '--yes', '--again'];
  for (const line of [withdraw, withdraw]) await printed(world, line);
  const { accounts } = (await printed(world, ['bank-accounts', 'list'])) as { accounts: { accountId: string }[] };
  return {
    user: userId,
    wallet: users[0]?.wallets.evm ?? '',
    bankAccount: accounts[0]?.accountId ?? '',
    address: ADDRESS,
  };
}

const WITH_LINES = CONDITIONS.filter(
  ({ lines }) => lines({ user: '', wallet: '', bankAccount: '', address: '' }).length > 0,
);

describe.each([
  ['the embedded sandbox', embedded],
  ['a sandbox over HTTP', overHttp],
])('against %s', (_, open) => {
  test.each(WITH_LINES)('$is has the code $code on every command', async ({ code, lines }) => {
    const world = await open();
    const all = lines(await prepared(world));
    const got: [line: string, code: string][] = [];
    for (const line of all) {
      const before = world.stderr.text().length;
      const exit = await main([...line, '--yes', '--output', 'json', '-q'], world);
      const [error = '{}'] = world.stderr
        .text()
        .slice(before)
        .split('\n')
        .filter((text) => text.startsWith('{"error"'));
      got.push([
        line.join(' '),
        exit === 0 ? 'exit 0' : ((JSON.parse(error) as { error?: { code?: string } }).error?.code ?? error),
      ]);
    }
    expect(got).toEqual(all.map((line) => [line.join(' '), code]));
  });
});

test('every refusal of the contract is one of the conditions', () => {
  const all = [...endpoints, ...controls].flatMap(({ errors }) => errors);
  expect(all.map(({ fault, when }) => conditionOf(fault, when).code).length).toBeGreaterThan(90);
});
