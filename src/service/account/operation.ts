import { ALL_EVENTS, eventOf } from '../../contract/events.ts';
import { Fault } from '../../contract/faults.ts';
import { openAesEnvelope } from '../../crypto/aes-envelope.ts';
import { isSealable, x25519Public } from '../../crypto/sealed-box.ts';
import { type Call, isoTime, newSandboxKey, type Operations, type OperationsOf } from '../context.ts';
import { requirePermitted } from '../events/webhook-url.ts';
import { insert, update, upsert } from '../rows.ts';
import { changeSettings } from '../settings.ts';

function addSandboxKey({ store, ids, nowMs, fintech }: Call): string {
  const key = newSandboxKey(ids);
  insert(store, 'api_key', { key, kind: 'sandbox', fintech: fintech.id, created_at: nowMs });
  return key;
}

const regenerateApiKey: Operations['management.regenerate-api-key'] = (call) => {
  const { store, caller, settings, nowMs } = call;
  store.run('UPDATE api_key SET revoked_at = ? WHERE key = ?', nowMs, caller.apiKey);
  const apiKey = addSandboxKey(call);
  if (settings.embeddedApiKey === caller.apiKey) changeSettings(store, { embeddedApiKey: apiKey });
  return { apiKey, rotatedAt: isoTime(nowMs) };
};

/** Earlier keys stay valid. Source: inferred. */
const createSandboxKey: Operations['management.create-sandbox-key'] = (call) => ({
  apiKey: addSandboxKey(call),
  fintechId: call.fintech.fintechId,
  createdAt: isoTime(call.nowMs),
  note: 'this key is shown once and is valid only in the sandbox',
});

interface WebhookRow {
  readonly url: string;
  readonly enabled: bigint;
  readonly secret: string | null;
  readonly events: string;
  readonly updated_at: bigint;
}

function webhookOf({ store, fintech }: Call): WebhookRow | undefined {
  return store.get<WebhookRow>('SELECT * FROM webhook WHERE fintech = ?', fintech.id);
}

/** Normalizes a subscription: each event once, by its primary name. Throws VALIDATION_ERROR. */
function subscription(names: readonly string[]): string[] {
  const known = names.map((name) => (name === ALL_EVENTS ? name : eventOf(name)?.name));
  const unknown = known.indexOf(undefined);
  if (unknown !== -1) throw new Fault('VALIDATION_ERROR', `events: expected known event names, not ${names[unknown]}`);
  const events = [...new Set(known.filter((name) => name !== undefined))];
  if (events.includes(ALL_EVENTS) && events.length > 1)
    throw new Fault('VALIDATION_ERROR', 'events: all cannot be combined with other events');
  return events;
}

const setWebhook: Operations['management.set-webhook'] = (call, { webhookUrl, secret, enabled, events }) => {
  requirePermitted(webhookUrl, 'webhookUrl', call);
  const subscribed = subscription(events ?? [ALL_EVENTS]);
  upsert(
    call.store,
    'webhook',
    { fintech: call.fintech.id },
    {
      url: webhookUrl,
      enabled,
      events: JSON.stringify(subscribed),
      updated_at: call.nowMs,
      // A webhook keeps its secret until it gets another one.
      ...(secret === undefined ? {} : { secret }),
    },
  );
  return {
    webhookUrl,
    enabled,
    hasSecret: webhookOf(call)?.secret != null,
    // Known once the sandbox has called it, after the transaction.
    urlValidated: false,
    updatedAt: isoTime(call.nowMs),
  };
};

/** Splits a URL into scheme, host and the rest, unchanged. */
function partsOf(url: string): [scheme: string, host: string, rest: string] {
  const [, scheme = '', host = '', rest = ''] = /^(https?:\/\/)([^/?#]*)(.*)$/i.exec(url) ?? [];
  return [scheme, host, rest];
}

const endOf = (host: string) => host.slice(Math.max(0, host.lastIndexOf('.')));

/**
 * Masks a URL as `htt***.ms/webhook`: the first three characters, the end of the host, the path. Source: public, for
 * one response only.
 */
function maskedUrl(url: string): string {
  const [, host, rest] = partsOf(url);
  return `${url.slice(0, 3)}***${endOf(host)}${rest}`;
}

/**
 * Masks a URL as `https://abc***.ms/webhook`: like maskedUrl, but keeps the scheme. Source: public, for another
 * response.
 */
function maskedHost(url: string): string {
  const [scheme, host, rest] = partsOf(url);
  return `${scheme}${host.slice(0, 3)}***${endOf(host)}${rest}`;
}

const toggleWebhook: Operations['management.toggle-webhook'] = (call, { enabled }) => {
  const webhook = webhookOf(call);
  if (!webhook) throw new Fault('NOT_FOUND', 'no webhook is set');
  call.store.run(
    'UPDATE webhook SET enabled = ?, updated_at = ? WHERE fintech = ?',
    enabled ? 1 : 0,
    call.nowMs,
    call.fintech.id,
  );
  return { webhookUrl: maskedUrl(webhook.url), enabled, updatedAt: isoTime(call.nowMs) };
};

const getWebhook: Operations['management.get-webhook'] = (call) => {
  const webhook = webhookOf(call);
  if (!webhook) return { webhookUrl: null, enabled: false, hasSecret: false, events: [], updatedAt: null };
  return {
    webhookUrl: maskedHost(webhook.url),
    enabled: webhook.enabled === 1n,
    hasSecret: webhook.secret !== null,
    events: JSON.parse(webhook.events) as string[],
    updatedAt: isoTime(webhook.updated_at),
  };
};

function aesKeyOf({ store, fintech }: Call): string {
  return store.get<{ aes_key: string }>('SELECT aes_key FROM fintech WHERE id = ?', fintech.id)?.aes_key ?? '';
}

/** Returns the `data` field of a decrypted envelope; undefined if it does not decrypt or has another shape. */
function keyInside(call: Call, data: string, iv: string): string | undefined {
  try {
    const held: unknown = JSON.parse(openAesEnvelope({ data, iv }, aesKeyOf(call)) ?? '');
    const inside = typeof held === 'object' && held !== null && 'data' in held ? held.data : undefined;
    return typeof inside === 'string' ? inside : undefined;
  } catch {
    return undefined;
  }
}

const storePublicKey: Operations['management.store-public-key'] = (call, { data, encrypted = false, iv }) => {
  if (encrypted && iv === undefined) throw new Fault('VALIDATION_ERROR', 'iv: expected a value with an encrypted key');
  const key = (encrypted ? keyInside(call, data, iv ?? '') : data)?.toLowerCase();
  if (key === undefined || !/^[0-9a-f]{64}$/.test(key))
    throw new Fault('VALIDATION_ERROR', 'data: expected 64 hexadecimal digits, or an envelope that contains them');
  if (!isSealable(key, call.settings.platformSecretKey))
    throw new Fault('VALIDATION_ERROR', 'data: expected a usable X25519 public key');
  update(call.store, 'fintech', call.fintech.id, { public_key: key, updated_at: call.nowMs });
  return { updatedAt: isoTime(call.nowMs) };
};

/** In whole cNGN. Source: inferred. */
const AUTO_SIGNING = {
  enabled: true,
  thresholdAmount: '1000000.000000',
  currency: 'CNGN',
  maxDailyAmount: '100000000.000000',
  restrictToFintech: true,
} as const;

export const managementOperations = {
  'management.regenerate-api-key': regenerateApiKey,
  'management.create-sandbox-key': createSandboxKey,
  'management.set-webhook': setWebhook,
  'management.toggle-webhook': toggleWebhook,
  'management.get-webhook': getWebhook,
  'management.store-public-key': storePublicKey,
  'management.get-platform-public-key': ({ settings }) => ({ publicKey: x25519Public(settings.platformSecretKey) }),
  'management.get-aes-key': (call) => ({ aesKey: aesKeyOf(call) }),
  'management.autosigning-config': () => ({ ...AUTO_SIGNING }),
} satisfies OperationsOf<'management'>;
