/**
 * The commands as completion sees them. In the bundle, `scripts/build/prepared.ts` replaces this module with one that holds
 * only data: words, summaries and parameters.
 */
export { CATALOGUE as OUTLINES } from '../catalogue.ts';
