import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { CliError } from '../../src/base/errors.ts';
import { listenProblem } from '../../src/base/listening.ts';
import { hostInUrl } from '../../src/contract/cidr.ts';
import { main } from '../../src/main.ts';
import { hostAddress, hostName } from '../../src/terminal/parse/listening.ts';
import { tcpServer } from '../support/loopback.ts';
import { fakeWorld } from '../support/world.ts';

/** The error of a server that listens at an address. */
const errorAt = (host: string, port: number) =>
  new Promise<unknown>((resolve, reject) => {
    const server = createServer();
    server.on('error', (error) => resolve(listenProblem(error, host, port)));
    server.listen(port, host, () => server.close(() => reject(new Error('it listens'))));
  });

test('a port that is in use and an address of another machine are told apart', async () => {
  const { port } = await tcpServer(() => {});
  await expect(errorAt('127.0.0.1', port)).resolves.toMatchObject({ message: `port ${port} is already in use` });
  await expect(errorAt('192.0.2.1', 0)).resolves.toMatchObject({
    category: 'usage',
    message: 'this machine does not have the address 192.0.2.1',
  });
});

test('another error stays as it is', () => {
  const error = new TypeError('something else');
  expect(listenProblem(error, '127.0.0.1', 0)).toBe(error);
});

test.each([
  ['an address', hostAddress, ['127.0.0.1', '::1', '0.0.0.0'], ['300.1.1.1', '127.0.0.0/8', 'localhost', '']],
  ['a name', hostName, ['127.0.0.1', 'hooks.example.com', 'a'], ['hooks:80', 'https://x', '-a', 'a_b', '']],
])('%s of a host', (_what, parse, right, wrong) => {
  for (const text of right) expect(parse(text)).toBe(text);
  for (const text of wrong) expect(() => parse(text)).toThrow(CliError);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::1', '[::1]'],
  ['::', '[::1]'],
])('the host %s is written %s in a URL', (host, expected) => {
  expect(hostInUrl(host)).toBe(expected);
});

test.each([
  [['--host', '300.1.1.1'], 'invalid address "300.1.1.1"'],
  [['--allow-host', 'hooks.example.com:443'], 'invalid host name "hooks.example.com:443"'],
])('a listener that cannot start leaves the webhook as it is: %j', async (more, problem) => {
  const world = fakeWorld();
  expect(await main(['webhooks', 'listen', ...more], world)).toBe(2);
  expect(world.stderr.text()).toContain(problem);
  await main(['webhooks', 'show', '-o', 'json', '-q'], world);
  expect(JSON.parse(world.stdout.text())).toMatchObject({ webhookUrl: null });
});

test('a port in use leaves the webhook as it is', async () => {
  const { port } = await tcpServer(() => {});
  const world = fakeWorld();
  expect(await main(['webhooks', 'listen', '--port', String(port)], world)).toBe(2);
  expect(world.stderr.text()).toContain(`port ${port} is already in use`);
  await main(['webhooks', 'show', '-o', 'json', '-q'], world);
  expect(JSON.parse(world.stdout.text())).toMatchObject({ webhookUrl: null });
});
