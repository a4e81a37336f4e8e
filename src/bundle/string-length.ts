/**
 * Replaces `string-width` for cli-table3 in the bundle (scripts/build.ts): it gets texts whose width is their length (present/draw.ts). A
 * row of seven cells takes 55 microseconds of CPU time with this and 100 with string-width, which looks for emoji.
 */
const widthOf = (text: string): number => text.length;

export { widthOf as 'module.exports' };
