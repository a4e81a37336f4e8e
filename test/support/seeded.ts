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

/** What a service in memory was seeded with, and how many ids that took. */
interface Seeded {
  readonly image: Uint8Array;
  readonly place: IdPlace;
}

/** By everything that a seed depends on. */
const known = new Map<string, Seeded>();

/** Has the next service of each kind seeded again. */
export function forgetSeeds(): void {
  known.clear();
}

type Options = Omit<Parameters<typeof openService>[0], 'path' | 'ids'>;

/** A new service in memory with ids of a counter. Seeding takes much longer than copying what was seeded before. */
export async function openSeeded(options: Options): Promise<Service> {
  const name = JSON.stringify([options.seed, options.clock.now()]);
  const found = known.get(name);
  const place = found ? { ...found.place } : firstPlace();
  const now: Opening = { image: found?.image };
  const service = await opening.run(now, () => openService({ ...options, path: ':memory:', ids: idsFrom(place) }));
  if (now.connection && !found) known.set(name, { image: now.connection.serialize(), place: { ...place } });
  return service;
}
