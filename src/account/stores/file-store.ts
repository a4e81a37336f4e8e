import { join } from 'node:path';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import { fileErrors } from '../../files/inspect.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../files/private-file.ts';
import { makeFolderPrivate } from '../../files/private-folder.ts';
import { configDir, type WritableUserEnv } from '../paths.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

/** A name that cannot leave its folder on any system. */
const PLAIN_NAME = /^[\w-][\w.-]{0,127}$/;

/** Keeps each secret in its own private file, `secrets/<profile>.<name>` in the configuration folder. */
export function createFileStore(world: WritableUserEnv): SecretStore {
  const folder = join(configDir(world), 'secrets');
  const pathOf = (profile: string, name: SecretName) => {
    if (PLAIN_NAME.test(profile)) return join(folder, `${profile}.${name}`);
    throw new CliError('usage', `profile name "${profile.slice(0, 60)}" cannot be used as a file name`, {
      code: 'PROFILE_NAME',
      hint: 'use letters, digits, dots and hyphens',
    });
  };
  return {
    kind: 'file',
    location: pathOf,
    read: async (profile, name) => {
      const path = pathOf(profile, name);
      const text = fileErrors('read', path, () => (makeFolderPrivate(folder) ? readPrivateFile(path) : undefined));
      // A file truncated to nothing contains no secret.
      return text ? new Secret(text.replace(/\r?\n$/, '')) : undefined;
    },
    write: async (profile, name, secret) => {
      const path = pathOf(profile, name);
      fileErrors('written', path, () => writePrivateFile(path, `${secret.reveal()}\n`, world.ids.uuid()));
    },
    remove: async (profile, name) => {
      const path = pathOf(profile, name);
      fileErrors('removed', path, () => removePrivateFile(path));
    },
  };
}
