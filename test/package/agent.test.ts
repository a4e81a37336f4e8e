import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  copyProgram,
  newHome,
  newHomeWithCache,
  ROOT,
  requireBuilt,
  SHIM,
  sharedEnd,
  startProgram,
  temporaryFolder,
} from '../support/built.ts';

requireBuilt();

const ofAgents = () => readdirSync(join(ROOT, 'dist')).filter((name) => /^agent-.*\.cjs$/.test(name));

test('what serves agents takes at most 450 kB', () => {
  const bytes = ofAgents().reduce((sum, name) => sum + statSync(join(ROOT, 'dist', name)).size, 0);
  expect(ofAgents()).toContain('agent-server.cjs');
  expect(bytes).toBeLessThan(450_000);
});

test.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)(
  'serves the official client over stdio (%j)',
  async (mode) => {
    const home = newHome(onTestFinished);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [SHIM, 'mcp'],
      env: home.env as Record<string, string>,
      stderr: 'ignore',
    });
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'legacy' ? '2025-11-25' : '2026-07-28');
    expect((await client.listTools()).tools.length).toBe(9);
    const { structuredContent } = await client.callTool({ name: 'status', arguments: {} });
    expect(structuredContent).toMatchObject({ data: { mode: 'embedded' } });
    await client.close();
  },
);

describe('a program without what serves agents', () => {
  const root = temporaryFolder(sharedEnd());

  beforeAll(() => {
    copyProgram(root);
    for (const name of ofAgents()) rmSync(join(root, 'dist', name));
  });

  // Its own cache: that of the other tests has compiled code of what is missing here.
  const home = newHomeWithCache(sharedEnd());
  const run = (argv: readonly string[]) =>
    startProgram(home, process.execPath, [join(root, 'bin', 'fiatrail.js'), ...argv]).end;

  test.each([
    [['--version']],
    [['--help']],
    [['mcp', '--help']],
    [['mcp', '--help', '--quiet']],
    [['help', 'commands', '-o', 'json']],
    [['completion', 'complete', '--', 'mcp', '']],
    [['banks', '--search', 'access', '-q', '-o', 'json']],
  ])('runs %j', async (argv) => {
    expect((await run(argv)).code).toBe(0);
  });

  test('cannot serve them', async () => {
    expect((await run(['mcp'])).code).not.toBe(0);
  });
});
