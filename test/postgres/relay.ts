import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/built.ts';

/** What passes between clients and a server. */
interface Passing {
  /** Whether what a client sends is passed on. */
  sent(bytes: Buffer): boolean;
  /** Whether what the server answers is passed on. */
  answered(): boolean;
}

/** A relay to a server, under a URL of its own. */
interface Relay {
  readonly url: string;
  /** Ends all connections. */
  cut(): void;
}

/** Starts a relay to the server of a URL, until the test has finished. */
export async function startRelay(direct: string, { sent, answered }: Passing): Promise<Relay> {
  const folder = temporaryFolder(onTestFinished);
  const of = new URL(direct.replace('@/', '@socket/')).searchParams.get('host') ?? '';
  const sockets = new Set<Socket>();
  const listener = createServer((client) => {
    const upstream = connect(`${of}/.s.PGSQL.5432`);
    for (const each of [client, upstream]) sockets.add(each.on('error', () => {}));
    client.on('data', (bytes) => sent(bytes) && upstream.write(bytes)).on('close', () => upstream.destroy());
    upstream.on('data', (bytes) => answered() && client.write(bytes)).on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => listener.listen(join(folder, '.s.PGSQL.5432'), resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    listener.close();
  });
  return { url: direct.replace(of, folder), cut };
}
