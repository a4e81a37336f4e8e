/**
 * Accesses the system keychain in a separate process, because a keychain may hang and a call into it cannot be cancelled.
 * bin/fiatrail.js runs it; secrets travel over standard input and output.
 */

/** `probe` writes an entry, reads it and removes it. */
export type KeyringRequest =
  | { readonly op: 'read' | 'remove' | 'probe'; readonly service: string; readonly user: string }
  | { readonly op: 'write'; readonly service: string; readonly user: string; readonly secret: string };

/** `absent`: the package is not installed. `no-store`: the system has no reachable keychain. */
export type KeyringAnswer =
  | { readonly kind: 'done'; readonly secret?: string }
  | { readonly kind: 'absent' | 'no-store' | 'locked' | 'denied' }
  | { readonly kind: 'failed'; readonly why: string };

type Keyring = Pick<typeof import('@napi-rs/keyring'), 'Entry'>;

/** Performs a request given as JSON and returns the answer as JSON. Rejects invalid JSON. */
export async function answer(request: string): Promise<string> {
  return JSON.stringify(answerRequest(JSON.parse(request), await loadKeyring()));
}

/** The package and its platform part are optional dependencies; without either, loading fails. */
async function loadKeyring(): Promise<Keyring | undefined> {
  try {
    return await import('@napi-rs/keyring');
  } catch {
    return undefined;
  }
}

/** Performs a request. Never throws; the result is `absent` without a `keyring`. */
export function answerRequest(request: KeyringRequest, keyring: Keyring | undefined): KeyringAnswer {
  if (!keyring) return { kind: 'absent' };
  try {
    // By default the package falls back to the Linux kernel keyring, which loses its content on restart.
    const entry = new keyring.Entry(request.service, request.user, { linux: { store: 'secret-service' } });
    return act(request, entry);
  } catch (error) {
    return problemOf(error instanceof Error ? error.message : String(error), request);
  }
}

const PROBE = 'probe';

function act(request: KeyringRequest, entry: InstanceType<Keyring['Entry']>): KeyringAnswer {
  if (request.op === 'read') {
    const secret = entry.getPassword();
    return secret === null ? { kind: 'done' } : { kind: 'done', secret };
  }
  if (request.op === 'write') entry.setPassword(request.secret);
  else if (request.op === 'remove') entry.deletePassword();
  else {
    entry.setPassword(PROBE);
    const isStored = entry.getPassword() === PROBE;
    entry.deletePassword();
    if (!isStored) return { kind: 'failed', why: 'it did not return what was written to it' };
  }
  return { kind: 'done' };
}

/** The package reports problems as text only, which differs by system. The first matching row counts. */
const WORDS: readonly (readonly [RegExp, 'no-store' | 'locked' | 'denied'])[] = [
  [/dismissed|cancel|denied|not permitted/i, 'denied'],
  [/locked|interaction is not allowed|access platform storage/i, 'locked'],
  [/d-?bus|secret service|freedesktop|no default|not supported|not available/i, 'no-store'],
];

function problemOf(message: string, request: KeyringRequest): KeyringAnswer {
  const [, kind] = WORDS.find(([words]) => words.test(message)) ?? [];
  if (kind) return { kind };
  return { kind: 'failed', why: 'secret' in request ? message.replaceAll(request.secret, '[redacted]') : message };
}
