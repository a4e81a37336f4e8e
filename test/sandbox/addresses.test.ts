import dns from 'node:dns';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Exchange } from '../../src/base/world.ts';
import { startBridge } from '../../src/contract/endpoints/bridge.ts';
import { setWebhook } from '../../src/contract/endpoints/management.ts';
import { httpServer, tcpServer, testNetwork } from '../support/loopback.ts';
import { openSandbox } from '../support/sandbox.ts';

/** Where the hosts of webhooks lead: what counts is the address that a name resolves to, not the name. */

const NEVER = new AbortController().signal;
const HOST = 'hooks.example.ms';

/** What HOST resolves to, one answer for each question; the last one is repeated. */
let answers: string[][];
let asked: string[];

beforeEach(() => {
  answers = [['127.0.0.1']];
  asked = [];
  const real = dns.lookup;
  // Node's connections and servers look names up here too.
  vi.spyOn(dns, 'lookup').mockImplementation(((
    host: string,
    options: dns.LookupAllOptions,
    done: (...found: unknown[]) => void,
  ) => {
    if (host !== HOST) return real(host, options, done);
    asked.push(host);
    const found = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const addresses = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    queueMicrotask(() => done(null, ...(options.all ? [addresses] : [addresses[0]?.address, addresses[0]?.family])));
  }) as unknown as typeof dns.lookup);
});
afterEach(() => vi.restoreAllMocks());

/** A server on this machine that counts its connections. */
async function counted() {
  let connections = 0;
  const { port } = await tcpServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  return { port, connections: () => connections };
}

describe('a request that takes only some addresses', () => {
  const request = (port: number, takesAddress?: (address: string) => boolean) => ({
    method: 'POST',
    url: `http://${HOST}:${port}/`,
    headers: {},
    body: '{}',
    ...(takesAddress ? { takesAddress } : {}),
  });

  test('is not sent, nor is a connection opened, when the name resolves to no such address', async () => {
    answers = [['127.0.0.1', '10.0.0.1', '::1']];
    const { port, connections } = await counted();
    const sent = testNetwork()(
      request(port, (address) => address === '8.8.8.8'),
      NEVER,
    );
    await expect(sent).rejects.toMatchObject({ message: 'the host is not at a public address', sent: false });
    expect({ connections: connections(), asked }).toEqual({ connections: 0, asked: [HOST] });
  });

  test('goes to the address that was checked, without asking for the name again', async () => {
    answers = [['192.0.2.1', '127.0.0.1'], ['192.0.2.1']];
    const { port } = await httpServer((incoming, response) => response.end(incoming.headers.host));
    const { body } = await testNetwork()(
      request(port, (address) => address.startsWith('127.')),
      NEVER,
    );
    expect({ body, asked }).toEqual({ body: `${HOST}:${port}`, asked: [HOST] });
  });

  test('does not use a connection that another request opened to an address that it does not take', async () => {
    let requests = 0;
    const { port } = await httpServer((_incoming, response) => {
      requests += 1;
      response.end('{}');
    });
    const network = testNetwork();
    await network(request(port), NEVER, true);
    const refused = network(
      request(port, () => false),
      NEVER,
      true,
    );
    await expect(refused).rejects.toMatchObject({ message: 'the host is not at a public address', sent: false });
    expect(requests).toBe(1);
  });
});

describe('a sandbox', () => {
  const BRIDGE = {
    token: 'CNGN' as const,
    fromNetwork: 'base',
    toNetwork: 'bsc',
    amount: '250',
    fromAddress: `0x${'1'.repeat(40)}`,
    toAddress: `0x${'2'.repeat(40)}`,
  };

  async function attempts(exchange: Exchange, url: string, allowsLoopback: boolean) {
    await using box = await openSandbox({ delivery: { exchange, allowsLoopback } });
    const { urlValidated } = await box.ask(setWebhook, { webhookUrl: url, enabled: true, secret: 'a-webhook-secret' });
    const { receivableAddress } = await box.ask(startBridge, { ...BRIDGE, callbackUrl: url });
    await box.call('POST', '/onboarduser', { bvn: '22222222222' });
    const deposit = { address: receivableAddress, asset: 'CNGN', amount: '250', network: 'base' };
    await box.call('POST', '/_sandbox/deposit', { ...deposit, from: BRIDGE.fromAddress });
    await box.call('POST', '/_sandbox/settle', {});
    await box.sandbox.deliverDue(NEVER);
    const rows = await box.inside(
      ({ store }) =>
        store.all<{ event: string; problem: string }>(
          `SELECT o.event, a.problem FROM delivery_attempt a JOIN delivery d ON d.id = a.delivery JOIN outbox o ON o.id = d.event`,
        ),
      'read',
    );
    return {
      urlValidated,
      problems: [...new Set(rows.map(({ problem }) => problem))],
      hasCallback: rows.some(({ event }) => event.startsWith('bridge.')),
    };
  }

  const REFUSED = {
    urlValidated: false,
    problems: ['the host is not at a public address'],
    hasCallback: true,
  };

  test.each([
    ['this machine', ['127.0.0.1', '::1', '::ffff:127.0.0.1'], false],
    ['private networks', ['10.0.0.1', '169.254.169.254', 'fd00::1'], false],
    ['private networks, though this machine is permitted', ['10.0.0.1', 'fd00::1'], true],
  ])('connects to no webhook or callback at a name of %s', async (_what, addresses, allowsLoopback) => {
    answers = [addresses];
    const { port, connections } = await counted();
    expect(await attempts(testNetwork(), `https://${HOST}:${port}/`, allowsLoopback)).toEqual(REFUSED);
    expect(connections()).toBe(0);
  });

  test('connects to a name of this machine if this machine is permitted', async () => {
    const { port, connections } = await counted();
    const { problems } = await attempts(testNetwork(), `https://${HOST}:${port}/`, true);
    expect(problems).toEqual(['the connection was lost before the whole response arrived']);
    expect(connections()).toBeGreaterThan(1);
  });
});
