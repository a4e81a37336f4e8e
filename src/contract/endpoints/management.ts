import { endpoint, managementLimits } from '../endpoint.ts';
import {
  answer,
  anyText,
  entry,
  fields,
  figure,
  flag,
  known,
  list,
  maybe,
  optional,
  patterned,
  stateOf,
  text,
  timestamp,
} from '../fields.ts';

const webhookLimits = { rateLimit: { max: 10, windowSeconds: 60 }, source: 'interface' } as const;

/** A GET that replaces the key at once: its effect keeps it from being retried. */
export const regenerateApiKey = endpoint({
  ...managementLimits,
  id: 'management.regenerate-api-key',
  method: 'GET',
  path: '/regenerateapikey',
  effect: 'destructive',
  summary: 'Replace the API key; the old one dies at once',
  request: () => fields({}),
  response: () => answer({ apiKey: maybe(anyText('public', { secret: true })), rotatedAt: maybe(timestamp('public')) }),
  errors: [],
});

export const createSandboxKey = endpoint({
  ...managementLimits,
  id: 'management.create-sandbox-key',
  method: 'POST',
  path: '/createsandboxapikey',
  effect: 'write',
  summary: 'Make a key for the sandbox from a production key',
  request: () => fields({ fintechName: optional(text('public')) }),
  response: () =>
    answer({
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
  summary: 'Set where events are delivered, and which',
  request: () =>
    fields({
      webhookUrl: patterned('interface', /^https:\/\/[^\s/?#@]+(\/[^\s]*)?$/, 'a public HTTPS URL'),
      secret: optional(text('public', { secret: true, rule: 'the signing secret' })),
      enabled: flag('interface'),
      events: optional(
        list('interface', entry(/^[a-z_.]{1,100}$/), { min: 1, max: 100, rule: 'event names, or all alone' }),
      ),
    }),
  response: () =>
    answer({
      webhookUrl: known('public'),
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
  summary: 'Turn the delivery of events on or off',
  request: () => fields({ enabled: flag('interface') }),
  response: () =>
    answer({
      webhookUrl: known('public'),
      enabled: maybe(flag('public')),
      updatedAt: maybe(timestamp('public')),
    }),
  errors: [{ when: 'no webhook is set', fault: 'NOT_FOUND', source: 'inferred' }],
});

export const getWebhook = endpoint({
  ...webhookLimits,
  id: 'management.get-webhook',
  method: 'GET',
  path: '/getwebhook',
  effect: 'read',
  summary: 'Show where events are delivered, and which',
  request: () => fields({}),
  response: () =>
    answer({
      webhookUrl: known('public'),
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
  summary: 'Store the public key that answers and events are sealed to',
  request: () =>
    fields({
      data: patterned(
        'public',
        /^([0-9a-fA-F]{2})+$/,
        '64 hexadecimal digits, the X25519 public key; longer in the older AES envelope',
      ),
      encrypted: optional(flag('public')),
      iv: optional(patterned('public', /^[0-9a-fA-F]{32}$/, '32 hexadecimal digits')),
    }),
  response: () => answer({ updatedAt: maybe(timestamp('public')) }),
  errors: [
    {
      when: 'it is no key of 64 hexadecimal digits, or the envelope does not open to one',
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
  summary: 'Show the public key that requests can be sealed to',
  request: () => fields({}),
  response: () => answer({ publicKey: known('public') }),
  errors: [],
});

export const getAesKey = endpoint({
  ...managementLimits,
  id: 'management.get-aes-key',
  method: 'GET',
  path: '/getaeskey',
  effect: 'read',
  summary: 'Read the AES key of the account',
  request: () => fields({}),
  response: () => answer({ aesKey: maybe(anyText('public', { secret: true })) }),
  errors: [],
});

export const autoSigningConfig = endpoint({
  ...managementLimits,
  id: 'management.autosigning-config',
  method: 'GET',
  path: '/autosigning/config',
  effect: 'read',
  summary: 'Show up to which amount cNGN is approved without a person',
  request: () => fields({ fintechId: optional(text('public')) }),
  response: () =>
    answer({
      enabled: maybe(flag('public')),
      thresholdAmount: maybe(figure('public', 'decimal-string', 'cNGN, or masked with asterisks')),
      currency: maybe(stateOf('public', ['CNGN'])),
      maxDailyAmount: maybe(figure('public', 'decimal-string', 'cNGN; whether whole tokens is not documented')),
      restrictToFintech: maybe(flag('public')),
    }),
  errors: [],
});
