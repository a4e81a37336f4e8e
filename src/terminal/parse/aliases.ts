/** What may be typed for a verb: words of other command lines. No command has them as its own. */
export const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['get', ['show', 'status', 'list']],
  ['ls', ['list']],
]);
