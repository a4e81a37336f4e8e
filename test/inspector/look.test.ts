import { expect, test } from 'vitest';
import { shownFacts } from '../../src/inspector/facts.ts';
import { lookOf, lookOfEvent, lookOfOperation, lookOfStatus, thingNamed } from '../../src/inspector/look.ts';
import { lookOfWork, statusOfWork, thingOfWork } from '../../src/inspector/sandbox/work-filter.ts';
import type { OperationState } from '../../src/journal/states.ts';
import { MACHINES } from '../../src/service/machines.ts';
import { THINGS } from '../../src/things/index.ts';
import { amount, text, time } from '../../src/things/thing.ts';

/** How states look: by the records of the things, and not by their words. */

test('each state of each thing looks as its record says, and a state that nobody knows goes on', () => {
  for (const thing of THINGS) {
    for (const [state, meaning] of Object.entries(thing.states ?? {})) {
      const look = lookOf(thing, state);
      const where = `${thing.name} ${state}`;
      if ('ends' in meaning) expect(look, where).toBe(meaning.ends === 'good' ? 'done' : 'bad');
      else expect(['open', 'you'], where).toContain(look);
    }
    if (thing.states) expect(lookOf(thing, 'a state of next year')).toBe('open');
  }
});

test('what is not done is not green: a bridge without its tokens needs someone, an onramp that nobody paid goes on', () => {
  expect(lookOfWork('bridge', 'initiated')).toBe('you');
  expect(lookOfWork('onramp', 'pending')).toBe('open');
  expect(lookOfWork('fee-withdrawal', 'pending')).toBe('open');
  expect(lookOfWork('deposit', 'refunded')).toBe('bad');
  expect(lookOfWork('vault', 'active')).toBe('done');
});

test.each([
  ['accepted', 'open'],
  ['sent', 'you'],
  ['unknown', 'you'],
  ['settled', 'done'],
  ['resolved', 'done'],
  ['failed', 'bad'],
  ['rejected', 'bad'],
] as const)('an operation that is %s looks %s', (state: OperationState, look) => {
  expect(lookOfOperation({ state })).toBe(look);
});

test('events and responses have looks', () => {
  expect(['delivered', 'waiting', 'given-up', 'quarantined', 'dead', 'not sent'].map(lookOfEvent)).toEqual([
    ...['done', 'open', 'you', 'you', 'you', 'none'],
  ]);
  expect([200, 404, 500, null].map(lookOfStatus)).toEqual(['done', 'bad', 'bad', 'bad']);
});

test('the record of its thing knows each state of a machine of the sandbox', () => {
  for (const { name, transitions } of MACHINES.filter((machine) => machine.name !== 'vault'))
    for (const state of new Set(transitions.flatMap(({ from, to }) => [...from, to])))
      for (const isOfUser of [true, false])
        expect(thingOfWork(name, isOfUser)?.states, `${name} ${state}`).toHaveProperty([statusOfWork(name, state)]);
});

test('a new fact of a thing is shown without another line: a text, a time, and a figure that is not known with its reason', () => {
  const payout = thingNamed('payout', false);
  if (!payout) throw new Error('there is no payout');
  const facts = [
    ...payout.facts,
    text('Colour', 'colour'),
    time('Painted', 'paintedAt'),
    amount('Paint', 'paint'),
    amount('Brush', 'brush'),
  ];
  const row = {
    colour: 'green',
    paintedAt: '2026-11-01T10:00:00.000Z',
    paint: { value: '5000.00', asset: 'NGN' },
  } as const;
  const shown = shownFacts({ ...payout, facts }, row);
  expect(shown.facts).toEqual([{ title: 'Colour', field: 'colour' }]);
  expect(shown.times).toEqual([{ at: row.paintedAt, what: 'Painted' }]);
  expect(shown.amounts).toContainEqual({ title: 'Paint', text: '₦5,000.00', why: null });
  expect(shown.amounts).toContainEqual({ title: 'Brush', text: null, why: 'the service does not state it' });
});
