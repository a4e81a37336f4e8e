import { expect, test } from 'vitest';
import type { Calling } from '../../src/agent/calls.ts';
import type { CommandRecord, Ran } from '../../src/agent/commands.ts';
import { serveOverStdio } from '../../src/agent/stdio.ts';
import { toolsFor } from '../../src/agent/tools.ts';
import { createTurns } from '../../src/agent/turns.ts';

const STATUS: CommandRecord = {
  words: ['status'],
  summary: 'Show the status',
  details: null,
  effect: 'read',
  isPlannable: false,
  parameters: [],
  endpoints: ['wallets.balance-multi'],
};

const line = (message: object) => Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'n', version: '1' } };

/** A server whose client sends what `messages` yields, and reads when `reads` resolves. */
async function served(messages: AsyncIterable<Uint8Array>, reads: () => Promise<void>, ran: () => Promise<Ran>) {
  const written: string[] = [];
  const calling: Calling = {
    tools: toolsFor(['read']),
    commands: [STATUS],
    run: ran,
    turns: createTurns(),
    globals: [],
    isMasked: true,
  };
  const reported: string[] = [];
  const world = {
    inputParts: () => messages,
    stdout: {
      isTerminal: false,
      columns: undefined,
      write: async (text: string | Uint8Array) => {
        await reads();
        written.push(String(text));
      },
    },
    interrupted: new AbortController().signal,
    turn: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  await serveOverStdio(world, calling, { version: '1', topics: [] }, (what) => void reported.push(what));
  return { written, reported };
}

const TEXT = 'x'.repeat(40_000);
const answering = async (): Promise<Ran> => ({
  code: 0,
  stdout: JSON.stringify({ rows: Array(12).fill(TEXT.slice(0, 3_500)) }),
  stderr: '',
});

test('a client that reads nothing is not read from either, and loses nothing', async () => {
  let sent = 0;
  let mostSent = 0;
  let read = () => {};
  const reads = new Promise<void>((resolve) => {
    read = resolve;
  });
  async function* messages() {
    yield line({ id: 0, method: 'initialize', params });
    yield line({ method: 'notifications/initialized' });
    for (let id = 1; id <= 300; id += 1) {
      sent = id;
      yield line({ id, method: 'tools/call', params: { name: 'status', arguments: {} } });
      // The client is slow, so that each call is answered before the next.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  const done = served(messages(), () => reads, answering);
  for (let at = 0; at < 2_000; at += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  mostSent = sent;
  read();
  const { written } = await done;
  expect(mostSent).toBeLessThan(60);
  expect(written).toHaveLength(301);
});

test('calls that wait are refused at last, and each is answered', async () => {
  let running = 0;
  let most = 0;
  async function* messages() {
    yield line({ id: 0, method: 'initialize', params });
    yield line({ method: 'notifications/initialized' });
    for (let id = 1; id <= 200; id += 1)
      yield line({ id, method: 'tools/call', params: { name: 'status', arguments: {} } });
  }
  const { written } = await served(
    messages(),
    async () => {},
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running -= 1;
      return { code: 0, stdout: '{}', stderr: '' };
    },
  );
  expect(most).toBe(1);
  expect(written).toHaveLength(201);
  expect(written.filter((each) => each.includes('TOO_MANY_CALLS')).length).toBeGreaterThan(0);
});

test('what is no message is reported, and does not end the server', async () => {
  async function* messages() {
    yield Buffer.from('nonsense\n');
    yield Buffer.from(`${'y'.repeat(2_000_000)}\n`);
    yield line({ id: 0, method: 'initialize', params });
  }
  const { written, reported } = await served(messages(), async () => {}, answering);
  expect(written).toHaveLength(1);
  expect(reported.length).toBeGreaterThanOrEqual(2);
});

test('a command that prints nonsense or no error is an error, and keeps no secret', async () => {
  const { written } = await served(
    (async function* () {
      yield line({ id: 0, method: 'initialize', params });
      yield line({ id: 1, method: 'tools/call', params: { name: 'status', arguments: {} } });
    })(),
    async () => {},
    async () => ({ code: 1, stdout: '', stderr: 'warning: something\n' }),
  );
  expect(JSON.parse(written[1] ?? '')).toMatchObject({
    result: { isError: true, structuredContent: { warnings: ['warning: something'], error: { code: 'INTERNAL' } } },
  });
});
