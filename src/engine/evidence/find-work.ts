import { loadThingStartedBy } from '../../things/find.ts';
import type { SpecialName } from '../../things/index.ts';
import { workOf } from './of-thing.ts';
import type { Work } from './work.ts';

/** Returns the work that an endpoint starts, or the change that it makes; undefined for one that is not journaled. */
export async function workStartedBy(endpointId: string): Promise<Work | undefined> {
  const thing = await loadThingStartedBy(endpointId);
  if (!thing) return changeBy(endpointId);
  return thing.isSpecial ? SPECIAL[thing.name as SpecialName]() : workOf(thing);
}

const changeBy = async (endpointId: string) =>
  (await import('./changes.ts')).changes.find(({ starts }) => starts.some(({ id }) => id === endpointId));

/** The work of which more has to be known than the record of its thing says. */
const SPECIAL: Readonly<Record<SpecialName, () => Promise<Work>>> = {
  onboarding: async () => (await import('./users.ts')).onboarding,
  onramp: async () => (await import('./onramps.ts')).onramp,
  payout: async () => (await import('./payouts.ts')).payout,
  swap: async () => (await import('./swaps.ts')).swap,
  trade: async () => (await import('./fx.ts')).fxTrade,
};

/** Loads every kind of work that has events. */
export async function worksWithEvents(): Promise<readonly Work[]> {
  const { THINGS } = await import('../../things/index.ts');
  const known = THINGS.filter(({ events, starts }) => Object.keys(events).length > 0 && starts.length > 0);
  const works = await Promise.all(known.map(({ starts }) => workStartedBy(starts[0]?.id ?? '')));
  return works.flatMap((work) => work ?? []);
}
