import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian installs the programs of services, which the PATH of a user may lack. */
const SERVICE_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/lib/systemd'];

/** Returns the path of a program. Throws one sentence that names its Debian package if it is missing. */
export function programOf(name: string, debianPackage: string): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVICE_FOLDERS];
  const path = folders.map((folder) => join(folder, name)).find(existsSync);
  if (path !== undefined) return path;
  throw new Error(`${name} is missing: install it with apt-get install ${debianPackage}`);
}
