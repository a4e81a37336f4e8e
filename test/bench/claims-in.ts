/**
 * Claims in a journal on a server, in a process of its own: `node claims-in.ts URL FOLDER COUNT`. Prints the milliseconds of each claim,
 * and what was claimed twice.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { journalIn } from '../../src/journal/journal.ts';
import { serverAddressOf } from '../../src/journal/postgres/server-address.ts';
import { openPostgresStore } from '../../src/journal/postgres/store.ts';
import { INTENT, oneProcess } from '../support/journal-intent.ts';

const [url = '', dir = '', count = '0'] = process.argv.slice(2);
const clock = { now: Date.now, sleep: async () => {} };
const ids = { uuid: () => randomUUID(), bytes: (length: number) => randomBytes(length), digest: () => '' };
const world = { clock, ids, host: oneProcess(process.pid) };
const access = { dir, localPath: `${dir}/journal.db`, password: async () => undefined };
const journal = await journalIn(await openPostgresStore(serverAddressOf(url, 'the URL'), access, world), world);
const times: number[] = [];
const ours: number[] = [];
for (let index = 0; index < Number(count); index++) {
  const start = process.hrtime.bigint();
  const claim = await journal.claim({ ...INTENT, idempotencyKey: `k-${index}` }, 60_000);
  times.push(Number(process.hrtime.bigint() - start) / 1e6);
  if (claim.kind === 'ours') ours.push(index);
}
await journal.close();
process.stdout.write(JSON.stringify({ times, ours }));
