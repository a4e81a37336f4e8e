import { advice } from '../../base/advice.ts';
import { endpoint, invalid, refusal } from '../endpoint.ts';
import * as f from '../fields.ts';
import { INBOX_URL } from '../sandbox.ts';

const webhookLimits = { rateLimit: { max: 10, windowSeconds: 60 } } as const;

/** A GET that replaces the key immediately. Its effect prevents retries. */
export const regenerateApiKey = endpoint({
  id: 'management.regenerate-api-key',
  method: 'GET',
  path: '/regenerateapikey',
  effect: 'destructive',
  summary: 'Replace the API key; the old key stops working immediately',
  done: 'API key regenerated',
  request: () => f.fields({}),
  response: () =>
    f.payload({ apiKey: f.maybe(f.anyText('public', { secret: true })), rotatedAt: f.maybe(f.timestamp('public')) }),
});

export const createSandboxKey = endpoint({
  id: 'management.create-sandbox-key',
  method: 'POST',
  path: '/createsandboxapikey',
  effect: 'write',
  summary: 'Create a sandbox API key',
  done: 'Sandbox key created',
  request: () => f.fields({ fintechName: f.optional(f.text('public', { personal: 'name' })) }),
  response: () =>
    f.payload({
      apiKey: f.anyText('interface', { secret: true }),
      fintechId: f.anyText('interface'),
      createdAt: f.timestamp('interface'),
      note: f.anyText('interface', { personal: 'text' }),
    }),
  errors: [refusal('AUTHENTICATION_FAILED', 'inferred', 'the production key is missing or wrong')],
});

export const setWebhook = endpoint({
  ...webhookLimits,
  id: 'management.set-webhook',
  method: 'POST',
  path: '/setwebhook',
  effect: 'write',
  consents: {
    webhookUrl: {
      kind: 'destination',
      unless: { words: 'the inbox of the embedded sandbox', holds: (value) => value === INBOX_URL },
    },
  },
  summary: 'Set the webhook URL and the events to deliver',
  done: 'Webhook configured',
  repeats: { enabled: 'enabled' },
  request: () =>
    f.fields({
      // The sandbox may permit this machine itself, over HTTP too. Source: inferred.
      webhookUrl: f.patterned(
        'interface',
        /^(https:\/\/[^\s/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?)(\/[^\s]*)?$/,
        'a public HTTPS URL',
        { personal: 'url' },
      ),
      secret: f.optional(f.text('public', { secret: true, rule: 'the signing secret' })),
      enabled: f.flag('interface'),
      events: f.optional(
        f.list('interface', f.entry(/^[a-z_.]{1,100}$/), { min: 1, max: 100, rule: 'event names, or only all' }),
      ),
    }),
  response: () =>
    f.payload({
      webhookUrl: f.maybeText('public', { personal: 'url' }),
      enabled: f.maybe(f.flag('public')),
      hasSecret: f.maybe(f.flag('public')),
      urlValidated: f.maybe(f.flag('public')),
      updatedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [invalid('public', 'the URL is missing or not HTTPS'), invalid('inferred', 'an event name is unknown')],
});

export const toggleWebhook = endpoint({
  ...webhookLimits,
  id: 'management.toggle-webhook',
  method: 'POST',
  path: '/togglewebhookstatus',
  effect: 'write',
  consents: { enabled: { kind: 'destination', unless: { words: 'true', holds: (value) => value === true } } },
  summary: 'Enable or disable webhook delivery',
  done: 'Webhook delivery updated',
  repeats: { enabled: 'enabled' },
  request: () => f.fields({ enabled: f.flag('interface') }),
  response: () =>
    f.payload({
      webhookUrl: f.maybeText('public', { personal: 'url' }),
      enabled: f.maybe(f.flag('public')),
      updatedAt: f.maybe(f.timestamp('public')),
    }),
  errors: [
    refusal(
      'NOT_FOUND',
      'inferred',
      'no webhook is configured',
      advice`set one first with: [fiatrail webhooks set <url>]`,
    ),
  ],
});

export const getWebhook = endpoint({
  ...webhookLimits,
  id: 'management.get-webhook',
  method: 'GET',
  path: '/getwebhook',
  effect: 'read',
  summary: 'Show the webhook URL and its events',
  done: 'Webhook configuration retrieved',
  request: () => f.fields({}),
  response: () =>
    f.payload({
      webhookUrl: f.maybeText('public', { personal: 'url' }),
      enabled: f.maybe(f.flag('public')),
      hasSecret: f.maybe(f.flag('public')),
      events: f.maybe(f.list('public', f.anyText('public'))),
      updatedAt: f.maybe(f.timestamp('public')),
    }),
});

export const storePublicKey = endpoint({
  id: 'management.store-public-key',
  method: 'POST',
  path: '/storepublickey',
  effect: 'write',
  staysPlain: true,
  summary: 'Store the public key that responses and events are encrypted with',
  done: 'Public key stored',
  request: () =>
    f.fields({
      data: f.patterned(
        'public',
        /^([0-9a-fA-F]{2})+$/,
        'an X25519 public key of 64 hexadecimal digits; longer in the older AES envelope',
      ),
      encrypted: f.optional(f.flag('public')),
      iv: f.optional(f.patterned('public', /^[0-9a-fA-F]{32}$/, '32 hexadecimal digits')),
    }),
  response: () => f.payload({ updatedAt: f.maybe(f.timestamp('public')) }),
  errors: [invalid('inferred', 'the key is not 64 hexadecimal digits, or the envelope does not decrypt to one')],
});

export const getPlatformPublicKey = endpoint({
  id: 'management.get-platform-public-key',
  method: 'GET',
  path: '/getplatformpublickey',
  effect: 'read',
  summary: 'Show the public key that requests can be encrypted with',
  done: 'Platform public key retrieved',
  request: () => f.fields({}),
  response: () => f.payload({ publicKey: f.maybeText('public') }),
});

export const getAesKey = endpoint({
  id: 'management.get-aes-key',
  method: 'GET',
  path: '/getaeskey',
  effect: 'read',
  summary: "Show the account's AES key",
  done: 'AES key retrieved',
  request: () => f.fields({}),
  response: () => f.payload({ aesKey: f.maybe(f.anyText('public', { secret: true })) }),
});

export const autoSigningConfig = endpoint({
  id: 'management.autosigning-config',
  method: 'GET',
  path: '/autosigning/config',
  effect: 'read',
  summary: 'Show the auto-signing threshold for cNGN',
  done: 'Auto-signing configuration retrieved',
  request: () => f.fields({ fintechId: f.optional(f.text('public')) }),
  response: () =>
    f.payload({
      enabled: f.maybe(f.flag('public')),
      thresholdAmount: f.maybe(
        f.moneyText('public', 'decimal-string', 'CNGN', {
          rule: 'the unit is not documented; may be masked with asterisks',
          isMasked: true,
          mayBeBase: true,
        }),
      ),
      currency: f.maybe(f.stateOf('public', ['CNGN'])),
      maxDailyAmount: f.maybe(
        f.moneyText('public', 'decimal-string', 'CNGN', { rule: 'the unit is not documented', mayBeBase: true }),
      ),
      restrictToFintech: f.maybe(f.flag('public')),
    }),
});
