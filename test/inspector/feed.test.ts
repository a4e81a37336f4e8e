import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createFeed } from '../../src/inspector/feed.ts';

/** Pages that listen for changes, and what those that do not cost. */

/** What is told is this long, so that few changes fill the buffers of a connection. */
const LONG = 256 * 1024;

/** A served feed whose version changes when a test says so. */
async function served() {
  let [version, wake, isBusy] = [0, () => {}, false];
  const sleep = () => new Promise<void>((resolve) => (wake = resolve));
  const feed = createFeed(
    { now: () => 0, sleep },
    () => `${version}-${'x'.repeat(LONG)}`,
    () => (isBusy ? 0.9 : 0.1),
  );
  const responses: ServerResponse[] = [];
  const isTaken: boolean[] = [];
  const server = createServer((asked, response) => {
    responses.push(response);
    isTaken.push(feed.add(response, asked.headers['last-event-id'] as string | undefined));
    if (isTaken.at(-1) === false) response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    feed.close();
    wake();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const change = () => {
    version += 1;
    wake();
  };
  const work = (is: boolean) => {
    isBusy = is;
  };
  return { port, responses, isTaken, change, work };
}

/** Connects and reads nothing. */
async function silent(port: number, at: Awaited<ReturnType<typeof served>>): Promise<Socket> {
  const before = at.responses.length;
  const socket = connect(port, '127.0.0.1').pause();
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  while (at.responses.length === before) await turn();
  return socket;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Connects and reads everything. */
async function listening(port: number, lastEventId?: string) {
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
  const sent = request({ port, host: '127.0.0.1', headers, agent: false }).end();
  onTestFinished(() => void sent.destroy());
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let left = '';
  const heard: number[] = [];
  response.setEncoding('utf8').on('data', (part: string) => {
    const messages = (left + part).split('\n\n');
    left = messages.pop() ?? '';
    for (const each of messages)
      if (each.endsWith('\ndata: changed')) heard.push(Number(/^id: (\d+)-/.exec(each)?.[1]));
  });
  return { heard };
}

test('a page that never reads is left after 40 changes, without a queue, and holds up nobody', async () => {
  const at = await served();
  await silent(at.port, at);
  const other = await listening(at.port);
  const [stuck] = at.responses;
  if (!stuck) throw new Error('nobody is connected');
  let [changes, unread, longest] = [0, 0, 0];
  while (!stuck.destroyed) {
    changes += 1;
    at.change();
    while (!other.heard.includes(changes)) await turn();
    longest = Math.max(longest, stuck.writableLength);
    if (stuck.writableNeedDrain) unread += 1;
    expect(changes).toBeLessThan(1_000);
  }
  expect(unread).toBe(41);
  expect(longest).toBeLessThan(2 * LONG);
  // Nobody is left out who reads, and whoever was left comes back where they were.
  expect(other.heard.filter((each) => each > 0)).toEqual(Array.from({ length: changes }, (_, index) => index + 1));
  const back = await listening(at.port, `${changes}-${'x'.repeat(8)}`);
  at.change();
  while (!back.heard.includes(changes + 1)) await turn();
});

test('a page of a busy program is told of every fourth change, and of the first one that it rests after', async () => {
  const at = await served();
  const page = await listening(at.port);
  at.work(true);
  for (let change = 1; change <= 9; change++) {
    at.change();
    await turn();
  }
  at.work(false);
  at.change();
  while (!page.heard.includes(10)) await turn();
  expect(page.heard.filter((each) => each > 0)).toEqual([4, 8, 10]);
});

test('pages that have gone away leave room for others', async () => {
  const at = await served();
  const sockets: Socket[] = [];
  for (let count = 0; count < 21; count += 1) sockets.push(await silent(at.port, at));
  expect(at.isTaken).toEqual([...Array(20).fill(true), false]);
  sockets[0]?.destroy();
  while (at.responses[0]?.destroyed === false) await turn();
  await silent(at.port, at);
  expect(at.isTaken.at(-1)).toBe(true);
});
