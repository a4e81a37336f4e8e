import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requireBuilt, startProgram } from '../support/built.ts';
import { selfSigned } from '../support/certificate.ts';
import { closedPort } from '../support/loopback.ts';
import { productionFile, signedEvent, startListener } from './listener.ts';
import { programOf } from './programs.ts';

const HOST = 'hooks.example.com';

beforeAll(() => {
  requireBuilt();
  programOf('nginx', 'nginx');
  programOf('openssl', 'openssl');
});

/** Sends an event over TLS from an address of this machine, and returns the answer's status. */
function sendOverTls(
  port: number,
  number: number,
  { from, secret, forwarded }: { from: string; secret?: string; forwarded?: string },
): Promise<number> {
  const { body, headers } = signedEvent(number, secret);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        servername: HOST,
        localAddress: from,
        rejectUnauthorized: false,
        method: 'POST',
        headers: { ...headers, host: HOST, ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }) },
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** Starts nginx with the configuration that is shipped, in front of listeners on this machine. */
async function startNginx(folder: string, ports: readonly number[]) {
  const nginx = programOf('nginx', 'nginx');
  const port = await closedPort();
  const certificate = selfSigned(onTestFinished);
  writeFileSync(join(folder, 'cert.pem'), certificate.cert);
  writeFileSync(join(folder, 'key.pem'), certificate.key);
  mkdirSync(join(folder, 'temp'));
  const shipped = productionFile('nginx.conf')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
    .replace('server 127.0.0.1:4777;', ports.map((each) => `server 127.0.0.1:${each};`).join(' '));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const whole = [
    'daemon off;',
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/error.log;`,
    'events {}',
    'http {',
    ...temporary.map((name) => `${name}_temp_path ${folder}/temp/${name};`),
    'access_log off;',
    shipped,
    '}',
    '',
  ].join('\n');
  const path = join(folder, 'nginx.conf');
  writeFileSync(path, whole);
  execFileSync(nginx, ['-t', '-q', '-c', path, '-e', `${folder}/error.log`]);
  const running = startProgram(
    { path: folder, stateDir: folder, env: { PATH: process.env['PATH'] ?? '' } },
    ...([nginx, ['-c', path, '-e', `${folder}/error.log`]] as const),
  );
  onTestFinished(async () => {
    running.kill('SIGQUIT');
    await running.end;
  });
  return port;
}

test('behind the nginx that is shipped, events arrive over TLS, and rejections name the client’s own address', async () => {
  const flags = ['--allow-host', HOST, '--trusted-proxy', '127.0.0.1', '--log', 'json'];
  const { home, port, listener } = await startListener(flags);
  const tls = await startNginx(home.path, [port]);
  let status = 0;
  while (status !== 200) {
    status = await sendOverTls(tls, 1, { from: '127.0.0.5' }).catch(() => 0);
    await sleep(50);
  }
  const forged = { from: '127.0.0.5', secret: 'another-secret', forwarded: '203.0.113.9' };
  expect(await sendOverTls(tls, 2, forged)).toBe(401);
  listener.kill('SIGTERM');
  const { code, stderr } = await listener.end;
  const refusal = stderr.split('\n').find((line) => line.includes('signature does not match'));
  expect([code, (JSON.parse(refusal ?? '{}') as { address?: string }).address]).toEqual([0, '127.0.0.5']);
});

test('what one host cannot take, nginx gives to the other', async () => {
  const { home, port } = await startListener(['--allow-host', HOST]);
  const tls = await startNginx(home.path, [await closedPort(), port]);
  await sleep(500);
  const sent = await Promise.all(
    Array.from({ length: 10 }, (_, number) => sendOverTls(tls, number, { from: '127.0.0.1' })),
  );
  expect(sent).toEqual(sent.map(() => 200));
});
