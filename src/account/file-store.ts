import { join } from 'node:path';
import { CliError } from '../exit.ts';
import { Secret } from '../secret.ts';
import type { Ids, World } from '../world.ts';
import { secretsDir } from './paths.ts';
import { mendPrivateFolder, readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

type Place = Pick<World, 'env' | 'homeDir' | 'platform'> & { readonly ids: Pick<Ids, 'uuid'> };

/** A name that stays in its folder on every system. */
const PLAIN_NAME = /^[\w-][\w.-]{0,127}$/;

/** Keeps each secret in a private file of its own, `secrets/<profile>.<name>` in the configuration folder. */
export function createFileStore(world: Place): SecretStore {
  const folder = secretsDir(world);
  const pathOf = (profile: string, name: SecretName) => {
    if (PLAIN_NAME.test(profile)) return join(folder, `${profile}.${name}`);
    throw new CliError('usage', `the profile name "${profile.slice(0, 60)}" cannot be the name of a file`, {
      code: 'PROFILE_NAME',
      hint: 'use letters, digits, dots and dashes',
    });
  };
  return {
    kind: 'file',
    place: pathOf,
    read: async (profile, name) => {
      const path = pathOf(profile, name);
      const text = told('read', path, () => (mendPrivateFolder(folder) ? readPrivateFile(path) : undefined));
      // A file that was cut to nothing holds no secret.
      return text ? new Secret(text.replace(/\n$/, '')) : undefined;
    },
    write: async (profile, name, secret) => {
      const path = pathOf(profile, name);
      told('written', path, () => writePrivateFile(path, `${secret.reveal()}\n`, world.ids.uuid()));
    },
    remove: async (profile, name) => {
      const path = pathOf(profile, name);
      told('removed', path, () => removePrivateFile(path));
    },
  };
}

type Done = 'read' | 'written' | 'removed';

/** Runs `work`; an error of the system becomes one that says what could not be done and what to do. Throws CliError usage. */
export function told<T>(done: Done, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (error instanceof CliError || typeof code !== 'string' || !/^E[A-Z\d]+$/.test(code)) throw error;
    throw storeError(done, path, code, error);
  }
}

const NO_ROOM = ['ENOSPC', 'EDQUOT'];
const ELSEWHERE = 'or set FIATRAIL_CONFIG_DIR to another folder';
const REMEDIES: Readonly<Record<string, string>> = {
  EROFS: `that disk is read-only: mount it for writing, ${ELSEWHERE}`,
  ENOTDIR: `a file stands where a folder is needed: move it away, ${ELSEWHERE}`,
  EEXIST: `a file stands where a folder is needed: move it away, ${ELSEWHERE}`,
};

function storeError(done: Done, path: string, code: string, cause: unknown): CliError {
  if (NO_ROOM.includes(code))
    return new CliError('usage', `there is no room on the disk for ${path}`, {
      code: 'STORE_FULL',
      hint: 'make room, then run the command again; what was kept before still is',
      cause,
    });
  return new CliError('usage', `${path} cannot be ${done} (${code})`, {
    code: done === 'read' ? 'STORE_UNREADABLE' : 'STORE_UNWRITABLE',
    hint: REMEDIES[code] ?? `make it and its folder yours (owner and permissions), ${ELSEWHERE}`,
    cause,
  });
}
