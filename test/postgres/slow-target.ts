import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, threadId } from 'node:worker_threads';

/** What a target says of each attempt that it got. */
export interface Got {
  readonly number: number;
  readonly beganMs: number;
  readonly isTaken: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A target on a thread of its own, so that whatever else a test does never holds it up. It refuses every fifth event once, and takes its time. */
async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const refused = new Set<number>();
  const server = createServer((request, response) => {
    const beganMs = Date.now();
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', async () => {
      const { number } = (JSON.parse(body) as { data: { number: number } }).data;
      await sleep(20);
      const isTaken = number % 5 !== 0 || refused.has(number);
      refused.add(number);
      port.postMessage({ number, beganMs, isTaken, headers: request.headers, body });
      response.writeHead(isTaken ? 200 : 500).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port.postMessage({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
}

if (!isMainThread && threadId > 0 && parentPort) await serve(parentPort);
