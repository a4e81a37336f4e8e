import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../src/base/errors.ts';
import type { Exchange, HttpRequest } from '../../src/base/world.ts';
import { setWebhook, storePublicKey, toggleWebhook } from '../../src/contract/endpoints/management.ts';
import { EVENT_PAYLOADS } from '../../src/contract/event-payloads.ts';
import { newKeyPair } from '../../src/crypto/sealed-box.ts';
import { RETRY_DELAYS_MS } from '../../src/service/events/deliveries.ts';
import { readBody } from '../../src/webhooks/body.ts';
import { verifyDelivery } from '../../src/webhooks/verify.ts';
import { fakeClock, openSandbox, type TestSandbox } from '../support/sandbox.ts';

const NEVER = new AbortController().signal;
const URL_ = 'https://hooks.example.ms/webhook';
const SECRET = 'a-webhook-secret';

type Answer = number | 'rejected';

/** A receiver that answers in turn, and with 200 when there are no more answers. */
function receiver(...answers: Answer[]) {
  const requests: HttpRequest[] = [];
  const exchange: Exchange = async (request) => {
    if (request.method === 'HEAD') return { status: 405, headers: {}, body: '' };
    requests.push(request);
    const status = answers[requests.length - 1] ?? 200;
    if (status === 'rejected') throw new ExchangeError('the connection was refused', false);
    return { status, headers: {}, body: 'thanks' };
  };
  return { requests, exchange };
}

const nameOf = ({ headers }: HttpRequest) => headers['x-service-event'];

async function onboard(box: TestSandbox, bvn = '22222222222'): Promise<string> {
  const { envelope } = await box.call('POST', '/onboarduser', { bvn });
  await box.call('POST', '/_sandbox/settle', {});
  return String(envelope.data?.['requestId']);
}

const subscribe = (box: TestSandbox, more: object = {}) =>
  box.ask(setWebhook, { webhookUrl: URL_, enabled: true, secret: SECRET, ...more });

const fault = (box: TestSandbox, kind: string, endpoint = 'webhooks') =>
  box.call('POST', '/_sandbox/faults', { endpoint, kind });

async function eventsOf(box: TestSandbox, query = '') {
  const { envelope } = await box.call('GET', `/_sandbox/events${query}`);
  return envelope.data?.['events'] as { eventId: string; event: string; state: string; attempts: number }[];
}

/** Moves the sandbox's clock, then delivers what is due. */
async function pass(box: TestSandbox, durationMs: number): Promise<void> {
  await box.call('POST', '/_sandbox/advance', { durationMs });
  await box.sandbox.deliverDue(NEVER);
}

const verified = (request: HttpRequest | undefined, box: TestSandbox, secret = SECRET) =>
  verifyDelivery(
    { headers: request?.headers ?? {}, body: Buffer.from(request?.body ?? '') },
    { secrets: [secret], nowMs: box.clock.now() },
  );

describe('an event', () => {
  test('is delivered once, signed, with its id and the fields of both forms', async () => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box);
    const requestId = await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    await box.sandbox.deliverDue(NEVER);
    expect(requests.map(nameOf)).toEqual(['virtual.account.created', 'user.onboarded']);
    for (const request of requests)
      expect(verified(request, box)).toMatchObject({ isLate: false, serviceName: 'service' });
    const body = JSON.parse(requests[1]?.body ?? '') as Record<string, unknown>;
    expect(body).toMatchObject({ event: 'user.onboarded', requestId, version: '1.0.0', data: expect.any(Object) });
    expect(EVENT_PAYLOADS['user.onboarded']().safeParse(body['data']).success).toBe(true);
    expect(await eventsOf(box)).toMatchObject([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ]);
  });

  test('has eventType and payload in the public form, under the service’s own header names', async () => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange, isPublicForm: true, serviceName: 'acme' } });
    await subscribe(box);
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    const body = JSON.parse(requests[1]?.body ?? '') as Record<string, unknown>;
    expect(Object.keys(body)).toEqual([
      'eventId',
      'timestamp',
      'requestId',
      'fintechId',
      'version',
      'userId',
      'eventType',
      'payload',
    ]);
    expect(verified(requests[1], box).serviceName).toBe('acme');
  });

  test('is signed with the AES key if no secret is set', async () => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange } });
    await box.ask(setWebhook, { webhookUrl: URL_, enabled: true });
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    const { envelope } = await box.call('GET', '/getaeskey');
    expect(verified(requests[0], box, String(envelope.data?.['aesKey'])).isLate).toBe(false);
  });

  test('is encrypted once a public key is stored, and signed over the encrypted bytes', async () => {
    const { requests, exchange } = receiver();
    const pair = newKeyPair(new Uint8Array(32).fill(7));
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box);
    await box.send(storePublicKey, { data: pair.publicKey });
    await box.fetch('POST', '/v1/onboarduser', '{"bvn":"22222222222"}');
    await box.fetch('POST', '/_sandbox/settle', '{}');
    await box.sandbox.deliverDue(NEVER);
    const [request] = requests;
    expect(Object.keys(JSON.parse(request?.body ?? '{}') as object)).toEqual(['payload']);
    expect(verified(request, box).isLate).toBe(false);
    const read = await readBody(Buffer.from(request?.body ?? ''), [pair.privateKey]);
    expect(read).toMatchObject({ kind: 'event', isEncrypted: true, event: { event: 'virtual.account.created' } });
  });

  test.each([
    ['no webhook is set', async () => {}],
    [
      'it is disabled',
      async (box: TestSandbox) => {
        await subscribe(box);
        await box.ask(toggleWebhook, { enabled: false });
      },
    ],
    ['it subscribes to something else', (box: TestSandbox) => subscribe(box, { events: ['swap.failed'] })],
  ])('is not delivered if %s', async (_why, prepare) => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange } });
    await prepare(box);
    await onboard(box);
    await pass(box, 86_400_000);
    expect({ count: requests.length, states: (await eventsOf(box)).map(({ state }) => state) }).toEqual({
      count: 0,
      states: ['none', 'none'],
    });
  });
});

describe('a failed attempt', () => {
  test.each<[Answer, string]>([
    [500, 'delivered'],
    [404, 'delivered'],
    [302, 'delivered'],
    ['rejected', 'delivered'],
  ])('%s is made again under the same id, with a fresh signature', async (answer, state) => {
    const { requests, exchange } = receiver(answer);
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box, { events: ['user.onboarded'] });
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    box.clock.pass(1_000);
    await box.sandbox.deliverDue(NEVER);
    expect(requests).toHaveLength(1);
    await pass(box, RETRY_DELAYS_MS[0] ?? 0);
    const [first, second] = requests;
    expect(requests).toHaveLength(2);
    expect(second?.headers['x-webhook-id']).toBe(first?.headers['x-webhook-id']);
    expect(second?.headers['x-service-signature']).not.toBe(first?.headers['x-service-signature']);
    expect(second?.body).toBe(first?.body);
    expect(verified(second, box).isLate).toBe(false);
    expect((await eventsOf(box, '?event=user.onboarded'))[0]).toMatchObject({ state, attempts: 2 });
  });

  test('is given up after the last delay, and can be sent again', async () => {
    const { requests, exchange } = receiver(...Array.from({ length: 50 }, () => 500));
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box, { events: ['user.onboarded'] });
    await onboard(box);
    for (const delayMs of [0, ...RETRY_DELAYS_MS, 86_400_000]) await pass(box, delayMs + 1);
    expect(requests).toHaveLength(RETRY_DELAYS_MS.length + 1);
    const [event] = await eventsOf(box, '?state=given-up');
    await box.call('POST', `/_sandbox/events/${event?.eventId}/resend`, {});
    await box.sandbox.deliverDue(NEVER);
    expect(requests).toHaveLength(RETRY_DELAYS_MS.length + 2);
    expect(new Set(requests.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
  });

  test('holds back the later events of its request, and nothing else', async () => {
    const { requests, exchange } = receiver(500);
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box);
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    await onboard(box, '12345678901');
    await box.sandbox.deliverDue(NEVER);
    expect(requests.map(nameOf)).toEqual(['virtual.account.created', 'virtual.account.created', 'user.onboarded']);
    await pass(box, RETRY_DELAYS_MS[0] ?? 0);
    expect(requests.map(nameOf).slice(3)).toEqual(['virtual.account.created', 'user.onboarded']);
  });
});

test('two processes on one state file deliver each event once', async () => {
  const { requests, exchange } = receiver();
  await using box = await openSandbox({ delivery: { exchange } });
  await subscribe(box);
  for (const bvn of ['22222222222', '12345678901', '32345678901']) await onboard(box, bvn);
  await Promise.all([box.sandbox.deliverDue(NEVER), box.sandbox.deliverDue(NEVER)]);
  expect(requests).toHaveLength(6);
  expect(new Set(requests.map(({ headers }) => headers['x-webhook-id'])).size).toBe(6);
});

test.each([
  ['pause while requests keep the sandbox busy', 5, true],
  ['do not pause otherwise', 1, false],
])('deliveries %s', async (_what, turnMs, isPausing) => {
  const { requests, exchange } = receiver();
  const clock = fakeClock();
  const pauses: number[] = [];
  clock.sleep = async (durationMs) => void pauses.push(durationMs);
  const gather = (flush: () => void) => {
    clock.pass(turnMs);
    queueMicrotask(flush);
  };
  await using box = await openSandbox({ clock, gather, delivery: { exchange } });
  await subscribe(box);
  for (let user = 0; user < 20; user += 1) await onboard(box, String(40_000_000_000 + user));
  await box.sandbox.deliverDue(NEVER);
  expect({ count: requests.length, isPausing: pauses.length > 0 }).toEqual({ count: 40, isPausing });
});

test.each(['http://example.ms/x', 'https://10.0.0.1/x', 'https://localhost.example.local/x'])(
  '%s is never called, even if it is in the state file',
  async (url) => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box, { events: ['user.onboarded'] });
    await box.inside(({ store }) => store.run('UPDATE webhook SET url = ?', url));
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    expect({ count: requests.length, state: (await eventsOf(box, '?event=user.onboarded'))[0]?.state }).toEqual({
      count: 0,
      state: 'waiting',
    });
  },
);

describe('a fault', () => {
  const spoiled = async (kind: string) => {
    const { requests, exchange } = receiver();
    const box = await openSandbox({ delivery: { exchange } });
    await subscribe(box, { events: ['user.onboarded'] });
    await fault(box, kind, 'user.onboarded');
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    return { box, requests };
  };
  const codeOf = (request: HttpRequest | undefined, box: TestSandbox) => {
    try {
      return verified(request, box).isLate ? 'late' : 'fresh';
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };

  test.each([
    ['wrong-signature-webhook', 'WRONG_SIGNATURE'],
    ['wrong-secret-webhook', 'WRONG_SIGNATURE'],
    ['stale-webhook', 'late'],
    ['slow-webhook', 'fresh'],
  ])('%s makes the first attempt %s', async (kind, code) => {
    const { box, requests } = await spoiled(kind);
    expect(codeOf(requests[0], box)).toBe(code);
    await box.close();
  });

  test('duplicate-webhook delivers twice under one id', async () => {
    const { box, requests } = await spoiled('duplicate-webhook');
    expect(requests).toHaveLength(2);
    expect(requests[0]?.headers['x-webhook-id']).toBe(requests[1]?.headers['x-webhook-id']);
    await box.close();
  });

  test('lost-webhook delivers never, and is used up', async () => {
    const { box, requests } = await spoiled('lost-webhook');
    await pass(box, 86_400_000);
    expect(requests).toHaveLength(0);
    await onboard(box, '12345678901');
    await box.sandbox.deliverDue(NEVER);
    expect(requests).toHaveLength(1);
    await box.close();
  });

  test('late-webhook delivers 10 minutes later', async () => {
    const { box, requests } = await spoiled('late-webhook');
    await pass(box, 9 * 60_000);
    expect(requests).toHaveLength(0);
    await pass(box, 60_000);
    expect(requests).toHaveLength(1);
    await box.close();
  });

  test('reordered-webhook lets the next event of the request overtake', async () => {
    const { requests, exchange } = receiver();
    await using box = await openSandbox({ delivery: { exchange } });
    await subscribe(box);
    await fault(box, 'reordered-webhook', 'virtual.account.created');
    await onboard(box);
    await box.sandbox.deliverDue(NEVER);
    await pass(box, 5_000);
    expect(requests.map(nameOf)).toEqual(['user.onboarded', 'virtual.account.created']);
  });

  test('is rejected for an endpoint', async () => {
    await using box = await openSandbox();
    expect((await fault(box, 'lost-webhook', 'fees.withdraw')).status).toBe(400);
  });
});
