import { expect, test } from 'vitest';
import { readSources } from '../support/source.ts';

/** The files that call `reveal()`, how often, and why: to send, store or compare a secret. Anything else keeps the type. */
const REVEALED: Readonly<Record<string, readonly [times: number, what: string]>> = {
  'account/stores/file-store.ts': [1, 'keeps it'],
  'account/stores/keyring-store.ts': [1, 'keeps it, over standard input of the helper'],
  'account/profile.ts': [2, 'tells the kind of a key by its beginning, and checks the form of what a store gave'],
  'account/profile-secrets.ts': [
    7,
    'keeps several in one text, takes them apart, compares them, and counts the characters of a new one',
  ],
  'webhooks/body.ts': [2, 'opens an AES envelope with it, after a look at its form'],
  'account/stores/stores.ts': [1, 'compares what was written with what is read'],
  'commands/webhooks/offline.ts': [1, 'verifies with it'],
  'commands/webhooks/index.ts': [3, 'reads what a command printed, sends it, and prints a new one once'],
  'commands/webhooks/events.ts': [1, 'signs with it'],
  'webhooks/listen/writer-thread.ts': [1, 'passes private keys to the thread that opens events'],
  'webhooks/listen/receiver.ts': [2, 'verifies with it'],
  'journal/postgres/connection.ts': [1, 'gives the password to the driver when the server asks for it'],
  'journal/postgres/server-address.ts': [3, 'binds it to its server, and reads which one that is'],
  'client/client.ts': [1, 'strikes it out of what a service says'],
  'client/codec.ts': [1, 'sends it'],
  'commands/fx/vault.ts': [2, 'sends them'],
  'commands/keys/rotate.ts': [2, 'compares two'],
  'commands/keys/index.ts': [3, 'checks the form of what the service sent; --print-key'],
  'copy/questions/find.ts': [1, 'recognizes the BVN of an onboarding by its digest'],
  'engine/rotation/resume.ts': [1, '--print-key'],
  'engine/rotation/steps.ts': [
    4,
    'compares two, gives it to a push command on standard input, and leaves it out of what the command wrote',
  ],
  'engine/rotation/rotation.ts': [2, 'keeps it, and gives it to the rotation process on standard input'],
  'commands/users/onboard.ts': [
    3,
    'sends it, and compares it with what an earlier operation sent, and with a row of a file',
  ],
  'crypto/aes-envelope.ts': [1, 'encrypts with it'],
  'crypto/digest.ts': [2, 'hashes it, and hashes under it'],
  'crypto/sealed-box.ts': [3, 'opens with it'],
  'crypto/signing.ts': [1, 'signs with it'],
};

test('reveals a secret only to send, store or compare it', () => {
  const found = readSources().flatMap(({ path, code }) => {
    const times = code.match(/\.reveal\(\)/g)?.length ?? 0;
    return times > 0 ? [[path, times] as const] : [];
  });
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(REVEALED).map(([path, [times]]) => [path, times])),
  );
});
