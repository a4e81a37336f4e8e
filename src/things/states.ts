import type { Thing, WorkOutcome } from './thing.ts';

/** The states in which a thing ended, well or badly. */
export function endsOf({ states = {} }: Pick<Thing, 'states'>): {
  readonly done: readonly string[];
  readonly failed: readonly string[];
} {
  const ended = (how: 'good' | 'bad') =>
    Object.entries(states).flatMap(([state, meaning]) => ('ends' in meaning && meaning.ends === how ? [state] : []));
  return { done: ended('good'), failed: ended('bad') };
}

/** The states in which it failed after it had ended well. */
export const undoneStatesOf = ({ states = {} }: Pick<Thing, 'states'>): readonly string[] =>
  Object.entries(states).flatMap(([state, meaning]) => ('isUndone' in meaning ? [state] : []));

/** Whether its state may still change by itself; undefined if it has none. A state that nobody documented goes on. */
export function goesOn({ states }: Pick<Thing, 'states'>, state: string | null | undefined): boolean | undefined {
  if (!states || state === undefined || state === null) return undefined;
  const meaning = meaningIn(states, state);
  return !(meaning && 'ends' in meaning);
}

/** What a state means; undefined for one that the record does not know. */
export const meaningIn = (states: NonNullable<Thing['states']>, state: string) =>
  Object.hasOwn(states, state) ? states[state] : undefined;

/** What work waits for in one of these states, the first that says it. */
export function waitOf({ states = {} }: Pick<Thing, 'states'>, all: readonly (string | null | undefined)[]) {
  for (const state of all) {
    const meaning = state == null ? undefined : meaningIn(states, state);
    if (meaning && 'waits' in meaning) return meaning;
  }
  return { waits: 'waits for the service' };
}

/** What the list of a thing says as long as it goes on, if nothing more exact is known; undefined if it never says so. */
export const usualStateOf = ({ states = {} }: Pick<Thing, 'states'>): string | undefined =>
  Object.keys(states).find((state) => 'isUsual' in (states[state] ?? {}));

/** How work in a state stands, in the journal's words. What has no states is there, and so done. */
export function outcomeIn({ states }: Pick<Thing, 'states'>, state: string): WorkOutcome {
  if (!states) return 'settled';
  const meaning = meaningIn(states, state);
  if (!meaning || 'waits' in meaning) return 'accepted';
  return meaning.ends === 'good' ? 'settled' : 'failed';
}
