import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseSync } from 'node:sqlite';
import { openService, type Service } from '../../src/service/service.ts';
import { firstPlace, type IdPlace, idsFrom } from './ids.ts';

/** The opening of a database in memory: what it starts with, and its connection once there is one. */
interface Opening {
  readonly image: Uint8Array | undefined;
  connection?: DatabaseSync;
}

const opening = new AsyncLocalStorage<Opening>();
const { prepare } = DatabaseSync.prototype;

/** Puts the image into a new connection before its first statement. */
DatabaseSync.prototype.prepare = function prepareInCopy(this: DatabaseSync, ...given) {
  const now = opening.getStore();
  if (now && !now.connection) {
    now.connection = this;
    if (now.image) this.deserialize(now.image);
  }
  return prepare.apply(this, given);
};

/** What a service in memory has, and how many ids that took. */
export interface Image {
  readonly image: Uint8Array;
  readonly place: IdPlace;
}

/** What services were seeded with, by everything that a seed depends on. */
const known = new Map<string, Image>();

/** Has the next service of each kind seeded again. */
export function forgetSeeds(): void {
  known.clear();
}

type Options = Omit<Parameters<typeof openService>[0], 'path' | 'ids'>;

/** A service in memory, and what returns a copy of all that it has. */
export interface InMemory {
  readonly service: Service;
  copy(): Image;
}

/**
 * A new service in memory with ids of a counter, and with what another one had if it is given. Seeding takes much longer than copying
 * what was seeded before.
 */
export async function openSeeded(options: Options, from?: Image): Promise<InMemory> {
  const name = JSON.stringify([options.seed, options.clock.now()]);
  const found = from ?? known.get(name);
  const place = found ? { ...found.place } : firstPlace();
  const now: Opening = { image: found?.image };
  const service = await opening.run(now, () => openService({ ...options, path: ':memory:', ids: idsFrom(place) }));
  const { connection } = now;
  if (!connection) throw new Error('the service prepared no statement when it was opened');
  const copy = () => ({ image: connection.serialize(), place: { ...place } });
  if (!found) known.set(name, copy());
  return { service, copy };
}
