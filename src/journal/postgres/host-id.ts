import type { Ids } from '../../base/world.ts';
import { readPrivateFile, writePrivateFile } from '../../files/private-file.ts';
import type { JournalWorld } from '../transitions.ts';

/**
 * Returns this host's name in a database that hosts share, where others may have the name of its machine: a state folder is a host. Its id is made
 * on first use; of two processes that make it at once, both read the one that was written last. Throws CliError usage, or the system's
 * error.
 */
export const hostNameIn = (dir: string, { host, ids }: Pick<JournalWorld, 'host' | 'ids'>): string =>
  `${host.name}/${hostId(dir, ids)}`;

function hostId(dir: string, ids: Ids): string {
  const path = `${dir}/host-id`;
  const known = read(path);
  if (known !== undefined) return known;
  writePrivateFile(path, `${Buffer.from(ids.bytes(4)).toString('hex')}\n`, ids.uuid());
  return read(path) ?? '';
}

function read(path: string): string | undefined {
  return /^([0-9a-f]{8})\n$/.exec(readPrivateFile(path) ?? '')?.[1];
}
