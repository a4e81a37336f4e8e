import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AtEnd } from '../support/built.ts';

/** A response of the service, as the proxy got it. */
interface Response {
  readonly status: number;
  readonly body: Buffer;
}

/** What the proxy answers to the start of a payout. `earlier` is the response to the one before, if there was one. */
type Answering = (response: Response, earlier: Response | undefined) => Promise<readonly Response[]>;

/** A service between a command and a sandbox, which may be away, and may answer in other ways. */
export interface Between {
  readonly url: string;
  answers: Answering;
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
}

/** What starts a payout. */
const START = '/initiateofframp';

const faithful: Answering = async (response) => [response];

const write = (to: ServerResponse, { status, body }: Response) =>
  new Promise<void>((resolve) => {
    to.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
    to.end(body, resolve);
  });

/** One more response on the connection, to which nothing asked. */
const writeAgain = (to: ServerResponse, { body }: Response) =>
  void to.socket?.write(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`),
      body,
    ]),
  );

function forwarded(base: string, { method, url, headers }: IncomingMessage, sent: Buffer) {
  return new Promise<Response>((resolve, reject) => {
    const outgoing = request(new URL(url ?? '', base), {
      method: method ?? 'GET',
      headers: { ...headers, host: new URL(base).host, connection: 'close' },
    });
    outgoing.on('error', reject).on('response', async (incoming) => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      resolve({ status: incoming.statusCode ?? 500, body: Buffer.concat(parts) });
    });
    outgoing.end(sent);
  });
}

/** Starts a proxy of a service until the test has finished. */
export async function startProxy(base: string, atEnd: AtEnd): Promise<Between> {
  let earlier: Response | undefined;
  const server = createServer(async (incoming, outgoing) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const response = await forwarded(base, incoming, Buffer.concat(parts));
    if (!incoming.url?.endsWith(START)) return write(outgoing, response);
    const [first = response, ...others] = await proxy.answers(response, earlier);
    earlier = response;
    await write(outgoing, first);
    for (const other of others) writeAgain(outgoing, other);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const goAway = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const { pathname } = new URL(base);
  const proxy: Between = {
    url: `http://127.0.0.1:${port}${pathname}`,
    answers: faithful,
    goAway,
    comeBack: () => listen(port),
  };
  atEnd(goAway);
  return proxy;
}
