import { isOutcomeUnknown } from '../journal/states.ts';
import { THINGS } from '../things/index.ts';
import { meaningIn } from '../things/states.ts';
import type { Thing } from '../things/thing.ts';

/** How a state looks: done, under way, failed, needs action, or unknown to the records. */
export type Look = 'done' | 'open' | 'bad' | 'you' | 'none';

/** How a state of a thing looks, as its record says. What no record knows goes on. */
export function lookOf({ states, of }: Pick<Thing, 'states' | 'of'>, state: string | null | undefined): Look {
  if (!states || state === null || state === undefined) return 'none';
  const meaning = meaningIn(states, state);
  if (!meaning) return 'open';
  if ('ends' in meaning) return meaning.ends === 'good' ? 'done' : 'bad';
  // What a user has to do is no work of whoever reads the page.
  return meaning.todo !== undefined && of === 'account' ? 'you' : 'open';
}

const OPERATIONS: Readonly<Record<string, Look>> = {
  settled: 'done',
  resolved: 'done',
  failed: 'bad',
  rejected: 'bad',
};

/** How a state of an operation of the journal looks. */
export const lookOfOperation = (
  operation: Parameters<typeof isOutcomeUnknown>[0] & { readonly state: string },
): Look => (isOutcomeUnknown(operation) ? 'you' : (OPERATIONS[operation.state] ?? 'open'));

const EVENTS: Readonly<Record<string, Look>> = {
  ...{ delivered: 'done', forwarded: 'done', received: 'done', waiting: 'open' },
  ...{ 'given-up': 'you', dead: 'you', quarantined: 'you' },
};

/** How a state of an event, or of its delivery, looks. */
export const lookOfEvent = (state: string): Look => EVENTS[state] ?? 'none';

/** How the status of a response looks; null for a request whose connection was dropped. */
export const lookOfStatus = (status: number | null): Look => (status !== null && status < 400 ? 'done' : 'bad');

/** The kind of thing that is meant by a name, and whether it is a user's where both have it. */
export const thingNamed = (name: string, isOfUser = true): Thing | undefined => {
  const named = THINGS.filter((each) => each.name === name);
  return named.find(({ of }) => (of === 'user') === isOfUser) ?? named[0];
};
