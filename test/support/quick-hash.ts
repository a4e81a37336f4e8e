import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';

type Scrypt = (
  text: BinaryLike,
  salt: BinaryLike,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) => void;

/** Marks the replacement, which may be in place already: files share a worker. */
const REAL = Symbol.for('fiatrail.real-scrypt');

const inPlace: Scrypt & { [REAL]?: Scrypt } = crypto.scrypt;
const real = inPlace[REAL] ?? inPlace;

/**
 * The hash of a BVN takes 200 ms on purpose, so that nobody can try them all. Hundreds of tests onboard someone; none but
 * secrets/guesses.test.ts is about this cost.
 */
const quick: Scrypt = (text, salt, length, { N: _, ...options }, done) =>
  real(text, salt, length, { ...options, N: 2 }, done);

Object.assign(crypto, { scrypt: Object.assign(quick, { [REAL]: real }) });

/** Gives the tests of this file the real cost. */
export function useSlowHash(): void {
  Object.assign(crypto, { scrypt: real });
}
