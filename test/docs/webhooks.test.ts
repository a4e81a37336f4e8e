import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signatureOf } from '../../src/webhooks/verify.ts';
import { type Home, newHome, requireBuilt, sharedEnd, startProgram } from '../support/built.ts';
import { fiatrail, fiatrailJson } from '../support/in-process.ts';
import { tcpServer } from '../support/loopback.ts';
import { bytes, EXAMPLE } from '../webhooks/vectors.ts';
import { block, EXPRESS, HONO, NODE, PYTHON, STANDARD, startHandler } from './handlers.ts';

const SECRET = 'a-webhook-secret';
const FORWARD_SECRET = `whsec_${Buffer.from('the secret of the target').toString('base64')}`;

const atEnd = sharedEnd();
/** The home of an account with one event, `user.onboarded`, in its inbox. */
let account: Home;

beforeAll(async () => {
  requireBuilt();
  account = newHome(atEnd);
  const set = ['webhooks', 'set', 'https://inbox.fiatrail.invalid/', '--events', 'user.onboarded', '--secret-stdin'];
  await fiatrailJson(account, set, { stdin: SECRET });
  await fiatrailJson(account, ['users', 'onboard', '22222222222', '--wait']);
  await fiatrailJson(account, ['sandbox', 'settle']);
});

interface Sent {
  readonly code: number | null;
  /** What the target answered. */
  readonly status: number | null;
}

async function sent(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Sent> {
  const { stdout, code } = await fiatrail(account, [...argv, '-o', 'json'], { env });
  return { code, status: JSON.parse(stdout).status };
}

const trigger = (url: string, secret: string) =>
  sent(['webhooks', 'trigger', 'fintech.user.deposit.received', '--target', url], { FIATRAIL_WEBHOOK_SECRET: secret });

const replay = (url: string, ...more: readonly string[]) =>
  sent(['webhooks', 'inbox', 'replay', '1', '--target', url, ...more], { FIATRAIL_FORWARD_SECRET: FORWARD_SECRET });

const TAKEN: Sent = { code: 0, status: 200 };
const REFUSED: Sent = { code: 3, status: 401 };

test.each([NODE, EXPRESS, HONO, PYTHON])('$file accepts only events with the right signature', async (handler) => {
  const { url, printed } = await startHandler(handler, { WEBHOOK_SECRET: SECRET });
  expect(await trigger(url, SECRET)).toEqual(TAKEN);
  expect(await replay(url)).toEqual(TAKEN);
  expect(await replay(url, '--resign', 'service')).toEqual(REFUSED);
  expect(await trigger(url, 'another-secret')).toEqual(REFUSED);
  expect(await printed()).toEqual([
    expect.stringMatching(/^fintech\.user\.deposit\.received\b/),
    expect.stringMatching(/^user\.onboarded\b/),
  ]);
});

test('standard.mjs accepts only events that are signed again for it', async () => {
  const { url, printed } = await startHandler(STANDARD, { FORWARD_SECRET });
  expect(await replay(url, '--resign', 'standard')).toEqual(TAKEN);
  expect(await replay(url)).toEqual(REFUSED);
  expect(await replay(url, '--resign', 'service')).toEqual(REFUSED);
  expect(await printed()).toEqual(['user.onboarded']);
});

describe('verify.sh', () => {
  /** Checks a saved request with the script and with `webhooks verify`. */
  async function verified(message: string | Buffer, secret: string) {
    const home = newHome(onTestFinished);
    writeFileSync(join(home.path, 'verify.sh'), block('sh', '# sh verify.sh'));
    writeFileSync(join(home.path, 'delivery.http'), message);
    const { stdout, code } = await startProgram(home, 'sh', ['verify.sh', 'delivery.http'], {
      env: { WEBHOOK_SECRET: secret },
    }).end;
    const ours = await fiatrail(home, ['webhooks', 'verify', '--message', 'delivery.http', '--any-age'], {
      env: { FIATRAIL_WEBHOOK_SECRET: secret },
    });
    return { script: { stdout, code }, fiatrail: ours.code };
  }

  const VALID = { script: { stdout: 'valid\n', code: 0 }, fiatrail: 0 };
  const INVALID = { script: { stdout: '', code: 1 }, fiatrail: 3 };
  const lines = (signature: string) => [`X-Acme-Timestamp: ${EXAMPLE.timestamp}`, `X-ACME-signature:${signature}`];

  test.each([
    ['as it arrived', [...lines(EXAMPLE.signature), '', EXAMPLE.body].join('\r\n'), VALID],
    ['with other line ends', [...lines(EXAMPLE.signature), '', EXAMPLE.body].join('\n'), VALID],
    ['with an extra line end', [...lines(EXAMPLE.signature), '', EXAMPLE.body, ''].join('\r\n'), INVALID],
    ['with another signature', [...lines(EXAMPLE.signature.replace('b', 'c')), '', EXAMPLE.body].join('\r\n'), INVALID],
    [
      'with two signatures',
      [...lines(EXAMPLE.signature), ...lines(EXAMPLE.signature), '', EXAMPLE.body].join('\r\n'),
      INVALID,
    ],
    ['without headers', ['Host: localhost', '', EXAMPLE.body].join('\r\n'), INVALID],
  ])('checks the worked example, saved %s', async (_how, message, expected) => {
    expect(await verified(message, EXAMPLE.secret)).toEqual(expected);
  });

  test.each([
    // Anyone can sign with an empty secret.
    ['without a secret', lines(signatureOf('', EXAMPLE.timestamp, bytes(EXAMPLE.body))), () => ({})],
    // No result equals no signature.
    ['without openssl', ['Host: localhost'], ({ path }: Home) => ({ WEBHOOK_SECRET: SECRET, PATH: path })],
  ])('accepts nothing %s', async (_what, headers, env) => {
    const home = newHome(onTestFinished);
    writeFileSync(join(home.path, 'verify.sh'), block('sh', '# sh verify.sh'));
    writeFileSync(join(home.path, 'delivery.http'), [...headers, '', EXAMPLE.body].join('\n'));
    const { stdout, code } = await startProgram(home, '/bin/sh', ['verify.sh', 'delivery.http'], { env: env(home) })
      .end;
    expect({ stdout, isAccepted: code === 0 }).toEqual({ stdout: '', isAccepted: false });
  });

  test('checks a delivery that a server saved', async () => {
    // Answers 200 if the script accepts the request.
    const { port } = await tcpServer((socket) => {
      let received = Buffer.alloc(0);
      socket.on('data', async (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (!isWhole(received)) return;
        const { script } = await verified(received, SECRET);
        socket.end(`HTTP/1.1 ${script.code === 0 ? '200 OK' : '401 Unauthorized'}\r\nContent-Length: 0\r\n\r\n`);
      });
    });
    const url = `http://127.0.0.1:${port}/`;
    expect(await trigger(url, SECRET)).toEqual(TAKEN);
    expect(await replay(url)).toEqual(TAKEN);
    expect(await replay(url, '--resign', 'service')).toEqual(REFUSED);
  });
});

/** Whether a request has arrived with its whole body. */
function isWhole(request: Buffer): boolean {
  const end = request.indexOf('\r\n\r\n');
  const [, length] = /^content-length: *(\d+)/im.exec(request.subarray(0, end).toString('latin1')) ?? [];
  return end !== -1 && request.length - end - 4 >= Number(length);
}
