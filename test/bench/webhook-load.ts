/**
 * Sends signed webhooks over keep-alive connections, in a process of its own, which a parent controls over IPC. Autocannon would
 * build each request while it measures, and has no steady rate.
 */
import { connect, type Socket } from 'node:net';
import { seal } from '../../src/crypto/sealed-box.ts';
import { quantile } from './statistics.ts';
import { bodyOf, signedHeaders } from './webhook-events.ts';

/** `prepare` signs requests for new events, and encrypts them to a public key if there is one. `send` sends all of them once. */
export type Order =
  | { readonly what: 'prepare'; readonly count: number; readonly encryptedTo?: string | undefined }
  | {
      readonly what: 'send';
      /** The connections are spread over these. */
      readonly ports: readonly number[];
      readonly connections: number;
      /** Without it, each connection sends as soon as it has its answer. */
      readonly perSecond?: number | undefined;
    };

/** What became of the requests. */
export interface Sent {
  readonly perSecond: number;
  /** At a steady rate, from the time at which a request was to be sent. */
  readonly p99Ms: number;
  /** How busy this process was, from 0 to 1. */
  readonly busy: number;
}

let prepared: Buffer[] = [];
let total = 0;

async function prepare(count: number, encryptedTo: string | undefined): Promise<void> {
  const endMs = Date.now();
  prepared = [];
  for (const end = total + count; total < end; total += 1) {
    // A millisecond apart.
    const timestamp = new Date(endMs - (end - total)).toISOString();
    const plain = bodyOf(total, timestamp);
    const body = encryptedTo === undefined ? plain : JSON.stringify({ payload: await seal(plain, encryptedTo) });
    const headers = { ...signedHeaders(total, timestamp, body), 'content-type': 'application/json' };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    prepared.push(Buffer.from(head + body));
  }
}

/** Sends requests one at a time over a connection. */
interface Sender {
  send(request: Buffer, done: () => void): void;
  close(): void;
}

function openSender(port: number, failed: (error: Error) => void): Promise<Sender> {
  let [answer, done] = ['', () => {}];
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
    const end = answer.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/^content-length: (\d+)/im.exec(answer)?.[1]);
    if (answer.length < end + 4 + length) return;
    if (!answer.startsWith('HTTP/1.1 200 ')) failed(new Error(`an event was rejected: ${answer}`));
    answer = '';
    done();
  });
  socket.once('error', failed);
  socket.once('end', () => failed(new Error('the server closed a connection')));
  return new Promise((resolve) => {
    socket.once('connect', () =>
      resolve({
        send: (request, whenDone) => {
          done = whenDone;
          socket.write(request);
        },
        close: () => socket.destroy(),
      }),
    );
  });
}

async function sendAll({ ports, connections, perSecond }: Order & { readonly what: 'send' }): Promise<Sent> {
  const failure = Promise.withResolvers<never>();
  const senders = await Promise.all(
    Array.from({ length: connections }, (_, index) => openSender(ports[index % ports.length] ?? 0, failure.reject)),
  );
  const idle = [...senders];
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const dueMs = (index: number) => (perSecond === undefined ? 0 : startMs + (index * 1_000) / perSecond);
  const latencies: number[] = [];
  let next = 0;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const pump = () => {
    for (let nowMs = performance.now(); next < prepared.length && dueMs(next) <= nowMs; nowMs = performance.now()) {
      const sender = idle.pop();
      const request = prepared[next];
      if (!sender || !request) return;
      const fromMs = perSecond === undefined ? nowMs : dueMs(next);
      next += 1;
      sender.send(request, () => {
        latencies.push(performance.now() - fromMs);
        idle.push(sender);
        if (latencies.length === prepared.length) end();
        else pump();
      });
    }
  };
  pump();
  const timer = perSecond === undefined ? undefined : setInterval(pump, 1);
  await Promise.race([ended, failure.promise]);
  const elapsedMs = performance.now() - startMs;
  clearInterval(timer);
  const { user, system } = process.cpuUsage(cpu);
  for (const sender of senders) sender.close();
  return {
    perSecond: (prepared.length * 1_000) / elapsedMs,
    p99Ms: quantile(latencies, 0.99),
    busy: (user + system) / 1_000 / elapsedMs,
  };
}

process.on('message', (order: Order) => {
  const work = order.what === 'prepare' ? prepare(order.count, order.encryptedTo) : sendAll(order);
  work.then(
    (sent) => process.send?.({ sent }),
    (error: Error) => process.send?.({ problem: error.message }),
  );
});
