import { expect, test } from 'vitest';
import { costsOf, type Flow } from '../../src/copy/questions/report/lots.ts';
import { chances } from '../copy/served.ts';

interface Case extends Flow {
  readonly name: string;
}

const at = (time: number) => `2026-01-01T00:00:0${time}.000Z`;

/** Every order in which flows can have been, by the times between which each was. */
function ordersOf(flows: readonly Case[]): readonly (readonly Case[])[] {
  if (flows.length === 0) return [[]];
  return flows.flatMap((first, index) => {
    const others = flows.filter((each) => each !== first);
    const isExact = (flow: Case) => flow.earliest === flow.latest;
    const canBeFirst = others.every((other) => {
      if (first.earliest > other.latest) return false;
      // At the same exact time they are in the order that is given.
      const isTie = isExact(first) && isExact(other) && first.earliest === other.earliest;
      return !isTie || index < flows.indexOf(other);
    });
    return canBeFirst ? ordersOf(others).map((rest) => [first, ...rest]) : [];
  });
}

/** How much an order takes that had not come. */
function overdrawnIn(order: readonly Case[]): number {
  let [left, most] = [0, 0];
  for (const { isIn, minor } of order) {
    left += isIn ? Number(minor) : -Number(minor);
    most += Math.max(0, -left);
    left = Math.max(0, left);
  }
  return most;
}

/** The orders that take the least of what had not come: a wallet never has less than nothing. */
function likelyOrdersOf(flows: readonly Case[]) {
  const all = ordersOf(flows).map((order) => ({ order, overdrawn: overdrawnIn(order) }));
  const least = Math.min(...all.map(({ overdrawn }) => overdrawn));
  return all.filter(({ overdrawn }) => overdrawn === least).map(({ order }) => order);
}

/** What each sale cost in one order, first in, first out; undefined if it was never bought, or its price is not known. */
function exactCosts(order: readonly Case[]): ReadonlyMap<string, bigint | undefined> {
  const units: (readonly [name: string, cost: bigint | undefined])[] = [];
  const costs = new Map<string, bigint | undefined>();
  for (const { isIn, minor, cost, name } of order) {
    const count = Number(minor);
    // Each unit costs the same, so that every part of a lot has a whole price.
    if (isIn)
      for (let unit = 0; unit < count; unit++)
        units.push([name, typeof cost === 'bigint' ? cost / BigInt(count) : undefined]);
    else {
      const sold = units.splice(0, count);
      const isKnown = sold.length === count && sold.every(([, price]) => price !== undefined);
      costs.set(name, isKnown ? sold.reduce((sum, [, price]) => sum + (price ?? 0n), 0n) : undefined);
    }
  }
  return costs;
}

function flowsBy(chance: () => number): readonly Case[] {
  const upTo = (most: number) => Math.floor(chance() * (most + 1));
  return Array.from({ length: 2 + upTo(4) }, (_, index): Case => {
    const from = upTo(8);
    const isIn = chance() < 0.55;
    const minor = BigInt(1 + upTo(3));
    const price = BigInt(1 + upTo(5));
    return {
      name: `flow ${index}`,
      earliest: at(from),
      latest: at(chance() < 0.6 ? from : Math.min(9, from + upTo(3))),
      isIn,
      minor,
      cost: isIn && chance() < 0.15 ? { why: 'BOUGHT_BEFORE', since: null } : isIn ? price * minor : 0n,
    };
  }).toSorted((a, b) => (a.earliest < b.earliest ? -1 : a.earliest > b.earliest ? 1 : 0));
}

test('a cost that is stated is the same in every order that is possible, and one that no order changes is stated', () => {
  const tally = { stated: 0, unordered: 0, exact: 0 };
  for (let seed = 1; seed <= 3_000; seed++) {
    const flows = flowsBy(chances(seed));
    const orders = likelyOrdersOf(flows).map(exactCosts);
    expect(orders.length).toBeGreaterThan(0);
    for (const [{ name, minor }, { cost, parts }] of costsOf(flows)) {
      expect(
        parts.reduce((sum, part) => sum + (part.minor ?? 0n), 0n),
        name,
      ).toBe(minor);
      if (typeof cost === 'bigint')
        expect(parts.reduce((sum, part) => sum + BigInt(part.cost as bigint), 0n)).toBe(cost);
      const possible = new Set(orders.map((order) => order.get(name)));
      const seen = `seed ${seed}, ${name}`;
      if (typeof cost === 'bigint') {
        tally.stated += 1;
        expect([...possible], seen).toEqual([cost]);
      } else if (cost.why === 'END_BETWEEN') tally.unordered += 1;
      const isExact = flows.every(({ earliest, latest }) => earliest === latest);
      if (isExact && possible.size === 1 && !possible.has(undefined)) {
        tally.exact += 1;
        expect(typeof cost, seen).toBe('bigint');
      }
    }
  }
  expect(Math.min(...Object.values(tally))).toBeGreaterThan(100);
});

test('after an amount that nothing says, no cost is known but of what was there before it', () => {
  const flow = (time: number, isIn: boolean, minor: bigint | null, cost = 0n): Flow => ({
    earliest: at(time),
    latest: at(time),
    isIn,
    minor,
    cost,
  });
  const costs = (flows: readonly Flow[]) => [...costsOf(flows).values()].map(({ cost }) => cost);
  const unknown = { why: 'NOT_STATED', since: null };
  expect(costs([flow(1, true, 4n, 8n), flow(2, true, null, 9n), flow(3, false, 4n), flow(4, false, 1n)])).toEqual([
    8n,
    unknown,
  ]);
  expect(costs([flow(1, true, 4n, 8n), flow(2, false, null), flow(3, true, 1n, 5n), flow(4, false, 1n)])).toEqual([
    unknown,
    unknown,
  ]);
});
