import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EVENT_PAYLOADS, type EventName } from '../../src/contract/event-payloads.ts';
import { EVENTS } from '../../src/contract/events.ts';
import { rowsOf } from '../../src/contract/rows.ts';
import type { WitnessRow } from './witness.ts';

interface WitnessEvent {
  readonly name: EventName;
  readonly scope: string;
  readonly source: string;
  readonly payload: readonly WitnessRow[];
}

const file = readFileSync(new URL('contract/webhooks.yaml', import.meta.url), 'utf8');
const { events } = parse(file) as { events: readonly WitnessEvent[] };

/** The id of the user, which the specification has beside the payload, and which the two fields of a body leave no other place for. */
const OURS = ['user.onboarded userId'];

/** Fields without the objects and lists around them, which the specification does not list. */
function leaves(name: EventName): WitnessRow[] {
  const rows = rowsOf(EVENT_PAYLOADS[name]());
  return rows
    .filter((row) => !rows.some((other) => other.name.startsWith(`${row.name}.`) || other.name === `${row.name}[]`))
    .filter((row) => !OURS.includes(`${name} ${row.name}`))
    .map(({ name: field, type, unit, source }) => ({ name: field, type, source, ...(unit ? { unit } : {}) }));
}

const byName = (a: WitnessRow, b: WitnessRow) => a.name.localeCompare(b.name);

describe('the events against the specification', () => {
  test('match, and bridge notifications cannot be subscribed to', () => {
    const names = EVENTS.map(({ name }) => name);
    expect(names).toEqual(events.map(({ name }) => name));
    expect(Object.keys(EVENT_PAYLOADS).sort()).toEqual([...names, 'bridge.completed', 'bridge.failed'].sort());
  });

  test.each(events)('$name has the payload of the specification', ({ name, scope, source, payload }) => {
    expect(leaves(name).sort(byName)).toEqual([...payload].sort(byName));
    const kind = EVENTS.find((each) => each.name === name);
    expect(scope).toMatch(new RegExp(`^${kind?.scope}\\b`));
    expect(kind?.source).toBe(source);
  });
});
