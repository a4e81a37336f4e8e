/**
 * Replaces `string-width` for cli-table3 in the bundle (scripts/build.ts): it counts columns with a pattern of every emoji,
 * which takes longer to compile than a table takes to draw.
 */
export { widthOf as 'module.exports' } from '../present/width.ts';
