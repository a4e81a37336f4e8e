import { createCipheriv, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ExchangeError } from '../../../src/base/errors.ts';
import { sandboxReset, sandboxStatus } from '../../../src/contract/control.ts';
import { getFees } from '../../../src/contract/endpoints/fees.ts';
import {
  autoSigningConfig,
  createSandboxKey,
  getAesKey,
  getPlatformPublicKey,
  getWebhook,
  regenerateApiKey,
  setWebhook,
  storePublicKey,
  toggleWebhook,
} from '../../../src/contract/endpoints/management.ts';
import { EVENTS } from '../../../src/contract/events.ts';
import { x25519Public } from '../../../src/crypto/sealed-box.ts';
import { isoTime } from '../../../src/service/context.ts';
import { openSandbox, START_MS, type TestSandbox } from '../../support/sandbox.ts';
import { productionKey, secondKey } from '../steps.ts';

const statusWith = async (box: TestSandbox, key: string) => (await box.call('GET', '/getfees', undefined, key)).status;

describe('a new API key', () => {
  test('has the same format, and the old key stops working at once', async () => {
    await using box = await openSandbox();
    const { apiKey = '', rotatedAt } = await box.ask(regenerateApiKey, {});
    expect(apiKey).toMatch(/^sandbox_[0-9a-f]{21}$/);
    expect(rotatedAt).toBe(isoTime(START_MS));
    expect({ old: await statusWith(box, box.apiKey), new: await statusWith(box, apiKey ?? '') }).toEqual({
      old: 401,
      new: 200,
    });
  });

  test("becomes the embedded client's key if the old one was", async () => {
    await using box = await openSandbox();
    const { apiKey } = await box.ask(regenerateApiKey, {});
    expect(box.sandbox.apiKey()).toBe(apiKey);
    const other = await secondKey(box);
    await box.ask(regenerateApiKey, {}, other);
    expect(box.sandbox.apiKey()).toBe(apiKey);
  });

  test('survives a reset', async () => {
    await using box = await openSandbox();
    const { apiKey } = await box.ask(regenerateApiKey, {});
    await box.ask(sandboxReset, {}, apiKey ?? '');
    expect({ new: await statusWith(box, apiKey ?? ''), old: await statusWith(box, box.apiKey) }).toEqual({
      new: 200,
      old: 401,
    });
  });

  test('invalidates the old one for later requests of the batch', async () => {
    await using box = await openSandbox();
    const replies = await Promise.all([
      box.call('GET', '/getfees'),
      box.call('GET', '/regenerateapikey'),
      box.call('GET', '/getfees'),
      box.call('GET', '/regenerateapikey'),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
  });

  test("leaves the fintech's other keys valid", async () => {
    await using box = await openSandbox();
    const { apiKey: spare } = await box.ask(createSandboxKey, {}, await productionKey(box));
    await box.ask(regenerateApiKey, {});
    expect(await statusWith(box, spare)).toBe(200);
  });
});

describe('a sandbox key from a production key', () => {
  test("belongs to the production key's fintech, and leaves older keys valid", async () => {
    await using box = await openSandbox();
    const production = await productionKey(box, 2);
    const first = await box.ask(createSandboxKey, {}, production);
    const second = await box.ask(createSandboxKey, {}, production);
    expect(first.apiKey).toMatch(/^sandbox_[0-9a-f]{21}$/);
    expect(first.apiKey).not.toBe(second.apiKey);
    for (const key of [first.apiKey, second.apiKey, await secondKey(box), box.apiKey])
      expect(await statusWith(box, key)).toBe(200);
    const { fintechId } = await box.ask(getFees, {}, first.apiKey);
    expect(fintechId).toBe(first.fintechId);
  });

  test.each(['', 'key-', 'key-00000000000000000000000000000000', 'sandbox_000000000000000000000'])(
    'is not created from %j',
    async (key) => {
      await using box = await openSandbox();
      const reply = await box.call('POST', '/createsandboxapikey', {}, key);
      expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
        status: 401,
        response_code: '03',
      });
    },
  );
});

const URL_ = 'https://hooks.example.ms/webhook';
const webhook = { webhookUrl: URL_, enabled: true };

describe('the webhook', () => {
  test('is empty at first', async () => {
    await using box = await openSandbox();
    const reply = await box.call('GET', '/getwebhook');
    expect(reply.envelope.data).toEqual({
      webhookUrl: null,
      enabled: false,
      hasSecret: false,
      events: [],
      updatedAt: null,
    });
  });

  test('is returned in full when set, and masked in two ways later', async () => {
    const exchange = async () => ({ status: 405, headers: {}, body: '' });
    await using box = await openSandbox({ delivery: { exchange } });
    expect(await box.ask(setWebhook, webhook)).toEqual({
      webhookUrl: URL_,
      enabled: true,
      hasSecret: false,
      urlValidated: true,
      updatedAt: isoTime(START_MS),
    });
    expect(await box.ask(toggleWebhook, { enabled: false })).toMatchObject({
      webhookUrl: 'htt***.ms/webhook',
      enabled: false,
    });
    expect(await box.ask(getWebhook, {})).toMatchObject({
      webhookUrl: 'https://hoo***.ms/webhook',
      enabled: false,
      events: ['all'],
    });
  });

  test.each([
    ['https://a.ng', 'htt***.ng', 'https://a.n***.ng'],
    ['https://hooks.example.com:8443/a/b?c=d', 'htt***.com:8443/a/b?c=d', 'https://hoo***.com:8443/a/b?c=d'],
    ['https://8.8.8.8/x', 'htt***.8/x', 'https://8.8***.8/x'],
  ])('%s is masked as %s and %s', async (webhookUrl, toggled, got) => {
    await using box = await openSandbox();
    await box.ask(setWebhook, { webhookUrl, enabled: true });
    expect((await box.ask(toggleWebhook, { enabled: true })).webhookUrl).toBe(toggled);
    expect((await box.ask(getWebhook, {})).webhookUrl).toBe(got);
  });

  test.each([
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'hooks.example.com',
    'https://',
    'https:///x',
    'https://localhost/',
    'https://localhost./x',
    'https://LOCALHOST/',
    'https://api.localhost/',
    'https://printer.local/',
    'https://db.internal/',
    'https://receiver/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://10.0.0.1:8443/',
    'https://192.168.1.1/x',
    'https://172.16.0.1/',
    'https://169.254.169.254/',
    'https://[::1]/',
    'https://[fd00::1]/',
    'https://[fe80::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://0.0.0.0/',
    'https://user:secret@hooks.example.com/',
    'https://[/',
  ])('%s is rejected', async (webhookUrl) => {
    await using box = await openSandbox();
    const reply = await box.call('POST', '/setwebhook', { webhookUrl, enabled: true });
    expect({ status: reply.status, response_code: reply.envelope.response_code }).toEqual({
      status: 400,
      response_code: '01',
    });
    expect((await box.ask(getWebhook, {})).webhookUrl).toBeNull();
  });

  test('is stored even if it is unreachable, with a warning', async () => {
    const exchange = async () => {
      throw new ExchangeError('the host name was not found', false);
    };
    await using box = await openSandbox({ delivery: { exchange } });
    const { urlValidated } = await box.ask(setWebhook, { webhookUrl: 'https://hooks.invalid/x', enabled: true });
    expect({ urlValidated, enabled: (await box.ask(getWebhook, {})).enabled }).toEqual({
      urlValidated: false,
      enabled: true,
    });
  });

  test('keeps its secret until it is replaced, and never returns it', async () => {
    await using box = await openSandbox();
    const secretOf = () =>
      box.inside(({ store }) => store.get<{ secret: string }>('SELECT secret FROM webhook')?.secret, 'read');
    const replies = [
      await box.call('POST', '/setwebhook', { ...webhook, secret: 'the-first-secret' }),
      await box.call('POST', '/setwebhook', webhook),
      await box.call('POST', '/togglewebhookstatus', { enabled: true }),
      await box.call('GET', '/getwebhook'),
    ];
    expect(await secretOf()).toBe('the-first-secret');
    expect(replies.map(({ envelope }) => envelope.data?.['hasSecret'])).toEqual([true, true, undefined, true]);
    replies.push(await box.call('POST', '/setwebhook', { ...webhook, secret: 'the-second-secret' }));
    expect(await secretOf()).toBe('the-second-secret');
    replies.push(
      await box.call('POST', '/setwebhook', { ...webhook, secret: 'the-third-secret', events: ['no.event'] }),
    );
    expect(JSON.stringify(replies)).not.toMatch(/the-(first|second|third)-secret/);
    expect(await secretOf()).toBe('the-second-secret');
  });

  test.each(EVENTS.map(({ name }) => name))('can subscribe to %s alone', async (name) => {
    await using box = await openSandbox();
    await box.ask(setWebhook, { ...webhook, events: [name] });
    expect((await box.ask(getWebhook, {})).events).toEqual([name]);
  });

  test.each([
    [undefined, ['all']],
    [['all'], ['all']],
    [['all', 'all'], ['all']],
    [
      ['swap.failed', 'swap.completed', 'swap.failed'],
      ['swap.failed', 'swap.completed'],
    ],
    [['fintech.user.deposit.refunded'], ['fintech.user.deposit.funding.refunded']],
  ])('subscribed to %j receives %j', async (events, kept) => {
    await using box = await openSandbox();
    await box.ask(setWebhook, { ...webhook, ...(events ? { events } : {}) });
    expect((await box.ask(getWebhook, {})).events).toEqual(kept);
  });

  test.each([[['bridge.completed']], [['ALL']], [[]], [['all', 'swap.failed']], [['user.onboarded ']], [[1]], ['all']])(
    'subscribed to %j is rejected',
    async (events) => {
      await using box = await openSandbox();
      expect((await box.call('POST', '/setwebhook', { ...webhook, events })).envelope.response_code).toBe('01');
    },
  );

  test('belongs to its fintech', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    await box.ask(setWebhook, webhook);
    expect((await box.ask(getWebhook, {}, other)).webhookUrl).toBeNull();
    expect((await box.call('POST', '/togglewebhookstatus', { enabled: true }, other)).status).toBe(404);
  });
});

const hexOf = (key: KeyObject) => key.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

describe('the public key', () => {
  const stored = (box: TestSandbox) =>
    box.inside(
      ({ store }) => store.get<{ key: string | null }>('SELECT public_key AS key FROM fintech WHERE id = 1')?.key,
      'read',
    );
  const own = () => hexOf(generateKeyPairSync('x25519').publicKey);

  /** Builds a request encrypted by the older scheme: the ciphertext, then its tag. */
  async function envelope(box: TestSandbox, text: string, aesKey?: string) {
    const key = aesKey ?? (await box.ask(getAesKey, {})).aesKey ?? '';
    const iv = Buffer.alloc(16, 7);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), iv);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return { encrypted: true, data: sealed.toString('hex'), iv: iv.toString('hex') };
  }

  test('is stored, and replaced by the next one', async () => {
    await using box = await openSandbox();
    const [first, second] = [own(), own()];
    expect(await box.ask(storePublicKey, { data: first })).toEqual({ updatedAt: isoTime(START_MS) });
    expect(await stored(box)).toBe(first);
    await box.inside(({ store }) => store.run('UPDATE fintech SET public_key = NULL'));
    await box.ask(storePublicKey, { data: second.toUpperCase(), encrypted: false });
    expect(await stored(box)).toBe(second);
  });

  test('is accepted in the older envelope too', async () => {
    await using box = await openSandbox();
    const key = own();
    const sealed = await envelope(box, `{"data": "${key}"}`);
    // The length of the only public sample.
    expect(sealed.data.length).toBe(92 * 2);
    await box.ask(storePublicKey, sealed);
    expect(await stored(box)).toBe(key);
  });

  const wrong: [what: string, request: (box: TestSandbox) => Promise<object>][] = [
    ['62 digits', async () => ({ data: own().slice(2) })],
    ['66 digits', async () => ({ data: `${own()}00` })],
    ['no digits', async () => ({ data: 'x'.repeat(64) })],
    ['the zero key, to which nothing can be encrypted', async () => ({ data: '00'.repeat(32) })],
    ['a point of low order', async () => ({ data: `01${'00'.repeat(31)}` })],
    ['an envelope without its iv', async (box) => ({ ...(await envelope(box, '{}')), iv: undefined })],
    [
      'an envelope not marked as one',
      async (box) => ({ ...(await envelope(box, `{"data":"${own()}"}`)), encrypted: false }),
    ],
    ['a key marked as an envelope', async () => ({ data: own(), encrypted: true, iv: '00'.repeat(16) })],
    ['an envelope shorter than its tag', async () => ({ data: '00'.repeat(15), encrypted: true, iv: '00'.repeat(16) })],
    [
      'an envelope with another iv',
      async (box) => ({ ...(await envelope(box, `{"data":"${own()}"}`)), iv: '00'.repeat(16) }),
    ],
    ['an envelope under another key', (box) => envelope(box, `{"data":"${own()}"}`, 'ab'.repeat(32))],
    ['an envelope with no JSON', (box) => envelope(box, own())],
    ['an envelope with a list', (box) => envelope(box, '[]')],
    ['an envelope with an empty object', (box) => envelope(box, 'null')],
    ['an envelope with a number', (box) => envelope(box, '{"data": 1}')],
    ['an envelope with a short key', (box) => envelope(box, '{"data": "abcd"}')],
  ];

  test.each(wrong)('is rejected: %s', async (_what, request) => {
    await using box = await openSandbox();
    const reply = await box.call('POST', '/storepublickey', await request(box));
    expect({ status: reply.status, response_code: reply.envelope.response_code, stored: await stored(box) }).toEqual({
      status: 400,
      response_code: '01',
      stored: null,
    });
  });

  test('a tampered envelope never opens', async () => {
    await using box = await openSandbox();
    const sealed = await envelope(box, `{"data":"${own()}"}`);
    for (const at of [0, 20, sealed.data.length - 1]) {
      const digit = sealed.data[at] === '0' ? '1' : '0';
      const data = sealed.data.slice(0, at) + digit + sealed.data.slice(at + 1);
      expect((await box.call('POST', '/storepublickey', { ...sealed, data })).status).toBe(400);
    }
  });
});

describe('the platform public key', () => {
  test('matches the stored secret key', async () => {
    await using box = await openSandbox();
    const { publicKey } = await box.ask(getPlatformPublicKey, {});
    const secret = await box.inside(({ settings }) => settings.platformSecretKey, 'read');
    expect(publicKey).toMatch(/^[0-9a-f]{64}$/);
    expect(publicKey).toBe(x25519Public(secret));
    expect(publicKey).not.toBe(secret);
  });

  test('matches the key pair of another implementation', () => {
    for (let count = 0; count < 20; count++) {
      const { publicKey, privateKey } = generateKeyPairSync('x25519');
      const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32).toString('hex');
      expect(x25519Public(secret)).toBe(hexOf(publicKey));
    }
  });

  test('is shared by all fintechs', async () => {
    await using box = await openSandbox();
    const other = await secondKey(box);
    expect(await box.ask(getPlatformPublicKey, {}, other)).toEqual(await box.ask(getPlatformPublicKey, {}));
  });
});

test('each fintech has its own AES key', async () => {
  await using box = await openSandbox();
  const { aesKey } = await box.ask(getAesKey, {});
  const other = await box.ask(getAesKey, {}, await secondKey(box));
  expect(aesKey).toMatch(/^[0-9a-f]{64}$/);
  expect(other.aesKey).not.toBe(aesKey);
});

test('automatic signing of cNGN is on, with amounts in whole tokens', async () => {
  await using box = await openSandbox();
  expect(await box.ask(autoSigningConfig, { fintechId: 'whoever' })).toEqual({
    enabled: true,
    thresholdAmount: '1000000.000000',
    currency: 'CNGN',
    maxDailyAmount: '100000000.000000',
    restrictToFintech: true,
  });
});

test('no management change posts money or emits an event', async () => {
  await using box = await openSandbox();
  const before = await box.ask(sandboxStatus, {});
  await box.ask(setWebhook, { ...webhook, secret: 'the-secret' });
  await box.ask(toggleWebhook, { enabled: false });
  await box.ask(createSandboxKey, {}, await productionKey(box));
  expect(await box.ask(sandboxStatus, {})).toEqual(before);
});
