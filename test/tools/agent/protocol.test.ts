import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Home,
  newHome,
  requireBuilt,
  SHIM,
  sharedEnd,
  startFiatrail,
  startProgram,
  temporaryFolder,
} from '../../support/built.ts';
import { fetchedPackage } from '../npm-packages.ts';

/** The server of tools as programs of other people see it: the official clients, the inspector and the conformance suite. */

const atEnd = sharedEnd();
const ALLOW = ['--allow', 'read,plan,apply,sandbox'];
let home: Home;
let url: string;
let token: string;

beforeAll(async () => {
  requireBuilt();
  home = newHome(atEnd);
  const tokenFile = join(home.path, 'agent.token');
  const listen = ['mcp', '--listen', '127.0.0.1:0', '--token-file', tokenFile, ...ALLOW];
  const server = startFiatrail(home, listen);
  atEnd(async () => {
    server.kill('SIGTERM');
    await server.end;
  });
  url = (await server.firstLine()).trim();
  token = readFileSync(tokenFile, 'utf8').trim();
});

const STATUS = { name: 'status', arguments: {} };
const ANSWERED = { structuredContent: { data: { mode: 'embedded' } } };

describe('the official client', () => {
  const stdio = () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [SHIM, 'mcp'],
      env: { ...home.env },
      stderr: 'ignore',
    });
  const http = () =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });

  test.each([
    ['stdio', stdio, '2026-07-28'],
    ['HTTP', http, '2026-07-28'],
    ['stdio', stdio, undefined],
    ['HTTP', http, undefined],
  ])('is served over %s', async (_what, transport, pin) => {
    const options = pin === undefined ? {} : { versionNegotiation: { mode: { pin } } };
    const client = new Client({ name: 'test', version: '1' }, options);
    await client.connect(transport());
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(pin ?? '2025-11-25');
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(await client.callTool(STATUS)).toMatchObject(ANSWERED);
  });
});

/** What the tests use of the client of the protocol before. */
interface ClientBefore {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly unknown[] }>;
  callTool(call: object): Promise<unknown>;
}
type Class<T> = new (...values: unknown[]) => T;

describe('the official client of the protocol before', () => {
  const loaded = async <T>(path: string) =>
    (await import(
      pathToFileURL(join(fetchedPackage('@modelcontextprotocol/sdk'), 'dist', 'esm', 'client', path)).href
    )) as T;

  test.each(['stdio', 'HTTP'])('is served over %s', async (what) => {
    const { Client: Before } = await loaded<{ Client: Class<ClientBefore> }>('index.js');
    const { StdioClientTransport: Stdio } = await loaded<{ StdioClientTransport: Class<unknown> }>('stdio.js');
    const { StreamableHTTPClientTransport: Http } = await loaded<{ StreamableHTTPClientTransport: Class<unknown> }>(
      'streamableHttp.js',
    );
    const transport =
      what === 'stdio'
        ? new Stdio({ command: process.execPath, args: [SHIM, 'mcp'], env: home.env, stderr: 'ignore' })
        : new Http(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
    const client = new Before({ name: 'test', version: '1' });
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(await client.callTool(STATUS)).toMatchObject(ANSWERED);
  });
});

describe('the command line of the inspector', () => {
  const inspector = async (...argv: readonly string[]) => {
    const launcher = join(
      fetchedPackage('@modelcontextprotocol/inspector'),
      'clients',
      'launcher',
      'build',
      'index.js',
    );
    const { stdout, stderr, code } = await startProgram(home, process.execPath, [launcher, '--cli', ...argv]).end;
    if (code !== 0) throw new Error(`the inspector ended with ${code}:\n${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const overStdio = (...argv: readonly string[]) => inspector(process.execPath, SHIM, 'mcp', ...argv);

  test('lists tools and resources over standard input and output, and finds no error in a schema', async () => {
    const { tools } = (await overStdio('--method', 'tools/list', '--strict')) as { tools: readonly { name: string }[] };
    expect(tools.map(({ name }) => name)).toContain('status');
    const { resources } = (await overStdio('--method', 'resources/list')) as { resources: readonly { uri: string }[] };
    const [first] = resources;
    const read = await overStdio('--method', 'resources/read', '--uri', first?.uri ?? '');
    expect(read).toMatchObject({ contents: [{ text: expect.stringMatching(/./) }] });
  });

  test('calls tools, with the arguments of a command', async () => {
    expect(await overStdio('--method', 'tools/call', '--tool-name', 'status')).toMatchObject(ANSWERED);
    const banks = ['--method', 'tools/call', '--tool-name', 'read', '--tool-arg', 'command=banks', 'limit=2'];
    expect(await overStdio(...banks)).toMatchObject({ structuredContent: { cursor: expect.any(String) } });
  });

  test('lists tools over HTTP with the token', async () => {
    const at = ['--transport', 'http', '--server-url', url, '--header', `Authorization: Bearer ${token}`];
    const { tools } = (await inspector('--method', 'tools/list', ...at)) as { tools: readonly unknown[] };
    expect(tools.length).toBeGreaterThan(10);
  });
});

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
}

/** Scenarios that are about something that the server does not have, with what that is. */
const NOT_OURS: readonly (readonly [scenarios: RegExp, reason: string])[] = [
  [/^tools-call-|^json-schema-2020-12$|^elicitation-/, 'tools of the suite’s own server'],
  [/^http-custom-header-server-validation$/, 'a tool whose arguments are headers'],
  [/^input-required-result-/, 'tools that ask their caller something: a client’s answer is no approval'],
  [/^resources-(read|templates|subscribe|unsubscribe)/, 'resources of the suite’s own server'],
  [/^prompts-|^completion-complete$|^logging-set-level$/, 'prompts, completion and logging, which are not declared'],
  [/^tasks-|^sep-2640-/, 'extensions that are not declared'],
  [/^server-sse-|^server-session-lifecycle$/, 'sessions: each request stands alone'],
];

/** Checks of other scenarios that need what the server does not have. */
const NEEDS_MORE: Readonly<Record<string, readonly string[]>> = {
  // Prompts and templates of resources, which are not declared.
  caching: ['sep-2549-prompts-list-caching-hints', 'sep-2549-resources-templates-list-caching-hints'],
  // Tools of the suite's own server.
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
};

/** Forwards to the server with its token, which the suite cannot send, and with the name that it was called by unless that is this one. */
async function withToken(): Promise<string> {
  const { hostname, port } = new URL(url);
  const own = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const renamed = (text: string | undefined) => text?.replace(own(), `${hostname}:${port}`);
  const server = createServer((from, to) => {
    const { host, origin, ...others } = from.headers;
    const headers: IncomingHttpHeaders = { ...others, authorization: `Bearer ${token}` };
    if (host !== undefined) headers.host = renamed(host) ?? host;
    if (origin !== undefined) headers.origin = renamed(origin) ?? origin;
    const sent = request({ hostname, port, method: from.method, path: from.url, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    sent.on('error', () => to.destroy());
    from.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${own()}/mcp`;
}

test('the conformance suite finds nothing wrong with what the server has', async () => {
  const suite = join(fetchedPackage('@modelcontextprotocol/conformance'), 'dist', 'index.js');
  const results = temporaryFolder(onTestFinished);
  const argv = [suite, 'server', '--url', await withToken(), '--suite', 'all', '-o', results];
  const { stdout } = await startProgram(home, process.execPath, argv).end;
  const scenarios = readdirSync(results).map((folder) => ({
    name: /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(folder)?.[1] ?? folder,
    checks: JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as readonly Check[],
  }));
  expect(scenarios.length, stdout).toBeGreaterThan(60);
  // Whatever it was asked, each message was one of the protocol.
  const invalid = scenarios.filter(({ checks }) =>
    checks.some(({ id, status }) => id === 'wire-schema-valid' && status === 'FAILURE'),
  );
  expect(invalid.map(({ name }) => name)).toEqual([]);
  const applicable = scenarios.filter(({ name }) => !NOT_OURS.some(([pattern]) => pattern.test(name)));
  expect(applicable.map(({ name }) => name).toSorted()).toEqual([
    'caching',
    'dns-rebinding-protection',
    'http-header-validation',
    'ping',
    'resources-list',
    'sep-2164-resource-not-found',
    'server-initialize',
    'server-stateless',
    'tools-list',
  ]);
  const failed = applicable.flatMap(({ name, checks }) =>
    checks
      .filter(({ id, status }) => status === 'FAILURE' && !NEEDS_MORE[name]?.includes(id))
      .map(({ id, description }) => `${name} ${id}: ${description}`),
  );
  expect(failed).toEqual([]);
  const passed = applicable.flatMap(({ checks }) => checks.filter(({ status }) => status === 'SUCCESS'));
  expect(passed.length).toBeGreaterThanOrEqual(55);
});
