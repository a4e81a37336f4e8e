/**
 * Replaces `when-exit` for conf in the bundle (scripts/build.ts): it handles every signal as soon as it is loaded, so that
 * Ctrl-C would end the program before it reports its state.
 */
export default (): void => {};
