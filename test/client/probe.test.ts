import { afterAll, describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/exchange-error.ts';
import { createProbe } from '../../src/client/probe.ts';
import { selfSigned } from '../support/certificate.ts';
import { closedPort, httpsServer, proxyServer, tcpServer } from '../support/loopback.ts';

const certificate = selfSigned(afterAll);

/** A server that counts what it is asked. */
async function counting() {
  const asked: string[] = [];
  const server = await httpsServer(certificate, ({ url = '' }, response) => {
    asked.push(url);
    response.end();
  });
  return { ...server, asked };
}

describe('certificate', () => {
  test('is looked at without a request, and says why nobody trusts it', async () => {
    const server = await counting();
    const found = await createProbe({}).certificate(server.baseUrl);
    expect(found.distrust).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(found.issuer).toBe('localhost');
    const days = ((found.validToMs ?? 0) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(2);
    expect(server.asked).toEqual([]);
  });

  test('is looked at through the proxy', async () => {
    const server = await counting();
    const proxy = await proxyServer('', server.port);
    const probe = createProbe({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    expect((await probe.certificate('https://service.test/v1')).issuer).toBe('localhost');
    expect(proxy.asked).toEqual(['CONNECT service.test:443']);
    expect(server.asked).toEqual([]);
  });

  test('a proxy that lets nothing through is told', async () => {
    const proxy = await proxyServer('');
    const probe = createProbe({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(probe.certificate('https://service.test/v1')).rejects.toThrow(
      'the proxy did not let the request through',
    );
  });

  test('nobody listens', async () => {
    const found = createProbe({}).certificate(`https://127.0.0.1:${await closedPort()}/v1`);
    await expect(found).rejects.toThrow(ExchangeError);
    await expect(found).rejects.toThrow('the connection was refused');
  });

  test('a server that speaks no TLS', async () => {
    const server = await tcpServer((socket) => socket.end('220 welcome\r\n'));
    await expect(createProbe({}).certificate(`https://127.0.0.1:${server.port}/v1`)).rejects.toThrow(ExchangeError);
  });
});

test('lookUp finds this machine, and says of a name that nobody has that it is not known', async () => {
  const { lookUp } = createProbe({});
  expect(await lookUp('localhost')).toContain('127.0.0.1');
  await expect(lookUp('nobody.invalid')).rejects.toThrow(/^the host name/);
});
