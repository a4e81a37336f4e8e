import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type AtEnd, temporaryFolder } from './built.ts';

/** A pooler in transaction mode, as PgBouncer: each transaction gets the connection that was idle longest. */
export interface Pooler {
  /** The folder of its socket. */
  readonly folder: string;
  /** How many transactions each connection to the server had. */
  readonly transactions: readonly number[];
}

interface Backend {
  readonly socket: Socket;
  readonly index: number;
}

/** What PgBouncer accepts of a client that connects. It rejects anything else that is a setting of the session. */
const STARTUP = ['user', 'database', 'application_name', 'client_encoding'];

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5, type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const READY = message('Z', Buffer.from('I'));
const GREETING = Buffer.concat([
  message('R', number(0)),
  message('S', Buffer.from('server_version\x0015.0\0')),
  message('K', Buffer.concat([number(1), number(1)])),
  READY,
]);

/** Returns a function that takes bytes as they come, and passes on whole messages; the first may have no type. */
function messages(isFirstBare: boolean, onMessage: (type: string, whole: Buffer) => void) {
  let [rest, isBare] = [Buffer.alloc(0), isFirstBare];
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const start = isBare ? 0 : 1;
      if (rest.length < start + 4 || rest.length < rest.readInt32BE(start) + start) return;
      const end = rest.readInt32BE(start) + start;
      const [whole, type] = [rest.subarray(0, end), isBare ? '' : String.fromCharCode(rest[0] ?? 0)];
      [rest, isBare] = [rest.subarray(end), false];
      onMessage(type, whole);
    }
  };
}

function startupOf({ user, database }: { readonly user: string; readonly database: string }): Buffer {
  const body = Buffer.concat([number(196_608), Buffer.from(`user\0${user}\0database\0${database}\0\0`)]);
  return Buffer.concat([number(body.length + 4), body]);
}

/** Starts a pooler with two connections to the server at a socket. Its clients need no password. */
export async function startPooler(
  at: { readonly socketPath: string; readonly user: string; readonly database: string },
  atEnd: AtEnd,
): Promise<Pooler> {
  const transactions = [0, 0];
  const idle: Backend[] = [];
  const waiting: ((backend: Backend) => void)[] = [];
  const sockets = new Set<Socket>();
  const release = (backend: Backend) => {
    const next = waiting.shift();
    if (next) next(backend);
    else idle.push(backend);
  };
  const opened = transactions.map((_, index) => {
    const socket = connect(at.socketPath);
    sockets.add(socket);
    const backend = { socket, index };
    socket.write(startupOf(at));
    return new Promise<void>((resolve) => {
      const read = messages(false, (type) => {
        if (type !== 'Z') return;
        socket.off('data', read);
        release(backend);
        resolve();
      });
      socket.on('data', read);
    });
  });
  await Promise.all(opened);
  const serve = (client: Socket) => {
    sockets.add(client);
    let current: Backend | undefined;
    const queue: Buffer[] = [];
    const fromServer = messages(false, (type, whole) => {
      client.write(whole);
      if (type !== 'Z' || whole[5] !== READY[5] || !current) return;
      const backend = current;
      current = undefined;
      backend.socket.off('data', fromServer);
      release(backend);
    });
    const take = (backend: Backend) => {
      current = backend;
      transactions[backend.index] = (transactions[backend.index] ?? 0) + 1;
      backend.socket.on('data', fromServer);
      for (const each of queue.splice(0)) backend.socket.write(each);
    };
    const onMessage = (type: string, whole: Buffer) => {
      if (type === '') {
        const names = whole
          .subarray(8)
          .toString('utf8')
          .split('\0')
          .filter((_, place) => place % 2 === 0);
        const unknown = names.find((name) => name !== '' && !STARTUP.includes(name));
        const said = Buffer.from(`SERROR\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`);
        client.write(unknown === undefined ? GREETING : message('E', said));
      } else if (type !== 'X') {
        if (current) current.socket.write(whole);
        else if (queue.push(whole) === 1) {
          const free = idle.shift();
          if (free) take(free);
          else waiting.push(take);
        }
      }
    };
    client.on('data', messages(true, onMessage)).on('error', () => {});
  };
  const folder = temporaryFolder(atEnd);
  const server = createServer({ noDelay: true }, serve);
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { folder, transactions };
}
