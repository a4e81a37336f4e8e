import { endpoint, managementLimits } from '../endpoint.ts';
import {
  anyText,
  entry,
  fields,
  flag,
  list,
  maybe,
  maybeText,
  moneyText,
  optional,
  patterned,
  payload,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

const webhookLimits = { rateLimit: { max: 10, windowSeconds: 60 }, source: 'interface' } as const;

/** A GET that replaces the key immediately. Its effect prevents retries. */
export const regenerateApiKey = endpoint({
  ...managementLimits,
  id: 'management.regenerate-api-key',
  method: 'GET',
  path: '/regenerateapikey',
  effect: 'destructive',
  summary: 'Replace the API key; the old key stops working immediately',
  done: 'API key regenerated',
  request: () => fields({}),
  response: () =>
    payload({ apiKey: maybe(anyText('public', { secret: true })), rotatedAt: maybe(timestamp('public')) }),
  errors: [],
});

export const createSandboxKey = endpoint({
  ...managementLimits,
  id: 'management.create-sandbox-key',
  method: 'POST',
  path: '/createsandboxapikey',
  effect: 'write',
  summary: 'Create a sandbox API key',
  done: 'Sandbox key created',
  request: () => fields({ fintechName: optional(text('public')) }),
  response: () =>
    payload({
      apiKey: anyText('interface', { secret: true }),
      fintechId: anyText('interface'),
      createdAt: timestamp('interface'),
      note: anyText('interface'),
    }),
  errors: [{ when: 'the production key is missing or wrong', fault: 'AUTHENTICATION_FAILED', source: 'inferred' }],
});

export const setWebhook = endpoint({
  ...webhookLimits,
  id: 'management.set-webhook',
  method: 'POST',
  path: '/setwebhook',
  effect: 'write',
  summary: 'Set the webhook URL and the events to deliver',
  done: 'Webhook configured',
  request: () =>
    fields({
      // The sandbox may permit this machine itself, over HTTP too. Source: inferred.
      webhookUrl: patterned(
        'interface',
        /^(https:\/\/[^\s/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?)(\/[^\s]*)?$/,
        'a public HTTPS URL',
      ),
      secret: optional(text('public', { secret: true, rule: 'the signing secret' })),
      enabled: flag('interface'),
      events: optional(
        list('interface', entry(/^[a-z_.]{1,100}$/), { min: 1, max: 100, rule: 'event names, or only all' }),
      ),
    }),
  response: () =>
    payload({
      webhookUrl: maybeText('public'),
      enabled: maybe(flag('public')),
      hasSecret: maybe(flag('public')),
      urlValidated: maybe(flag('public')),
      updatedAt: maybe(timestamp('public')),
    }),
  errors: [
    { when: 'the URL is missing or not HTTPS', fault: 'VALIDATION_ERROR', source: 'public' },
    { when: 'an event name is unknown', fault: 'VALIDATION_ERROR', source: 'inferred' },
  ],
});

export const toggleWebhook = endpoint({
  ...webhookLimits,
  id: 'management.toggle-webhook',
  method: 'POST',
  path: '/togglewebhookstatus',
  effect: 'write',
  summary: 'Enable or disable webhook delivery',
  done: 'Webhook delivery updated',
  request: () => fields({ enabled: flag('interface') }),
  response: () =>
    payload({
      webhookUrl: maybeText('public'),
      enabled: maybe(flag('public')),
      updatedAt: maybe(timestamp('public')),
    }),
  errors: [{ when: 'no webhook is configured', fault: 'NOT_FOUND', source: 'inferred' }],
});

export const getWebhook = endpoint({
  ...webhookLimits,
  id: 'management.get-webhook',
  method: 'GET',
  path: '/getwebhook',
  effect: 'read',
  summary: 'Show the webhook URL and its events',
  done: 'Webhook configuration retrieved',
  request: () => fields({}),
  response: () =>
    payload({
      webhookUrl: maybeText('public'),
      enabled: maybe(flag('public')),
      hasSecret: maybe(flag('public')),
      events: maybe(list('public', anyText('public'))),
      updatedAt: maybe(timestamp('public')),
    }),
  errors: [],
});

export const storePublicKey = endpoint({
  ...managementLimits,
  id: 'management.store-public-key',
  method: 'POST',
  path: '/storepublickey',
  effect: 'write',
  staysPlain: true,
  summary: 'Store the public key that responses and events are encrypted with',
  done: 'Public key stored',
  request: () =>
    fields({
      data: patterned(
        'public',
        /^([0-9a-fA-F]{2})+$/,
        'an X25519 public key of 64 hexadecimal digits; longer in the older AES envelope',
      ),
      encrypted: optional(flag('public')),
      iv: optional(patterned('public', /^[0-9a-fA-F]{32}$/, '32 hexadecimal digits')),
    }),
  response: () => payload({ updatedAt: maybe(timestamp('public')) }),
  errors: [
    {
      when: 'the key is not 64 hexadecimal digits, or the envelope does not decrypt to one',
      fault: 'VALIDATION_ERROR',
      source: 'inferred',
    },
  ],
});

export const getPlatformPublicKey = endpoint({
  ...managementLimits,
  id: 'management.get-platform-public-key',
  method: 'GET',
  path: '/getplatformpublickey',
  effect: 'read',
  summary: 'Show the public key that requests can be encrypted with',
  done: 'Platform public key retrieved',
  request: () => fields({}),
  response: () => payload({ publicKey: maybeText('public') }),
  errors: [],
});

export const getAesKey = endpoint({
  ...managementLimits,
  id: 'management.get-aes-key',
  method: 'GET',
  path: '/getaeskey',
  effect: 'read',
  summary: "Show the account's AES key",
  done: 'AES key retrieved',
  request: () => fields({}),
  response: () => payload({ aesKey: maybe(anyText('public', { secret: true })) }),
  errors: [],
});

export const autoSigningConfig = endpoint({
  ...managementLimits,
  id: 'management.autosigning-config',
  method: 'GET',
  path: '/autosigning/config',
  effect: 'read',
  summary: 'Show the auto-signing threshold for cNGN',
  done: 'Auto-signing configuration retrieved',
  request: () => fields({ fintechId: optional(text('public')) }),
  response: () =>
    payload({
      enabled: maybe(flag('public')),
      thresholdAmount: maybe(
        moneyText('public', 'decimal-string', 'CNGN', { rule: 'may be masked with asterisks', isMasked: true }),
      ),
      currency: maybe(stateOf('public', ['CNGN'])),
      maxDailyAmount: maybe(moneyText('public', 'decimal-string', 'CNGN', { rule: 'the unit is not documented' })),
      restrictToFintech: maybe(flag('public')),
    }),
  errors: [],
});
