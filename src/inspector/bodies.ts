/** A body is shown up to here. */
const MAX_BODY = 16 * 1024;

export const cutBody = (text: string): string =>
  text.length <= MAX_BODY ? text : `${text.slice(0, MAX_BODY)}… (cut; it has ${text.length} characters)`;
