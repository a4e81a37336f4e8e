import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secret.ts';
import { replyOf } from '../../src/client/client.ts';
import { isOnlyOnce } from '../../src/client/refusals.ts';
import { controls } from '../../src/contract/control.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { conditionOf as conditionNamed, type FaultName } from '../../src/contract/faults.ts';
import { main } from '../../src/main.ts';
import { serve } from '../../src/sandbox/serve.ts';
import { groups } from '../service/operations/rows/index.ts';
import { copyOf, type Restore } from '../support/folder-copy.ts';
import { testNetwork } from '../support/loopback.ts';
import { openSandbox } from '../support/sandbox.ts';
import { countingIds, type FakeWorld, fakeClock, fakeWorld } from '../support/world.ts';
import { CONDITIONS, type Condition, type Things, TO_NAMED } from './conditions.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

function conditionOf(fault: FaultName, when: string): Condition {
  const found = CONDITIONS.find(({ declares }) => declares(fault, when));
  if (!found) throw new Error(`no condition for: ${when} (${fault})`);
  return found;
}

/** The client's error for an answer of an endpoint. */
function errorOf(endpoint: Endpoint, status: number, envelope: object): CliError {
  const response = { status, headers: {}, body: JSON.stringify(envelope) };
  try {
    replyOf(endpoint, {}, { response }, new Secret('a-key'));
  } catch (error) {
    if (error instanceof CliError) return error;
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
  const { code, names = [] } = conditionOf(fault, when);
  const error = errorOf(endpoint, status, envelope);
  // Without a name in a field, 05 may be an internal error.
  const isUnproven = isOnlyOnce(endpoint.effect) && error.responseCode === '05';
  expect(isUnproven ? ['OUTCOME_UNKNOWN'] : [code, ...names]).toContain(error.code);
  // A condition that the code does not name is among those that fit; an answer of 5xx proves none.
  if (status < 500) expect([error.code, ...error.candidates.map(({ name }) => name)]).toContain(conditionNamed(fault));
});

/** What was made once, and every test begins with a copy of. */
interface Beginning {
  readonly things: Things;
  readonly restore: Restore;
  readonly nowMs: number;
}

/** Above the count of ids that a beginning takes. */
const IDS_AFTER = 1_000_000;

/** A world whose ids do not contain a test BVN of eleven zeros, which would be hidden in them. */
function newWorld(beginning?: Beginning): FakeWorld {
  const world = fakeWorld({ clock: fakeClock(beginning?.nowMs) });
  const ids = countingIds(beginning && IDS_AFTER);
  const uuid = () => ids.uuid().replace('-8000-0000', '-8000-1234');
  beginning?.restore(world.homeDir);
  return { ...world, ids: { ...ids, uuid } };
}

interface Opened {
  readonly world: FakeWorld;
  close(): Promise<void>;
}

type Open = (world: FakeWorld) => Promise<Opened>;

const embedded: Open = async (world) => ({ world, close: async () => {} });

const overHttp: Open = async (world) => {
  const served = await serve(world, { path: join(world.homeDir, 'served.db'), port: 0, rateLimits: false });
  const env = { ...world.env, FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
  return { world: { ...world, env, network: testNetwork() }, close: () => served.close() };
};

const beginnings = new Map<Open, Promise<Beginning>>();

async function beginningOf(open: Open): Promise<Beginning> {
  const { world, close } = await open(newWorld());
  const things = await prepared(world);
  await close();
  return { things, restore: copyOf(world.homeDir), nowMs: world.clock.now() };
}

/** Opens a sandbox of its own for a test. */
async function openPrepared(open: Open): Promise<{ world: FakeWorld; things: Things }> {
  const making = beginnings.get(open) ?? beginningOf(open);
  beginnings.set(open, making);
  const beginning = await making;
  const { world, close } = await open(newWorld(beginning));
  onTestFinished(close);
  return { world, things: beginning.things };
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
  const poor = await printed(world, ['users', 'onboard', '22222222222', '--wait', '--yes']);
  const { users } = (await printed(world, ['users', 'list'])) as {
    users: {
      userId: string;
      wallets: { evm: string };
      virtualAccount: { accountNumber: string; accountName: string };
    }[];
  };
  const rich = users.find((each) => each.userId === userId);
  const { accountNumber = '', accountName = '' } = rich?.virtualAccount ?? {};
  await printed(world, ['sandbox', 'pay', accountNumber, '--amount', '1000', '--sender', accountName]);
  await printed(world, ['sandbox', 'settle']);
  await printed(world, ['wallets', 'external', 'add', ADDRESS, '--network', 'base', '--yes']);
  // Leaves less than the maximum withdrawal.
  const withdraw = ['fees', 'withdraw', '--amount', '100000', ...TO_NAMED, '--yes', '--again'];
  for (const line of [withdraw, withdraw]) await printed(world, line);
  const { accounts } = (await printed(world, ['bank-accounts', 'list'])) as { accounts: { accountId: string }[] };
  return {
    user: userId,
    poorUser: String(poor['userId']),
    wallet: rich?.wallets.evm ?? '',
    bankAccount: accounts[0]?.accountId ?? '',
    address: ADDRESS,
  };
}

/** Runs command lines that must fail, and returns the code of each. */
async function codesOf(world: FakeWorld, lines: readonly (readonly string[])[]) {
  const got: [line: string, code: string][] = [];
  for (const line of lines) {
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
  return got;
}

const WITH_LINES = CONDITIONS.filter(
  ({ lines }) => lines({ user: '', poorUser: '', wallet: '', bankAccount: '', address: '' }).length > 0,
);

describe.each([
  ['the embedded sandbox', embedded],
  ['a sandbox over HTTP', overHttp],
])('against %s', (_, open) => {
  test.each(WITH_LINES)(
    '$is has the code $code or its own name on every command',
    async ({ code, names = [], lines, before }) => {
      const { world, things } = await openPrepared(open);
      for (const line of before?.(things) ?? []) await printed(world, [...line, '--yes']);
      const all = lines(things);
      const got = await codesOf(world, all);
      expect(got.filter(([, each]) => ![code, ...names].includes(each))).toEqual([]);
    },
  );
});

test('every rejection of the contract is one of the conditions', () => {
  const all = [...endpoints, ...controls].flatMap(({ errors }) => errors);
  expect(all.map(({ fault, when }) => conditionOf(fault, when).code).length).toBeGreaterThan(90);
});

test('a wrong API key has the code AUTHENTICATION_FAILED on every command', async () => {
  const { world, things } = await openPrepared(overHttp);
  const wrong = { ...world, env: { ...world.env, FIATRAIL_API_KEY: `${world.env['FIATRAIL_API_KEY']}x` } };
  const lines = CONDITIONS.find(({ is }) => is === 'an unknown user')?.lines(things) ?? [];
  const got = await codesOf(wrong, lines);
  expect(got).toEqual(lines.map((line) => [line.join(' '), 'AUTHENTICATION_FAILED']));
});
