import { type AddressInfo, connect, createServer } from 'node:net';
import type { AtEnd } from '../support/built.ts';

/** What stands between hosts and a service, and counts their requests by method and path. */
export interface Counting {
  readonly url: string;
  counts(): ReadonlyMap<string, number>;
}

/** The head of a request begins a packet. */
const HEAD = /^(?:GET|POST|PUT|DELETE) [^ ?]+/;

/** Passes on the bytes of connections to a service, which may be killed and come back, until the test has finished. */
export async function startCounting(base: string, atEnd: AtEnd): Promise<Counting> {
  const { hostname, port, pathname } = new URL(base);
  const counts = new Map<string, number>();
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    client.on('data', (bytes) => {
      const [head] = HEAD.exec(bytes.toString('latin1', 0, 200)) ?? [];
      if (head !== undefined) counts.set(head, (counts.get(head) ?? 0) + 1);
    });
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const)
      one
        .on('error', () => other.destroy())
        .on('close', () => other.destroy())
        .pipe(other);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}${pathname}`, counts: () => new Map(counts) };
}
