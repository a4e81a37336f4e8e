// Imports nothing: errors are printed before, and without, anything else being loaded.

// Escape sequences in their 7-bit and 8-bit forms: CSI, strings (OSC, DCS and their like), others. Source: ECMA-48.
// util.stripVTControlCharacters takes quadratic time on unended strings, which a hostile name may have.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

/** Text of the service on one line, without escape sequences, control and direction characters: it cannot steer a terminal. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Text of several lines made safe for a terminal; what it says stays, only control characters go. */
export function plainLines(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
}

/**
 * JSON text. Characters that JSON leaves bare and a terminal may obey (C1 controls, changes of direction) are escaped,
 * which no reader of JSON can tell from the bare character.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** A word as a shell takes it back. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
