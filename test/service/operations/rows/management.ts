import { ipAllowlist } from '../../../../src/contract/endpoints/allowlist.ts';
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
} from '../../../../src/contract/endpoints/management.ts';
import type { Reply, TestSandbox } from '../../../support/sandbox.ts';
import { productionKey } from '../../steps.ts';
import type { Ask, Declared, GroupRows, Precedence } from './group.ts';

const webhook = { webhookUrl: 'https://hooks.example.com/fiatrail', enabled: true };

const list = (box: TestSandbox, request: object): Promise<Reply> => box.call('POST', '/manageipallowlist', request);

const declared: readonly Declared[] = [
  [
    'management.create-sandbox-key',
    'the production key is missing or wrong',
    'AUTHENTICATION_FAILED',
    (box) => box.call('POST', '/createsandboxapikey'),
  ],
  [
    'management.set-webhook',
    'the URL is missing or not HTTPS',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/setwebhook', { ...webhook, webhookUrl: 'http://hooks.example.com/fiatrail' }),
  ],
  [
    'management.set-webhook',
    'an event name is unknown',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/setwebhook', { ...webhook, events: ['user.onboarded', 'user.offboarded'] }),
  ],
  [
    'management.toggle-webhook',
    'no webhook is configured',
    'NOT_FOUND',
    (box) => box.call('POST', '/togglewebhookstatus', { enabled: true }),
  ],
  [
    'management.store-public-key',
    'the key is not 64 hexadecimal digits, or the envelope does not decrypt to one',
    'VALIDATION_ERROR',
    (box) => box.call('POST', '/storepublickey', { data: 'ab'.repeat(31) }),
  ],
  [
    'management.ip-allowlist',
    'the action is unknown, or the address is missing or malformed',
    'VALIDATION_ERROR',
    (box) => list(box, { action: 'add', ipAddress: '256.0.0.1' }),
  ],
  [
    'management.ip-allowlist',
    'the address or index is not on the list',
    'NOT_FOUND',
    (box) => list(box, { action: 'remove', index: 0 }),
  ],
];

const precedence: readonly Precedence[] = [
  [
    'a private URL before an unknown event',
    (box) => box.call('POST', '/setwebhook', { ...webhook, webhookUrl: 'https://10.0.0.1/', events: ['no.event'] }),
    'VALIDATION_ERROR',
    /^webhookUrl: expected a public HTTPS URL/,
  ],
  [
    'an unknown event before all with other events',
    (box) => box.call('POST', '/setwebhook', { ...webhook, events: ['all', 'no.event'] }),
    'VALIDATION_ERROR',
    /not no\.event/,
  ],
  [
    'all with other events',
    (box) => box.call('POST', '/setwebhook', { ...webhook, events: ['all', 'user.onboarded'] }),
    'VALIDATION_ERROR',
    /all cannot be combined/,
  ],
  [
    'a missing field before a missing webhook',
    (box) => box.call('POST', '/togglewebhookstatus', {}),
    'VALIDATION_ERROR',
    /^enabled: missing; expected true or false/,
  ],
  [
    'a missing iv before an envelope that does not decrypt',
    (box) => box.call('POST', '/storepublickey', { encrypted: true, data: 'ab'.repeat(92) }),
    'VALIDATION_ERROR',
    /^iv:/,
  ],
  [
    'a removal by address and index before an unknown entry',
    (box) => list(box, { action: 'remove', index: 7, ipAddress: '203.0.113.7' }),
    'VALIDATION_ERROR',
    /ipAddress or index, not both/,
  ],
  [
    'a malformed address before an unknown one',
    (box) => list(box, { action: 'remove', ipAddress: '203.0.113' }),
    'VALIDATION_ERROR',
    /^ipAddress: expected/,
  ],
  ['a missing address', (box) => list(box, { action: 'add' }), 'VALIDATION_ERROR', /^ipAddress: expected/],
];

async function walk(box: TestSandbox, ask: Ask) {
  await ask(createSandboxKey, {}, await productionKey(box));
  await ask(getWebhook, {});
  await ask(setWebhook, { ...webhook, secret: 'a signing secret', events: ['user.onboarded'] });
  await ask(toggleWebhook, { enabled: false });
  await ask(getWebhook, {});
  await ask(autoSigningConfig, {});
  await ask(getAesKey, {});
  const { publicKey } = await ask(getPlatformPublicKey, {});
  await ask(ipAllowlist, { action: 'add', ipAddress: '127.0.0.1', description: 'this machine' });
  await ask(ipAllowlist, { action: 'add', ipAddress: '2001:db8::/32' });
  await ask(ipAllowlist, { action: 'list' });
  await ask(ipAllowlist, { action: 'check' });
  await ask(ipAllowlist, { action: 'remove', index: 1 });
  // Last, because later requests need the new key and get encrypted responses.
  const { apiKey } = await ask(regenerateApiKey, {});
  await ask(storePublicKey, { data: publicKey ?? '' }, apiKey ?? '');
}

export const rows: GroupRows = { declared, precedence, walk, unproduced: {}, unreached: {} };
