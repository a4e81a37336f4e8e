/** Returns a function that builds something on its first call, and returns the same on each. */
export function once<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => {
    built ??= build();
    return built;
  };
}
