/** A separate process that holds the write lock of a database until it is killed, and reports that on standard output. */
import { DatabaseSync } from 'node:sqlite';

const [path = ''] = process.argv.slice(2);
const database = new DatabaseSync(path, { timeout: 10_000 });
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
// Keeps a reference to the database, which would otherwise be garbage-collected and closed.
setInterval(() => database, 1_000);
