// Has no imports, so that errors can be printed without loading anything else.

// Escape sequences in 7-bit and 8-bit form: CSI, strings (OSC, DCS and similar) and others. Source: ECMA-48.
// util.stripVTControlCharacters takes quadratic time on unterminated strings, which a hostile name may contain.
const SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g;

// Most text. It is recognized first, since V8 takes long to prepare the classes of Unicode below.
const PRINTABLE = /^[\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u20a0-\u20bf]*$/;

/** Makes text safe for a terminal: one line, without escape sequences, control characters or bidirectional controls. */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '');
}

/** Makes multi-line text safe for a terminal by removing control characters other than newlines and tabs. */
export function plainLines(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text
    .toWellFormed()
    .replace(SEQUENCES, '')
    .replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '');
}

/**
 * Serializes JSON safely for a terminal: C1 controls and bidirectional controls are escaped, which does not change the
 * parsed value.
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replace(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Quotes a word for a shell, if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
