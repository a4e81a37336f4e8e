/**
 * Replaces `supports-color` for chalk and `@colors/colors` for cli-table3 in the bundle (scripts/build.ts). Neither is used: our own rules
 * decide whether there is color (present/style.ts), and cli-table3 colors nothing. Loading chalk takes 2.6 ms of CPU time with this and 5 ms
 * with supports-color, which loads node:os and node:tty; `@colors/colors` would add 20 KB.
 */
export const stdout = false;
export const stderr = false;
