import { useEffect, useState } from 'preact/hooks';

/** What the server says about its source. */
export interface About {
  readonly title: string;
  /** The time zone of all times on the page. */
  readonly zone: string;
  readonly saved?: { readonly at: string; readonly notice: string };
  readonly lists: readonly string[];
  /** By list. */
  readonly kinds: Readonly<Record<string, readonly string[]>>;
  /** The filters of each list besides its text and its states. */
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly documents: readonly string[];
  readonly actions: readonly string[];
  /** What documents can be asked for, by document and name. */
  readonly choices: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
}

/** What the server refused, and why. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answerOf(response: Response): Promise<unknown> {
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refused(response.status, (answer as { error?: string }).error ?? `HTTP ${response.status}`);
}

/** Asks the server. A browser says only that it could not fetch. */
const ask = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(path, init).catch(() => {
    throw new Error('The inspector cannot be reached. If its command has ended, run it again and open the new link.');
  });

export const get = async <T,>(path: string): Promise<T> => (await answerOf(await ask(path))) as T;

export const post = async (path: string, input: object): Promise<unknown> =>
  answerOf(await ask(path, { method: 'POST', body: JSON.stringify(input) }));

/** The newest word of the feed, and whether it is connected. It reconnects by itself, and says where it was. A page that nobody sees waits. */
export function useFeed(isOpen: boolean): {
  readonly version: string;
  readonly isLive: boolean;
  readonly isLost: boolean;
} {
  const [version, setVersion] = useState('');
  // Nothing is known of it before it has answered, or has not.
  const [isLive, setLive] = useState<boolean>();
  useEffect(() => {
    if (!isOpen) return undefined;
    const feed = new EventSource('/api/feed');
    feed.onopen = () => setLive(true);
    feed.onerror = () => setLive(false);
    let newest = '';
    const show = () => document.hidden || setVersion(newest);
    feed.onmessage = ({ lastEventId }) => {
      newest = lastEventId;
      show();
    };
    document.addEventListener('visibilitychange', show);
    return () => {
      feed.close();
      document.removeEventListener('visibilitychange', show);
    };
  }, [isOpen]);
  return { version, isLive: isLive === true, isLost: isLive === false };
}

/** Something that is read again with every new version. It stays while the next one is read. */
export function useRead<T>(
  path: string | undefined,
  version: string,
): { readonly value?: T; readonly problem?: string } {
  const [read, setRead] = useState<{ path?: string; value?: T; problem?: string }>({});
  useEffect(() => {
    let isWanted = path !== undefined;
    if (path !== undefined)
      get<T>(path).then(
        (value) => isWanted && setRead({ path, value }),
        (error: Error) => isWanted && setRead({ path, problem: error.message }),
      );
    return () => {
      isWanted = false;
    };
  }, [path, version]);
  return read.path === path ? read : {};
}
