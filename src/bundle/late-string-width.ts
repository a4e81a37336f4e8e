import type width from 'fast-string-width';

/** The bundler's: it runs the package when this is called, not before. */
declare const require: (name: 'fast-string-width') => { readonly default: typeof width };

/**
 * Replaces `fast-string-width` in the bundle (scripts/build.ts): V8 builds its classes of Unicode for a millisecond of CPU time, and most
 * texts are measured without it.
 */
export default (text: string): number => require('fast-string-width').default(text);
