/**
 * The Ed25519 points of small order without their sign: everybody can make signatures that they accept. Each is y in hexadecimal digits, least
 * significant byte first; the last three are 1, 0 and -1 written in another way. Source: libsodium, ge25519_has_small_order.
 */
const POINTS: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
]);

const SIGN = 0x80;

/** Whether a public key of 64 hexadecimal digits is of small order. */
export function hasSmallOrder(keyHex: string): boolean {
  const last = Number.parseInt(keyHex.slice(-2), 16) & ~SIGN;
  return POINTS.has(`${keyHex.slice(0, -2).toLowerCase()}${last.toString(16).padStart(2, '0')}`);
}
