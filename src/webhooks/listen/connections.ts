import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type IpRange, isWithin, parseRange } from '../../contract/cidr.ts';

/** How many connections may be open: at all, and from one address that the listener waits for. */
export const CONNECTIONS = { most: 1_000, mostWaited: 100 };

interface Connection {
  readonly socket: Socket;
  /** The client's address; undefined while a trusted proxy has named none. */
  address: string | undefined;
  readonly isProxy: boolean;
  /** Whether the listener waits for it: for a request, or for the rest of one. */
  isWaited: boolean;
}

/** The connections of a listener. */
export interface Connections {
  /** Takes a new connection. Where there are too many, the one that the listener has waited for longest gives way. */
  open(socket: Socket): void;
  /** Notes that a request begins, and returns the client's address. */
  begin(request: IncomingMessage): string;
  /** Notes that a whole request has arrived, so that the listener answers it, or that it was answered. */
  set(request: IncomingMessage, isWaited: boolean): void;
}

/**
 * Keeps silent or slow senders from taking every connection. What a trusted proxy forwards counts for the address that it names; nobody else is
 * believed about an address.
 */
export function createConnections(
  trustedProxies: readonly IpRange[],
  { most, mostWaited }: typeof CONNECTIONS = CONNECTIONS,
): Connections {
  // In the order of how long they have been waited for.
  const all = new Map<string, Connection>();
  const isTrusted = (address: string) => {
    const range = trustedProxies.length > 0 ? parseRange(address) : undefined;
    return range !== undefined && trustedProxies.some((proxy) => isWithin(range, proxy));
  };
  const drop = (chosen: (one: Connection) => boolean) => {
    const oldest = [...all.values()].find((one) => one.isWaited && chosen(one));
    if (oldest) all.delete(keyOf(oldest.socket));
    oldest?.socket.destroy();
    return oldest !== undefined;
  };
  const limit = (address: string | undefined) => {
    if (address === undefined) return;
    const waited = [...all.values()].filter((one) => one.isWaited && one.address === address);
    if (waited.length > mostWaited) drop((one) => one.address === address);
  };
  /** The last address that no trusted proxy has: what stands before it is only what that client says. */
  const clientOf = ({ headers, socket: { remoteAddress = '' } }: IncomingMessage) => {
    if (!isTrusted(remoteAddress)) return remoteAddress;
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
    const hops = [...forwarded.map((hop) => hop.trim()).filter(Boolean), remoteAddress];
    return hops.findLast((hop) => !isTrusted(hop)) ?? remoteAddress;
  };
  return {
    open: (socket) => {
      const { remoteAddress = '' } = socket;
      const key = keyOf(socket);
      const isProxy = isTrusted(remoteAddress);
      const address = isProxy ? undefined : remoteAddress;
      if (all.size >= most && !drop(() => true)) return void socket.destroy();
      all.set(key, { socket, address, isProxy, isWaited: true });
      socket.once('close', () => all.get(key)?.socket === socket && all.delete(key));
      limit(address);
    },
    begin: (request) => {
      const client = clientOf(request);
      const connection = all.get(keyOf(request.socket));
      if (connection && connection.address !== client) {
        connection.address = client;
        limit(client);
      }
      return client;
    },
    set: (request, isWaited) => {
      // A request whose body nobody reads to its end loses its connection.
      const socket: Socket | null = request.socket;
      if (!socket) return;
      const key = keyOf(socket);
      const connection = all.get(key);
      if (!connection || connection.isWaited === isWaited) return;
      connection.isWaited = isWaited;
      // The next request on it may be another client's.
      if (isWaited && connection.isProxy) connection.address = undefined;
      all.delete(key);
      all.set(key, connection);
    },
  };
}

/** A TLS socket is another object than the connection below it. */
const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
