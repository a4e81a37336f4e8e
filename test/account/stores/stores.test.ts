import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StoreSettings } from '../../../src/account/stored-profile.ts';
import type { SecretStore } from '../../../src/account/stores/secret-store.ts';
import { openStore, requireWritable } from '../../../src/account/stores/stores.ts';
import { Secret } from '../../../src/base/secret.ts';
import { fakeWorld } from '../../support/world.ts';
import { refusal } from '../support.ts';

describe('openStore', () => {
  test.each<StoreSettings>([{ kind: 'file' }, { kind: 'keyring' }, { kind: 'command', command: 'x', isShell: false }])(
    'opens %j without accessing it',
    async (settings) => {
      const world = fakeWorld();
      expect((await openStore(world, settings)).kind).toBe(settings.kind);
      expect(readdirSync(world.homeDir)).toEqual([]);
    },
  );
});

test('rejects a profile that takes its key from the environment', async () => {
  const { code, message } = await refusal(() => openStore(fakeWorld(), { kind: 'environment' }));
  expect({ code, message }).toEqual({ code: 'STORE_NONE', message: expect.stringContaining('FIATRAIL_API_KEY') });
});

describe('requireWritable', () => {
  test('writes a probe secret and removes it', async () => {
    const world = fakeWorld();
    const store = await openStore(world, { kind: 'file' });
    await store.write('ops', 'api-key', new Secret('kept'));
    await requireWritable(store, 'ops', world.ids);
    expect((await store.read('ops', 'api-key'))?.reveal()).toBe('kept');
    expect(readdirSync(join(world.homeDir, 'config', 'secrets'))).toEqual(['ops.api-key']);
  });

  test('fails for a read-only store', async () => {
    const world = fakeWorld();
    const store = await openStore(world, { kind: 'command', command: 'echo k1', isShell: false });
    expect((await refusal(() => requireWritable(store, 'ops', world.ids))).code).toBe('COMMAND_READ_ONLY');
  });

  test('fails for a folder that cannot be written', async () => {
    const world = fakeWorld({ env: { FIATRAIL_CONFIG_DIR: '/proc/fiatrail' } });
    const store = await openStore(world, { kind: 'file' });
    const { code } = await refusal(() => requireWritable(store, 'ops', world.ids));
    expect({ code, exists: existsSync('/proc/fiatrail') }).toEqual({ code: 'STORE_UNWRITABLE', exists: false });
  });

  test('fails for a locked keychain', async () => {
    const world = fakeWorld({
      runProgram: async () => ({ kind: 'ended', code: 0, stdout: '{"kind":"locked"}' }),
    });
    const store = await openStore(world, { kind: 'keyring' });
    expect((await refusal(() => requireWritable(store, 'ops', world.ids))).code).toBe('KEYRING_LOCKED');
  });

  test('fails for a store that loses or changes the secret', async () => {
    const world = fakeWorld();
    const removed: string[] = [];
    const storeThat = (reads: Secret | undefined): SecretStore => ({
      kind: 'keyring',
      location: () => 'the store',
      read: async () => reads,
      write: async () => {},
      remove: async (profile) => void removed.push(profile),
    });
    for (const reads of [undefined, new Secret('other')]) {
      const error = await refusal(() => requireWritable(storeThat(reads), 'ops', world.ids));
      expect({ code: error.code, message: error.message }).toEqual({
        code: 'STORE_UNRELIABLE',
        message: 'the store did not return what was written to it',
      });
    }
    expect(removed).toHaveLength(2);
  });
});
