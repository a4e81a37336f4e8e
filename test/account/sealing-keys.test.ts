import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configDir } from '../../src/account/paths.ts';
import { encryptionKeysOf, storeEncryptionKey } from '../../src/account/profile-secrets.ts';
import type { StoredProfile } from '../../src/account/stored-profile.ts';
import { Secret } from '../../src/base/secret.ts';
import type { World } from '../../src/base/world.ts';
import { acquireLock } from '../../src/sqlite/lock.ts';
import { temporaryFolder } from '../support/built.ts';
import { fakeWorld } from '../support/world.ts';

const MAIN: StoredProfile = { name: 'main', mode: 'live', baseUrl: 'https://host.test/v1', store: { kind: 'keyring' } };

test('adds a private key in front of the others under the configuration lock', async () => {
  const folder = temporaryFolder(onTestFinished);
  let kept: string | undefined;
  const lockedByOthers: boolean[] = [];
  const runProgram: World['runProgram'] = async (_words, { input = '' }) => {
    const { op, secret } = JSON.parse(input) as { op: string; secret?: string };
    if (isChecking) {
      const lock = await acquireLock(join(configDir(world), 'lock.db'), 0);
      lockedByOthers.push(lock !== undefined);
      lock?.release();
    }
    if (op === 'write') kept = secret;
    return {
      kind: 'ended',
      code: 0,
      stdout: JSON.stringify({ kind: 'done', secret: op === 'read' ? kept : undefined }),
    };
  };
  const world = fakeWorld({ env: { FIATRAIL_CONFIG_DIR: folder }, runProgram });
  let isChecking = true;
  for (const key of ['aa', 'bb', 'aa']) await storeEncryptionKey(world, MAIN, new Secret(key));
  isChecking = false;
  expect((await encryptionKeysOf(MAIN, world)).map((key) => key.reveal())).toEqual(['aa', 'bb']);
  expect(new Set(lockedByOthers)).toEqual(new Set([false]));
});
