import fc from 'fast-check';

/** The code points of surrogates, which are no characters on their own. */
const SURROGATES = { start: 0xd800, count: 0x800 } as const;

/**
 * Any character, control characters included. It is the unit `binary` of fast-check, which takes a second to list all of them before its
 * first text.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.start ? index : index + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('not one character');
    if (code < SURROGATES.start) return code;
    if (code < SURROGATES.start + SURROGATES.count) throw new Error('half of a surrogate pair');
    return code - SURROGATES.count;
  },
);
