import type { Ids } from '../../base/world.ts';
import { readPrivateFile, writePrivateFile } from '../../files/private-file.ts';

/**
 * Returns this host's id in a shared journal, in which other hosts may have its name: a state folder is a host. Made on first use; of two
 * processes that make it at once, both read the one that was written last. Throws CliError usage, or the system's error.
 */
export function hostId(dir: string, ids: Ids): string {
  const path = `${dir}/host-id`;
  const known = read(path);
  if (known !== undefined) return known;
  writePrivateFile(path, `${Buffer.from(ids.bytes(4)).toString('hex')}\n`, ids.uuid());
  return read(path) ?? '';
}

function read(path: string): string | undefined {
  return /^([0-9a-f]{8})\n$/.exec(readPrivateFile(path) ?? '')?.[1];
}
