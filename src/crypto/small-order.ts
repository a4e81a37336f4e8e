const P = 2n ** 255n - 19n;

/** The y of two points of order 8; that of the other two is `P - Y8`. */
const Y8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n;

/** y of the points of small order, whose signatures anybody can make. P and P + 1 are 0 and 1, written in another way. Source: libsodium. */
const SMALL: readonly bigint[] = [0n, 1n, P - 1n, P, P + 1n, Y8, P - Y8];

/** The highest bit of a key is the sign of x. */
const SIGN = 2n ** 255n;

/** Whether an Ed25519 public key of 64 hexadecimal digits is a point of small order. */
export function hasSmallOrder(keyHex: string): boolean {
  const y = BigInt(`0x${Buffer.from(keyHex, 'hex').reverse().toString('hex')}`) % SIGN;
  return SMALL.includes(y);
}
