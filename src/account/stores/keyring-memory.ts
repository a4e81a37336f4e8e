import type { World } from '../../base/world.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../files/private-file.ts';
import { keyringMemoryPath } from '../paths.ts';

/** What is as true a minute later, and may cost seconds to find out. */
const LASTING = ['absent', 'no-store', 'late'] as const;
type Lasting = (typeof LASTING)[number];

interface Remembered {
  readonly problem: Lasting;
  readonly sinceMs: number;
}

const MEMORY_MS = 3_600_000;

/** A cron job has no session and so no key store; its owner at the desk has one. */
const sessionOf = ({ env }: World) => `${env['DBUS_SESSION_BUS_ADDRESS'] ?? ''} ${env['XDG_RUNTIME_DIR'] ?? ''}`;

/** Why the key store could not be used within the last hour, in this session. A memory that cannot be read is none. */
export function recallKeyring(world: World): Remembered | undefined {
  try {
    const { problem, sinceMs, session } = JSON.parse(readPrivateFile(keyringMemoryPath(world)) ?? '{}');
    const ageMs = world.clock.now() - sinceMs;
    const isFresh = ageMs >= 0 && ageMs < MEMORY_MS && session === sessionOf(world);
    return isFresh && LASTING.includes(problem) ? { problem, sinceMs } : undefined;
  } catch {
    return undefined;
  }
}

/** One that cannot be written costs time and nothing else. */
export function rememberKeyring(world: World, problem: Lasting): void {
  const text = JSON.stringify({ problem, sinceMs: world.clock.now(), session: sessionOf(world) });
  try {
    writePrivateFile(keyringMemoryPath(world), `${text}\n`, world.ids.uuid());
  } catch {
    // The next command asks again.
  }
}

/** The next command asks the key store again, whatever it said the last time. */
export function forgetKeyring(world: World): void {
  try {
    removePrivateFile(keyringMemoryPath(world));
  } catch {
    // It ends by itself within the hour.
  }
}
