import type { SIMULATED_KINDS } from '../../contract/sandbox.ts';
import type { Amount, Asset } from '../../money/amount.ts';
import type { Call } from '../context.ts';
import { balanceOf, walletAccount } from '../ledger.ts';
import type { Chance } from './chance.ts';

/** What happens in a simulation. */
export type Kind = (typeof SIMULATED_KINDS)[number];

/** A verified user. */
export interface Person {
  readonly id: bigint;
  readonly userId: string;
  readonly name: string;
  /** The number of the permanent virtual account. */
  readonly accountNumber: string;
  /** The wallet that the service manages. */
  readonly wallet: bigint;
  readonly address: string;
  isActive: boolean;
}

/** What an act moved: null for a request that moves nothing, undefined if there was nothing to do. */
type Moved = Amount | null | undefined;

/** One request at its time. Throws Fault if the service rejects it. */
export type Act = (life: Life) => Moved;

/** The account at one moment of a simulation. */
export interface Life {
  readonly call: Call;
  readonly chance: Chance;
  readonly people: readonly Person[];
  /** Does something else later, within the simulated day. */
  later(delayMs: number, kind: Kind, act: Act): void;
  /** Counts something that was accepted and yet goes wrong. `reason` becomes a code: `account_expired` is `ACCOUNT_EXPIRED`. */
  failed(kind: Kind, reason: string): void;
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;

/** Returns an amount of Naira between two, in steps that people choose; some have kobo. No test value is among them. */
export function naira({ chance }: Life, from: number, to: number): bigint {
  const steps = [50, 100, 500, 1000, 5000].filter((step) => step <= (to - from) / 2);
  const step = steps.length > 0 ? chance.pick(steps) : 50;
  const whole = Math.floor((from + chance.below(to - from + 1)) / step) * step;
  return BigInt(Math.max(whole, from)) * 100n + (chance.is(0.1) ? BigInt(chance.below(100)) : 0n);
}

const CNGN_PER_WHOLE = 1_000_000n;

/** Returns whole tokens between two numbers, in steps of fifty where there is room: no test value is a multiple of fifty. */
export function tokens({ chance }: Life, from: number, to: number): bigint {
  const room = Math.floor((to - from) / 50);
  return BigInt(room < 1 ? from : (Math.ceil(from / 50) + chance.below(room)) * 50) * CNGN_PER_WHOLE;
}

export const wholeTokens = (minor: bigint): number => Number(minor / CNGN_PER_WHOLE);

/** Returns what a user's managed wallet has of a token on Base. */
export const heldBy = ({ call }: Life, { wallet }: Pick<Person, 'wallet'>, asset: Asset): bigint =>
  balanceOf(call.store, walletAccount(wallet, 'base', asset));

/** How many users are asked before nothing is done. */
const TRIES = 6;

/** Returns an active user with at least this much of a token; undefined if none was found soon. */
export function somebodyWith(life: Life, asset: Asset, atLeast: bigint): Person | undefined {
  for (let at = 0; at < TRIES && life.people.length > 0; at++) {
    const person = life.chance.pick(life.people);
    if (person.isActive && heldBy(life, person, asset) >= atLeast) return person;
  }
  return undefined;
}

/** Returns the one of several ways that chance picks, each with its probability; undefined for the rest. */
export function wayOf<W extends string>({ chance }: Life, ways: Readonly<Record<W, number>>): W | undefined {
  let left = chance.fraction();
  for (const [way, probability] of Object.entries<number>(ways)) {
    if (left < probability) return way as W;
    left -= probability;
  }
  return undefined;
}

/** An address outside the service, on any EVM network. */
export const outsideAddress = ({ call }: Life): string => `0x${Buffer.from(call.ids.bytes(20)).toString('hex')}`;
