/** Opens a resource on first use, and closes it only if it was opened. */
export function openedOnUse<T extends { close(): unknown }>(start: () => Promise<T>) {
  let opened: Promise<T> | undefined;
  return {
    open: () => {
      opened ??= start();
      return opened;
    },
    close: async () => {
      // A failure to open was reported to the caller that opened it.
      await opened?.then(
        (each) => each.close(),
        () => {},
      );
    },
  };
}
