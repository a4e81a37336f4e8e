import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { block, EXPRESS, type Handler, HONO, NODE, PYTHON, post, STANDARD, startHandler } from '../docs/handlers.ts';
import { newHome, requireBuilt, startProgram } from '../support/built.ts';
import { deliveryOf, onboarded, SECRET } from '../webhooks/support.ts';

/** The handlers of docs/webhooks.md as they stand there: what a stranger sends must neither end them nor keep them from the next event. */

beforeAll(requireBuilt);

const FORWARD_SECRET = `whsec_${Buffer.from('the secret of the target').toString('base64')}`;

type Headers = Readonly<Record<string, string>>;
interface Signed {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Signs a body now, as fiatrail does for a handler. */
const byService = (body: string): Signed => {
  const delivery = deliveryOf(body, { sentAtMs: Date.now() });
  return { headers: delivery.headers as Headers, body: delivery.body };
};
const byStandard = (body: string): Signed => {
  const at = new Date();
  const signature = new Webhook(FORWARD_SECRET).sign('w-1', at, body);
  const seconds = String(Math.floor(at.getTime() / 1000));
  return {
    headers: { 'webhook-id': 'w-1', 'webhook-timestamp': seconds, 'webhook-signature': signature },
    body: Buffer.from(body),
  };
};

/** Opens a connection and sends the start of a request on it. Its errors are the attacker's business. */
async function opened(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

const head = (more: readonly string[]) =>
  ['POST / HTTP/1.1', 'host: localhost', 'content-type: application/json', ...more, '', ''].join('\r\n');

/** Leaves in the middle of the body, in order or with a reset. */
async function abort(port: number, leave: 'end' | 'resetAndDestroy'): Promise<void> {
  const socket = await opened(port, `${head(['content-length: 1000'])}{"event":`);
  // The handler must have begun to read.
  await sleep(50);
  socket[leave]();
}

/** Sends a byte of a body, or of the headers, now and then, and never ends. */
async function sendSlowly(port: number, start: string): Promise<void> {
  const socket = await opened(port, start);
  const timer = setInterval(() => socket.write('a'), 20);
  onTestFinished(() => clearInterval(timer));
}

const HUGE_BYTES = 16 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'a');

/** Sends all of it, as far as they are taken, and resolves with the status of the answer; undefined if the connection was closed instead. */
async function sendHuge(port: number, length: readonly string[], frame: (chunk: Buffer) => Buffer): Promise<unknown> {
  const socket = await opened(port, head(length));
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  const left = new Promise((resolve) => socket.once('close', resolve));
  for (let sent = 0; sent < HUGE_BYTES && !socket.destroyed && answer === ''; sent += CHUNK.length) {
    if (!socket.write(frame(CHUNK)))
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), left, sleep(5_000)]);
  }
  for (let tries = 0; tries < 500 && answer === '' && !socket.destroyed; tries++) await sleep(10);
  socket.destroy();
  return /^HTTP\/1\.1 (\d+)|^HTTP\/1\.0 (\d+)/.exec(answer)?.slice(1).find(Boolean);
}

const asIs = (chunk: Buffer) => chunk;
const asChunk = (chunk: Buffer) =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);

interface Attacked extends Handler {
  readonly sign: (body: string) => Signed;
  /** What a huge body may be answered with. */
  readonly huge: readonly (string | undefined)[];
  readonly invalidJson: number;
  readonly printed: string;
}

const kit = { sign: byService, huge: ['413'], invalidJson: 422, printed: 'user.onboarded request-1' };

test.each<Attacked>([
  { ...NODE, ...kit },
  { ...EXPRESS, ...kit },
  { ...HONO, ...kit },
  // It closes the connection without reading, so its answer may be lost.
  { ...PYTHON, ...kit, huge: ['413', '411', undefined], printed: 'user.onboarded' },
  { ...STANDARD, ...kit, sign: byStandard, invalidJson: 401, printed: 'user.onboarded' },
])('$file survives every attack and takes the event that follows', async ({ sign, huge, invalidJson, ...handler }) => {
  const { port, printed } = await startHandler(handler, { WEBHOOK_SECRET: SECRET, FORWARD_SECRET });
  const right = sign(JSON.stringify(onboarded(1)));

  for (const leave of ['end', 'resetAndDestroy', 'end', 'resetAndDestroy'] as const) await abort(port, leave);
  for (let count = 0; count < 10; count++) {
    await sendSlowly(port, head(['content-length: 1000']));
    await sendSlowly(port, head(['transfer-encoding: chunked']));
    await sendSlowly(port, 'POST / HTTP/1.1\r\nhost: localhost\r\nx-slow: ');
  }
  const broken = sign('{"event":"user.onboarded","data":{');
  expect(huge).toContain(await sendHuge(port, [`content-length: ${HUGE_BYTES}`], asIs));
  expect(huge).toContain(await sendHuge(port, ['transfer-encoding: chunked'], asChunk));
  expect({
    invalidJson: await post(port, broken.headers, broken.body),
    forged: await post(port, right.headers, Buffer.from(JSON.stringify(onboarded(2)))),
    unsigned: (await post(port, {}, right.body)) >= 400,
    right: await post(port, right.headers, right.body),
  }).toEqual({ invalidJson, forged: 401, unsigned: true, right: 200 });
  expect(await printed()).toEqual([handler.printed]);
});

test('verify.sh accepts nothing that is cut off, huge or forged', async () => {
  const home = newHome(onTestFinished);
  writeFileSync(join(home.path, 'verify.sh'), block('sh', '# sh verify.sh'));
  const accepts = async (signed: Signed, body = signed.body) => {
    const lines = Object.entries(signed.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    writeFileSync(join(home.path, 'delivery.http'), Buffer.concat([Buffer.from(`${lines.join('')}\r\n`), body]));
    const argv = ['verify.sh', 'delivery.http'];
    const { stdout } = await startProgram(home, 'sh', argv, { env: { WEBHOOK_SECRET: SECRET } }).end;
    return stdout === 'valid\n';
  };
  const right = byService(JSON.stringify(onboarded(1)));
  const huge = Buffer.alloc(HUGE_BYTES, '\0\n');
  expect({
    cutOff: await accepts(right, right.body.subarray(0, 10)),
    withoutHeaders: await accepts({ ...right, headers: {} }),
    huge: await accepts(right, huge),
    forged: await accepts({
      ...right,
      headers: { ...right.headers, 'x-service-timestamp': new Date(0).toISOString() },
    }),
    right: await accepts(right),
  }).toEqual({ cutOff: false, withoutHeaders: false, huge: false, forged: false, right: true });
});
