import { describe, expect, test } from 'vitest';
import { answer, answerRequest, type KeyringRequest } from '../../../src/account/stores/keyring-helper.ts';
import { PLANTED } from '../support.ts';

type Keyring = NonNullable<Parameters<typeof answerRequest>[1]>;

const about = { service: 'fiatrail', user: 'ops/api-key' };

/** A keychain that keeps passwords by service and user, or fails with a message. */
function fakeKeyring(kept: Map<string, string>, failure?: string) {
  const opened: unknown[] = [];
  class Entry {
    readonly id: string;
    constructor(service: string, user: string, options: unknown) {
      opened.push(options);
      this.id = `${service} ${user}`;
      if (failure) throw new Error(failure);
    }
    getPassword = () => kept.get(this.id) ?? null;
    setPassword = (text: string) => void kept.set(this.id, text);
    deletePassword = () => kept.delete(this.id);
  }
  return { keyring: { Entry } as unknown as Keyring, opened };
}

describe('the keychain helper', () => {
  test('reads, writes and removes', () => {
    const kept = new Map<string, string>();
    const { keyring, opened } = fakeKeyring(kept);
    const ask = (request: KeyringRequest) => answerRequest(request, keyring);
    expect(ask({ ...about, op: 'read' })).toEqual({ kind: 'done' });
    expect(ask({ ...about, op: 'write', secret: PLANTED })).toEqual({ kind: 'done' });
    expect([...kept]).toEqual([['fiatrail ops/api-key', PLANTED]]);
    expect(ask({ ...about, op: 'read' })).toEqual({ kind: 'done', secret: PLANTED });
    expect(ask({ ...about, op: 'remove' })).toEqual({ kind: 'done' });
    expect(ask({ ...about, op: 'remove' })).toEqual({ kind: 'done' });
    expect(kept.size).toBe(0);
    expect(opened).toEqual(Array(5).fill({ linux: { store: 'secret-service' } }));
  });

  test('probes and leaves nothing behind', () => {
    const kept = new Map<string, string>();
    expect(answerRequest({ ...about, op: 'probe' }, fakeKeyring(kept).keyring)).toEqual({ kind: 'done' });
    expect(kept.size).toBe(0);
  });

  test('reports a keychain that loses its entries', () => {
    const forgetful = new Map<string, string>();
    forgetful.set = () => forgetful;
    const why = 'it did not return what was written to it';
    expect(answerRequest({ ...about, op: 'probe' }, fakeKeyring(forgetful).keyring)).toEqual({ kind: 'failed', why });
  });

  test('reports that the package is absent', () => {
    expect(answerRequest({ ...about, op: 'read' }, undefined)).toEqual({ kind: 'absent' });
  });

  // The Linux messages were observed; those of other systems come from their documentation.
  test.each([
    ['Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time', 'no-store'],
    [
      'Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files',
      'no-store',
    ],
    ['no secret service provider or dbus session found', 'no-store'],
    ["Couldn't access platform storage: Secret Service: unlock prompt was dismissed", 'denied'],
    ['Platform failure: User canceled the operation.', 'denied'],
    ['Platform failure: SS error: object locked', 'locked'],
    ['Platform failure: User interaction is not allowed.', 'locked'],
  ])('classifies "%s" as %s', (message, kind) => {
    expect(answerRequest({ ...about, op: 'read' }, fakeKeyring(new Map(), message).keyring)).toEqual({ kind });
  });

  test('repeats other messages with the secret redacted', () => {
    const { keyring } = fakeKeyring(new Map(), `cannot keep ${PLANTED} here`);
    const why = 'cannot keep [redacted] here';
    expect(answerRequest({ ...about, op: 'write', secret: PLANTED }, keyring)).toEqual({ kind: 'failed', why });
  });

  test('rejects invalid JSON', async () => {
    await expect(answer('no request')).rejects.toThrow(SyntaxError);
  });
});
