import { Client } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type CommandRecord, fieldOf, nameOf, offered } from '../../src/agent/commands.ts';
import { commandsOf, toolsFor } from '../../src/agent/tools.ts';
import { once } from '../../src/base/calls.ts';
import { type Home, newHome, sharedEnd } from '../support/built.ts';
import { fiatrail, must } from '../support/in-process.ts';
import { connect, serve } from './support.ts';

const sharedCleanUp = sharedEnd();
let home: Home;

beforeAll(async () => {
  home = newHome(sharedCleanUp);
  await must(home, ['sandbox', 'seed', '--users', '45', '--history', '30', '--rate-limits', 'off']);
  await must(home, ['sync']);
});

const atEnd = onTestFinished;

/** The connection of all tests that only read: one learns all commands when it starts. */
const reading = once(() => connect(home, [], sharedCleanUp));

const READS = ['status', 'find', 'report', 'query', 'commands', 'describe', 'read', 'operations', 'inbox'];
const SANDBOX = ['pay', 'advance', 'fault', 'reset'];

describe('the tools', () => {
  test('are those that are allowed, and reads if nothing is', async () => {
    const namesFor = async (...argv: string[]) => {
      const { client } = await connect(home, argv, atEnd);
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    expect(await namesFor()).toEqual(READS);
    expect(await namesFor('--allow', 'sandbox')).toEqual(SANDBOX);
    expect(await namesFor('--allow', 'read,sandbox')).toEqual([...READS, ...SANDBOX]);
  });

  test.each([['everything'], ['read,writ'], [''], ['read plan']])('do not start with --allow %j', async (allow) => {
    const { code, stderr, stdout } = await fiatrail(home, ['mcp', '--allow', allow]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('expected some of read,plan,apply,sandbox');
  });

  test('have none for the sandbox of a live account, and send nothing of one without a threshold or an allowance', async () => {
    const live = newHome(atEnd);
    const words = [
      'profiles',
      'add',
      'main',
      '--base-url',
      'https://api.example.com/v1',
      '--mode',
      'live',
      '--store',
      'file',
    ];
    await must(live, [...words, '--key-stdin'], 'live-key-0123456789');
    const { code, stderr } = await fiatrail(live, ['mcp', '--profile', 'main', '--allow', 'read,sandbox']);
    expect([code, stderr.includes('--allow sandbox is for sandboxes')]).toEqual([2, true]);
    const apply = await fiatrail(live, ['mcp', '--profile', 'main', '--allow', 'read,apply']);
    expect([apply.code, apply.stderr.includes('needs an approval threshold or an allowance')]).toEqual([2, true]);
  });

  test('take at most 3,000 tokens together, counted as a quarter of their bytes', async () => {
    const { client } = await connect(home, ['--allow', 'read,plan,apply,sandbox'], atEnd);
    expect(Buffer.byteLength(JSON.stringify(await client.listTools())) / 4).toBeLessThanOrEqual(3_000);
  });

  test('say which of them change something', async () => {
    const { client } = await connect(home, ['--allow', 'read,plan,apply,sandbox'], atEnd);
    const { tools } = await client.listTools();
    const reads = tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name);
    expect(reads).toEqual([...READS, 'plan_show']);
  });
});

/** All that a call may say to a command that reads. What is new here must not write, wait, or show or send anything to anyone else. */
const READ_ARGUMENTS =
  'address agent amount anything at bank_account_id by chart complete count days direction event event_id explain format from_network full grace kind late list max_age networks of operation_id pair period phone query refresh request_id require rows search side since sort_by sort_order status to_network token top trade_id transaction_type type until user user_id views withdrawal_id';

test('a command that reads takes only arguments that choose what is read', async () => {
  const { stdout } = await fiatrail(home, ['help', 'commands', '-o', 'json']);
  const { commands } = JSON.parse(stdout) as { commands: readonly CommandRecord[] };
  const found = toolsFor(['read']).flatMap((tool) => commandsOf(tool, commands).flatMap(offered));
  expect([...new Set(found.map(fieldOf))].toSorted().join(' ')).toBe(READ_ARGUMENTS);
});

test('no tool runs a command about keys, people, rules or the machine', async () => {
  const { stdout } = await fiatrail(home, ['help', 'commands', '-o', 'json']);
  const { commands } = JSON.parse(stdout) as { commands: readonly CommandRecord[] };
  const found = toolsFor(['read', 'plan', 'apply', 'sandbox']).flatMap((tool) =>
    commandsOf(tool, commands).map(nameOf),
  );
  expect(found.length).toBeGreaterThan(80);
  expect(found.filter((name) => /^(keys|profiles|api|init|inspect|doctor|tour|receipt|explain)\b/.test(name))).toEqual(
    [],
  );
  expect(
    found.filter((name) =>
      /\b(approve|reject|withdraw|resolve|retry|export|import|listen|prune|verify|trust)$/.test(name),
    ),
  ).toEqual(['fees withdraw']);
});

describe('a client', () => {
  test('of the newest protocol is served', async () => {
    const serving = serve(home, []);
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(serving.transport);
    const { isError, structuredContent } = await client.callTool({ name: 'status', arguments: {} });
    expect([isError ?? false, structuredContent]).toMatchObject([false, { data: { mode: 'embedded' } }]);
    await serving.end();
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('of the protocol of %s is served', async (version) => {
    const serving = serve(home, []);
    const clientInfo = { name: 'old', version: '1' };
    const params = { protocolVersion: version, capabilities: {}, clientInfo };
    serving.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    expect(await serving.next()).toMatchObject({ id: 1, result: { protocolVersion: version } });
    serving.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'status', arguments: {} } };
    serving.write(`${JSON.stringify(call)}\n`);
    expect(await serving.next()).toMatchObject({
      id: 2,
      result: { structuredContent: { data: { mode: 'embedded' } } },
    });
    expect((await serving.end()).code).toBe(0);
  });

  test('that sends nonsense is answered once it makes sense', async () => {
    const serving = serve(home, []);
    const nonsense = [
      'hello',
      '{',
      '[]',
      '""',
      '{"jsonrpc":"2.0"}',
      '\u0000\u0001',
      `"${'x'.repeat(3_000_000)}"`,
      '',
      '{"id":1}',
    ];
    for (const line of nonsense) serving.write(`${line}\n`);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } };
    const words = `${JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'initialize', params })}\n`;
    // A character in two parts, and a message in three.
    for (const part of [words.slice(0, 5), words.slice(5, 40), words.slice(40)]) serving.write(part);
    expect(await serving.next()).toMatchObject({ id: 9, result: {} });
    expect((await serving.end()).code).toBe(0);
  });

  test('that leaves right after a call still gets its answer', async () => {
    const serving = serve(home, []);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } };
    serving.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    serving.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'status', arguments: {} } };
    serving.write(`${JSON.stringify(call)}\n`);
    const { stdout, code } = await serving.end();
    expect([code, stdout.includes('"id":2')]).toEqual([0, true]);
  });
});

describe('an answer', () => {
  test('of a list has a cursor for what follows, until nothing does', async () => {
    const { call } = await reading();
    for (const [command, name, limit] of [
      ['users list', 'users', 7],
      ['banks', 'banks', 100],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const answer = await call('read', { command, limit, ...(cursor === undefined ? {} : { cursor }) });
        const rows = answer.data?.[name] as object[];
        expect(rows.length).toBeLessThanOrEqual(limit);
        seen.push(...rows.map((row) => JSON.stringify('userId' in row ? row.userId : row)));
        cursor = answer.cursor;
      } while (cursor !== undefined);
      const { stdout } = await fiatrail(home, [
        ...command.split(' '),
        ...(name === 'users' ? ['--all'] : []),
        '-o',
        'json',
      ]);
      expect([seen.length, new Set(seen).size]).toEqual([JSON.parse(stdout)[name].length, seen.length]);
    }
  });

  test('of a command that fails has its code, category and hint', async () => {
    const { call } = await reading();
    const { isError, error } = await call('read', { command: 'users show', arguments: { user_id: 'nobody' } });
    expect(isError).toBe(true);
    expect(error).toMatchObject({ code: 'NOT_FOUND', category: 'rejected', retryable: false });
    expect(error?.['message']).toBeUndefined();
    expect(error?.['fromService']).toEqual(expect.any(String));
  });

  test('masks names and numbers, and with --no-mask does not', async () => {
    const [masked, open] = [await reading(), await connect(home, ['--no-mask'], atEnd)];
    const names = async ({ call }: typeof masked) =>
      (
        (await call('read', { command: 'users list', limit: 3 })).data?.['users'] as { firstName: string }[] | undefined
      )?.map(({ firstName }) => firstName) ?? [];
    expect((await names(masked)).filter((name) => /^name-\d+$/.test(name))).toHaveLength(3);
    expect((await names(open)).filter((name) => !/^name-\d+$/.test(name))).toHaveLength(3);
  });

  test('of a query has nothing that is computed of names and numbers', async () => {
    const { call } = await reading();
    for (const query of [
      'select cast(account_number as integer) x from users',
      'select a + 0 from (select account_number a from users)',
      'with t(a, b, c, d, e, f, g, h, i, j) as (select * from users) select 1 from t',
      'select length(first_name), unicode(first_name), hex(last_name) from users',
      "select count(*) n from users where account_number >= '0' having n > 0",
      'select max(account_number) from payouts union select account_number from deposits',
    ]) {
      const { data } = await call('query', { query });
      const values = ((data?.['rows'] ?? []) as object[]).flatMap((row) => Object.values(row));
      expect(values.filter((value) => value !== null && value !== '' && value !== 1)).toEqual([]);
    }
    const { data } = await call('query', { query: 'select count(*) n, max(amount_minor) > 0 p from payouts' });
    expect(data?.['rows']).toEqual([{ n: expect.any(Number), p: 1 }]);
  });
});

describe('a call', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['status', { surprise: 1 }, 'unknown argument "surprise"'],
    ['status', { watch: true }, 'unknown argument "watch"'],
    ['read', {}, 'command: expected a text'],
    ['read', { command: 'payout create' }, 'read does not run "payout create"'],
    ['read', { command: 'keys aes show' }, 'read does not run "keys aes show"'],
    ['read', { command: 'profiles show' }, 'read does not run'],
    ['read', { command: 'api' }, 'read does not run'],
    ['read', { command: 'sandbox snapshot', arguments: { file: 'x' } }, 'read does not run'],
    ['read', { command: 'users list', extra: 1 }, 'unknown field "extra"'],
    ['read', { command: 'users list', arguments: [] }, 'arguments: expected an object'],
    ['read', { command: 'users list', arguments: { all: true } }, 'unknown argument "all"'],
    ['read', { command: 'sync', arguments: { to: 'postgres://evil.example/x' } }, 'unknown argument "to"'],
    ['read', { command: 'sandbox status', arguments: { values: true } }, 'unknown argument "values"'],
    ['read', { command: 'users list', arguments: { output_file: 'x.csv' } }, 'unknown argument "output_file"'],
    ['read', { command: 'users list', arguments: { '--no-mask': true } }, 'unknown argument "--no-mask"'],
    ['read', { command: 'users list', arguments: { search: { a: 1 } } }, 'search: expected a text'],
    ['read', { command: 'users show' }, 'user_id is missing'],
    ['read', { command: 'users show', arguments: { user_id: '--no-mask' } }, 'cannot start with -'],
    ['read', { command: 'users list', limit: 0 }, 'limit: expected a whole number from 1 to 100'],
    ['read', { command: 'users list', limit: 1e9 }, 'limit: expected'],
    ['read', { command: 'users list', cursor: 'nonsense' }, 'the cursor is not one of an answer'],
    ['read', { command: 'users list', cursor: 7 }, 'cursor: expected a text'],
    ['operations', { command: 'ops resolve' }, 'operations does not run'],
    ['inbox', { command: 'webhooks inbox export' }, 'inbox does not run'],
    ['query', { query: 'delete from users' }, 'a query cannot begin with "delete"'],
    ['query', { query: '-- x' }, 'cannot start with -'],
    ['query', { query: 'select 1', file: '/etc/passwd' }, 'unknown argument "file"'],
    ['describe', { command: 'keys rotate' }, 'no tool runs "keys rotate"'],
  ])('of %s with %j sends nothing, and says what is wrong', async (name, given, expected) => {
    const { call } = await reading();
    const { isError, error, data } = await call(name, given);
    expect([isError, data, error?.['category']]).toEqual([true, undefined, 'usage']);
    expect(error?.['message']).toContain(expected);
  });

  test('of a tool that is not allowed is no call', async () => {
    const { call } = await reading();
    for (const name of ['advance', 'reset', 'plan_apply', 'nothing', '__proto__'])
      await expect(call(name)).rejects.toThrow(`there is no tool ${name}`);
  });

  test('of many at once is answered one after another', async () => {
    const { call } = await reading();
    const answers = await Promise.all(Array.from({ length: 15 }, () => call('status')));
    expect(answers.every(({ isError }) => !isError)).toBe(true);
  });
});

test('what an agent plans says that an agent did, and none of it is sent without an approval', async () => {
  for (const [argv, name] of [
    [[], 'mcp'],
    [['--agent', 'claude-code'], 'claude-code'],
  ] as const) {
    const { call, end } = await connect(home, ['--allow', 'plan,apply', ...argv], onTestFinished);
    const planned = await call('plan', { command: 'payout create', arguments: { amount: '5', to: 'default' } });
    expect(planned.data).toMatchObject({ author: expect.stringMatching(new RegExp(`, by agent ${name}$`)) });
    const applied = await call('plan_apply', { plan: planned.data?.['plan'] });
    expect(applied.error).toMatchObject({ code: 'APPROVAL_REQUIRED' });
    await end();
  }
  // A list is not only of what agents did.
  await must(home, ['payout', 'create', '--amount', '7', '--to', 'default', '--yes']);
  const { call } = await connect(home, [], onTestFinished);
  const list = async (given: object) => (await call('operations', { command: 'ops list', arguments: given })).data;
  expect(await list({})).toMatchObject({ operations: [{ command: 'fiatrail payout create' }] });
  expect(await list({ agent: 'mcp' })).toMatchObject({ operations: [] });
});

test('help topics are resources', async () => {
  const { client } = await reading();
  const { resources } = await client.listResources();
  expect(resources.length).toBeGreaterThan(5);
  for (const { uri } of resources.slice(0, 3)) {
    const { contents } = await client.readResource({ uri });
    expect((contents[0] as { text: string }).text.length).toBeGreaterThan(100);
  }
  await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no such help topic');
});
