/** A made-up file database in its present version and in the next one. Started as a program, it opens the file at a path in the next one. */
import { type OpenOptions, openDatabase } from '../../src/sqlite/database.ts';
import { partsMadeBy } from '../../src/sqlite/parts.ts';

export type Layout = OpenOptions['layout'];

const PAYMENT = 'CREATE TABLE payment (id INTEGER PRIMARY KEY, kobo INTEGER NOT NULL) STRICT';
const TAG = 'CREATE TABLE tag (payment INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT';
const APPLICATION_ID = 0x74657374;

export const PRESENT: Layout = {
  version: 1,
  applicationId: APPLICATION_ID,
  create: (database) => database.exec(PAYMENT),
  parts: () => ({ needed: partsMadeBy([PAYMENT]) }),
};

export const NEXT: Layout = {
  version: 2,
  applicationId: APPLICATION_ID,
  create: (database) => database.exec(`${PAYMENT}; ${TAG}`),
  parts: () => ({ needed: partsMadeBy([PAYMENT, TAG]) }),
  upgrades: { 1: `${TAG}; INSERT INTO tag SELECT id, 'kept' FROM payment` },
};

const [path] = process.argv.slice(2);
if (path !== undefined && process.argv[1] === import.meta.filename) {
  const database = await openDatabase(path, { synchronous: 'FULL', layout: NEXT });
  process.stdout.write(`${database.get<{ count: bigint }>('SELECT count(*) AS count FROM tag')?.count} tags\n`);
  database.close();
}
