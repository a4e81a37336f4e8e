import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import { createProbe } from '../../src/client/network.ts';
import { selfSigned } from '../support/certificate.ts';
import { closedPort, httpsServer, proxyServer, tcpServer } from '../support/loopback.ts';

const certificate = selfSigned(afterAll);

/** A server that records its requests. */
async function recording() {
  const asked: string[] = [];
  const server = await httpsServer(certificate, ({ url = '' }, response) => {
    asked.push(url);
    response.end();
  });
  return { ...server, asked };
}

describe('certificate', () => {
  test('is read without a request, with the reason for distrust', async () => {
    const server = await recording();
    const found = await createProbe({}).certificate(server.baseUrl, 30_000);
    expect(found.distrust).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(found.issuer).toBe('localhost');
    const days = ((found.validToMs ?? 0) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(2);
    expect(server.asked).toEqual([]);
  });

  test('is read through the proxy', async () => {
    const server = await recording();
    const proxy = await proxyServer('', server.port);
    const probe = createProbe({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect((await probe.certificate('https://service.test/v1', 30_000)).issuer).toBe('localhost');
    expect(proxy.asked).toEqual(['CONNECT service.test:443']);
    expect(server.asked).toEqual([]);
  });

  test('reports a proxy that cannot be reached', async () => {
    const probe = createProbe({ HTTPS_PROXY: `http://127.0.0.1:${await closedPort()}` });
    await expect(probe.certificate('https://service.test/v1', 30_000)).rejects.toThrow(
      'the proxy cannot be reached: the connection was refused',
    );
  });

  test('reports a proxy that refuses the connection', async () => {
    const proxy = await proxyServer('');
    const probe = createProbe({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(probe.certificate('https://service.test/v1', 30_000)).rejects.toThrow(
      'the proxy refused the connection',
    );
  });

  test('gives up a handshake after 8 seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const greeted = Promise.withResolvers<Socket>();
    const server = await tcpServer((socket) => socket.once('data', () => greeted.resolve(socket)));
    const found = createProbe({}).certificate(`https://127.0.0.1:${server.port}/v1`, 30_000);
    const ended = expect(found).rejects.toThrow('the connection timed out');
    const closed = once(await greeted.promise, 'close');
    await vi.advanceTimersByTimeAsync(8_000);
    await Promise.all([ended, closed]);
  });

  test('reports a refused connection', async () => {
    const found = createProbe({}).certificate(`https://127.0.0.1:${await closedPort()}/v1`, 30_000);
    await expect(found).rejects.toThrow(ExchangeError);
    await expect(found).rejects.toThrow('the connection was refused');
  });

  test('reports a server that does not use TLS', async () => {
    const server = await tcpServer((socket) => socket.end('220 welcome\r\n'));
    await expect(createProbe({}).certificate(`https://127.0.0.1:${server.port}/v1`, 30_000)).rejects.toThrow(
      ExchangeError,
    );
  });
});

test('lookUp resolves this machine and reports an unknown name', async () => {
  const { lookUp } = createProbe({});
  expect(await lookUp('localhost', 30_000)).toContain('127.0.0.1');
  await expect(lookUp('nobody.invalid', 30_000)).rejects.toThrow(/^the host name/);
});
