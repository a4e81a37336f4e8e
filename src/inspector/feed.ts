import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/world.ts';

/** How often the page is told that something is new, at most. */
const EVERY_MS = 250;
/** While this process is busy, it is told so many times less often: nobody reads rows that change faster, and to draw them takes time from what is busy. */
const BUSY_TIMES = 4;
/** The part of its time that a busy process works. */
const BUSY = 0.5;
/** A browser that reads nothing for this many changes is gone or stuck. Its connection ends, and it comes back by itself if it lives. */
const MOST_UNREAD = 40;
/** Pages that are open at the same time. */
const MOST_FEEDS = 20;

/** Tells pages by server-sent events that something has changed; what changed, they ask for. */
export interface Feed {
  /** Returns false if there are too many already. `lastEventId` is what the page heard before its connection was lost. */
  add(response: ServerResponse, lastEventId: string | undefined): boolean;
  close(): void;
}

interface OpenFeed {
  readonly response: ServerResponse;
  lastId: string | undefined;
  unread: number;
}

/** `loadOf` tells which part of the time since it was last asked this process has worked. */
export function createFeed(clock: Clock, version: () => string | Promise<string>, loadOf: () => number): Feed {
  const listeners = new Set<OpenFeed>();
  const stopping = new AbortController();
  const tell = (listener: OpenFeed, current: string) => {
    if (listener.lastId === current) return;
    listener.lastId = current;
    // Nothing is queued for whoever does not read: the last word is all that counts.
    if (listener.response.writableNeedDrain) listener.unread += 1;
    else {
      listener.unread = 0;
      listener.response.write(`id: ${current}\ndata: changed\n\n`);
    }
    if (listener.unread > MOST_UNREAD) listener.response.destroy();
  };
  const run = async () => {
    for (let waited = 1; !stopping.signal.aborted; waited += 1) {
      const isDue = loadOf() <= BUSY || waited >= BUSY_TIMES;
      if (isDue) waited = 0;
      if (isDue && listeners.size > 0) {
        const current = await Promise.resolve(version()).catch(() => undefined);
        if (current !== undefined) for (const each of listeners) tell(each, current);
      }
      await clock.sleep(EVERY_MS, stopping.signal).catch(() => {});
    }
  };
  run();
  return {
    add: (response, lastEventId) => {
      if (listeners.size >= MOST_FEEDS) return false;
      const listener = { response, lastId: lastEventId, unread: 0 };
      listeners.add(listener);
      response.once('close', () => listeners.delete(listener));
      response.write('retry: 1000\n\n');
      return true;
    },
    close: () => {
      stopping.abort();
      for (const { response } of listeners) response.destroy();
    },
  };
}
