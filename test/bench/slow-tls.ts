/**
 * A server at a distance: passes requests on to a sandbox, over TLS and a line that takes half of LATENCY_MS each way. Counts the requests and
 * their connections, which it prints at its second URL, and starts again. Usage: slow-tls.ts SANDBOX LATENCY_MS KEY CERT. Prints one line
 * {"url", "counts"} when it is ready.
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttp, request } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server, type Socket } from 'node:net';

const [sandbox = '', latency = '', key = '', cert = ''] = process.argv.slice(2);
const target = new URL(sandbox);

let requests = 0;
let connections = 0;
const service = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (incoming, response) => {
  requests += 1;
  const { method, headers, url } = incoming;
  const passed = request(target.origin + url, { method, headers: { ...headers, host: target.host } }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  incoming.pipe(passed);
});

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(portOf(server)));
  });

/** Passes on what arrives, some time later. */
function delay(from: Socket, to: Socket): void {
  const later = (work: () => void) => setTimeout(work, Number(latency) / 2);
  from.on('data', (chunk) => later(() => to.writable && to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
}

const servicePort = await listening(service);
const line = createTcp({ allowHalfOpen: true }, (client) => {
  connections += 1;
  const server = connect({ port: servicePort, host: '127.0.0.1', allowHalfOpen: true });
  delay(client, server);
  delay(server, client);
});
const counter = createHttp((_request, response) => {
  response.end(JSON.stringify({ requests, connections }));
  requests = 0;
  connections = 0;
});
const [linePort, countPort] = [await listening(line), await listening(counter)];
process.stdout.write(
  `${JSON.stringify({ url: `https://localhost:${linePort}/v1`, counts: `http://127.0.0.1:${countPort}` })}\n`,
);
