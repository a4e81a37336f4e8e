/** A process of its own that takes the lock at a path, says so on standard error, and lives until it is killed. */
import { acquireLock } from '../../src/sqlite/lock.ts';

const [path = ''] = process.argv.slice(2);
const lock = await acquireLock(path, 0);
process.stderr.write(lock ? 'held\n' : 'busy\n');
// What nothing refers to any more may be collected, and its lock with it.
setInterval(() => lock, 1_000);
