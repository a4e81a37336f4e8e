/**
 * Asks the key store of the system, in a process of its own: such a store may hang for as long as it likes, and a call
 * into it cannot be taken back. bin/fiatrail.js runs it; the secret comes and goes by standard input and output.
 */

/** `probe`: writes something, reads it back and removes it. */
export type KeyringRequest =
  | { readonly op: 'read' | 'remove' | 'probe'; readonly service: string; readonly user: string }
  | { readonly op: 'write'; readonly service: string; readonly user: string; readonly secret: string };

/** `absent`: the package is not installed. `no-store`: the system has none, or none that can be reached. */
export type KeyringAnswer =
  | { readonly kind: 'done'; readonly secret?: string }
  | { readonly kind: 'absent' | 'no-store' | 'locked' | 'denied' }
  | { readonly kind: 'failed'; readonly why: string };

type Keyring = Pick<typeof import('@napi-rs/keyring'), 'Entry'>;

/** A request as JSON to an answer as JSON. Rejects for a text that is no request. */
export async function answer(request: string): Promise<string> {
  return JSON.stringify(perform(JSON.parse(request), await loadKeyring()));
}

/** The package is optional, and so is its part for this system: without either it cannot be loaded. */
async function loadKeyring(): Promise<Keyring | undefined> {
  try {
    return await import('@napi-rs/keyring');
  } catch {
    return undefined;
  }
}

/** What comes of a request; never throws. Without a `keyring` it is absent. */
export function perform(request: KeyringRequest, keyring: Keyring | undefined): KeyringAnswer {
  if (!keyring) return { kind: 'absent' };
  try {
    // Left to itself the package falls back to the keyring of the Linux kernel, which forgets when the machine restarts.
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
    const isKept = entry.getPassword() === PROBE;
    entry.deletePassword();
    if (!isKept) return { kind: 'failed', why: 'it did not give back what was written to it' };
  }
  return { kind: 'done' };
}

/** The package says what is wrong in words alone, each system in its own. The first row that fits. */
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
