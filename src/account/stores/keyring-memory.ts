import type { World } from '../../base/world.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../files/private-file.ts';
import { keyringMemoryPath } from '../paths.ts';

/** Problems that last, and that may take seconds to detect. */
const LASTING = ['absent', 'no-store', 'late'] as const;
type Lasting = (typeof LASTING)[number];

interface Remembered {
  readonly problem: Lasting;
  readonly sinceMs: number;
}

const MEMORY_MS = 3_600_000;

/** The login session: a cron job has none, and so no keychain, while the same user at a desktop has one. */
const sessionOf = ({ env }: World) => `${env['DBUS_SESSION_BUS_ADDRESS'] ?? ''} ${env['XDG_RUNTIME_DIR'] ?? ''}`;

/** Returns why the keychain was unusable in this session within the last hour, if that is known. */
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

/** Remembers the problem. A failed write only costs time. */
export function rememberKeyring(world: World, problem: Lasting): void {
  const text = JSON.stringify({ problem, sinceMs: world.clock.now(), session: sessionOf(world) });
  try {
    writePrivateFile(keyringMemoryPath(world), `${text}\n`, world.ids.uuid());
  } catch {
    // The next command tries the keychain again.
  }
}

/** Makes the next command try the keychain again. */
export function forgetKeyring(world: World): void {
  try {
    removePrivateFile(keyringMemoryPath(world));
  } catch {
    // The memory expires within the hour.
  }
}
