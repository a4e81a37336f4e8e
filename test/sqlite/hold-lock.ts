/** A separate process that takes the lock at a path, prints whether it got it, and runs until it is killed. */
import { acquireLock } from '../../src/sqlite/lock.ts';

const [path = ''] = process.argv.slice(2);
const lock = await acquireLock(path, 0);
process.stdout.write(lock ? 'held\n' : 'busy\n');
// Keeps a reference to the lock, which would otherwise be garbage-collected and released.
setInterval(() => lock, 1_000);
