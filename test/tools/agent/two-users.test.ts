import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type RunningSandbox, startSandbox } from '../../../src/kits/sandbox.ts';
import { control } from '../../kits/control.ts';
import { type Ran, ROOT, requireBuilt, SHIM, sharedEnd, temporaryFolder } from '../../support/built.ts';
import { newUsers, type Users } from '../users.ts';
import { type Agent, CALLS, call, FILES, PROGRAMS, REQUESTS } from './attempts.ts';

/**
 * The server of tools as the user `rail`, who has the key, and an agent as the user `agent`, who has the token: what the agent tries to
 * get the key, or to have a payment sent that nobody approved.
 */

const atEnd = sharedEnd();
const GROUP = 'rail-agents';
let users: Users;
let sandbox: RunningSandbox;
let agent: Agent;
/** What only `rail` may know. */
let secrets: readonly string[];

const as = (user: string, argv: readonly string[], stdin = '', env: Readonly<Record<string, string>> = {}) =>
  users.start(user, process.execPath, [SHIM, ...argv], { stdin, env }).end;

async function must(argv: readonly string[], stdin = ''): Promise<string> {
  const { stdout, stderr, code } = await as('rail', argv, stdin);
  if (code !== 0) throw new Error(`fiatrail ${argv.join(' ')} ended with ${code}:\n${stderr}`);
  return stdout;
}

/** Files below a folder that root can see, with what they have. */
const contents = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'latin1')] as const);

beforeAll(async () => {
  requireBuilt();
  users = newUsers(atEnd, GROUP, ['rail', 'agent']);
  sandbox = await startSandbox({ port: 0, pace: 'instant' });
  atEnd(() => sandbox.close());
  const added = ['profiles', 'add', 'main', '--base-url', sandbox.url, '--mode', 'sandbox', '--store', 'file'];
  await must([...added, '--key-stdin'], sandbox.apiKey);
  await must(['profiles', 'use', 'main']);
  await must(['profiles', 'journal', 'set', 'main', '--sole-host', '--yes', '-q']);
  await must(['bank-accounts', 'add', '--account-number', '0123456789', '--bank-code', '000013', '--yes', '-q']);
  await must(['profiles', 'approvers', 'add', 'ada', '--generate', '--yes', '-q']);
  await must(['profiles', 'approvers', 'add', 'bayo', '--public-key', '7c'.repeat(32), '--yes', '-q']);
  await must(['sync', '-q']);
  const { path } = users.home('rail');
  // As /run/fiatrail-mcp is: everyone may look into it.
  const runtime = temporaryFolder(atEnd);
  const folder = join(runtime, 'fiatrail-mcp');
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(runtime, 0o755);
  for (const each of [runtime, folder]) users.give('rail', each);
  const tokenFile = join(folder, 'token');
  const listen = ['mcp', '--listen', '127.0.0.1:0', '--token-file', tokenFile, '--token-group', GROUP];
  const server = users.start('rail', process.execPath, [SHIM, ...listen, '--allow', 'read,plan,apply']);
  atEnd(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  const url = (await server.firstLine()).trim();
  const token = (await users.start('agent', 'cat', [tokenFile]).end).stdout.trim();
  const shell = (user: string) => async (script: string) => users.start(user, 'sh', ['-c', script]).end;
  agent = {
    url,
    token,
    tokenFile,
    pid: server.pid,
    railHome: path,
    serviceUrl: sandbox.url,
    plan: '',
    sh: shell('agent'),
    fiatrail: (argv, { stdin, env } = {}) => as('agent', argv, stdin, env),
  };
  const planned = await call(agent, 'plan', {
    command: 'payout create',
    arguments: { amount: '1000', to: 'default' },
  });
  agent = { ...agent, plan: /"plan":"([\w-]+)"/.exec(planned)?.[1] ?? '' };
  const stored = contents(join(path, 'config', 'secrets')).map(([, text]) => text.trim());
  secrets = [...new Set([sandbox.apiKey, ...stored])];
}, 120_000);

/** What would be different after an attempt that succeeded: the account, the plan, the profile, and what rail's files are. */
async function situation() {
  const { ledger, users: people } = (await control(sandbox, 'status')) as { ledger: unknown; users: unknown };
  const plan = JSON.parse(await must(['plans', 'show', agent.plan, '-o', 'json', '-q'])) as Record<string, unknown>;
  const config = contents(join(users.home('rail').path, 'config'));
  const { status, approvals } = plan;
  return { ledger, people, status, approvals, config, token: readFileSync(agent.tokenFile, 'utf8') };
}

/** Runs attempts and returns those that got something. */
async function succeeded(
  attempts: readonly (readonly [name: string, run: (agent: Agent) => Promise<string>, ends: RegExp])[],
): Promise<readonly string[]> {
  const before = await situation();
  const found: string[] = [];
  for (const [name, run, ends] of attempts) {
    const got = await run(agent);
    if (secrets.some((each) => got.includes(each))) found.push(`${name}: got a secret`);
    // An attempt that ends otherwise than it should may not have tried anything.
    if (!ends.test(got)) found.push(`${name}: ${got.slice(0, 400)}`);
  }
  expect(await situation()).toEqual(before);
  return found;
}

test('there are the secrets to get, and a plan to approve', async () => {
  expect(secrets.length).toBeGreaterThan(1);
  expect(agent.plan).toMatch(/^[\da-f-]{36}$/);
  expect((await situation()).status).toBe('waiting');
  expect(agent.token).toMatch(/^[\w-]{43}$/);
  const counts = [FILES, PROGRAMS, CALLS, REQUESTS].map((attempts) => attempts.length);
  const page = readFileSync(join(ROOT, 'docs', 'contributing', 'approvals.md'), 'utf8');
  const section = page.slice(page.indexOf('## An agent that is another user')).split('\n## ')[0] ?? '';
  const sum = counts.reduce((all, each) => all + each, 0);
  expect((section.match(/\b\d+(?= (?:attempts|with))/g) ?? []).map(Number)).toEqual([sum, ...counts]);
});

describe('an agent that is another user gets nothing', () => {
  test('from files, processes and sockets', async () => {
    expect(await succeeded(FILES)).toEqual([]);
  });

  test('by running fiatrail itself', async () => {
    expect(await succeeded(PROGRAMS)).toEqual([]);
  });

  test('from the tools', async () => {
    expect(await succeeded(CALLS)).toEqual([]);
  });

  test('by other requests to the server', async () => {
    expect(await succeeded(REQUESTS)).toEqual([]);
  });
});

test('a group that the server is not in does not get a token, and no file of it stays', async () => {
  const path = join(users.home('rail').path, 'other.token');
  const listen = ['mcp', '--listen', '127.0.0.1:0', '--token-file', path, '--token-group', 'root'];
  const { code, stderr } = await as('rail', listen);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('usermod --append --groups root') });
  expect(existsSync(path)).toBe(false);
});

/** On standard input and output, the agent's user is the server's: docs/agents.md says so. */
test('as the same user it would get the key from a file, from the memory of the server, and by the profile', async () => {
  const sh = async (script: string): Promise<Ran> => users.start('rail', 'sh', ['-c', script]).end;
  const same: Agent = { ...agent, sh, fiatrail: (argv, { stdin, env } = {}) => as('rail', argv, stdin, env) };
  const gets = async (name: string) => {
    const [, run] = FILES.find(([each]) => each === name) ?? [];
    const got = (await run?.(same)) ?? '';
    return secrets.some((each) => got.includes(each));
  };
  expect(await gets('read the key')).toBe(true);
  expect(await gets('read the memory of the server')).toBe(true);
  expect((await same.fiatrail(['profiles', 'show', 'main', '-q'])).code).toBe(0);
});
