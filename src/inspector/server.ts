import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { hostInUrl } from '../contract/cidr.ts';
import { isJsonObject, parseExactJson } from '../money/decimal.ts';
import { type Connections, createConnections } from '../webhooks/listen/connections.ts';
import { withCopies } from './copies.ts';
import { createFeed, type Feed } from './feed.ts';
import { createGuard, type Guard } from './guard.ts';
import { LINKABLE } from './linkable.ts';
import { pageFiles } from './page-files.ts';
import { type InspectorSource, newestOf, type RowQuery } from './source.ts';

/** A browser opens a few connections for each page. */
const CONNECTIONS = { most: 100, mostWaited: 100 };

/** Of a list, no more is asked for at once. */
const MOST_ROWS = 500;
const MAX_BODY_BYTES = 64 * 1024;

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>fiatrail inspector</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<body><div id="page"><noscript>This page needs JavaScript.</noscript></div></body>
</html>
`;

interface InspectorOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
}

/** An inspector that listens. */
export interface Inspector {
  /** With a token that is worth a session once. */
  readonly url: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)),
});

const refused = ({ status, error }: { readonly status: number; readonly error: string }) => json(status, { error });

const NOT_FOUND = { status: 404, error: 'there is no such page' };

/** Serves the page of a source. Rejects with the listen error. */
export async function serveInspector(
  { clock, ids, meterLoad }: Pick<World, 'clock' | 'ids' | 'meterLoad'>,
  source: InspectorSource,
  { host, port }: InspectorOptions,
): Promise<Inspector> {
  // Known once it listens; nothing is asked before.
  const hosts = new Set<string>();
  const guard = createGuard(ids, hosts);
  const connections = createConnections([], CONNECTIONS);
  const feed = createFeed(clock, () => source.version(), meterLoad());
  const server = createServer({ requireHostHeader: false, maxHeaderSize: 16 * 1024 }, (request, response) => {
    connections.begin(request);
    // Only a POST has a body that is waited for.
    if (request.method !== 'POST') connections.set(request, false);
    response.once('close', () => connections.set(request, true));
    answer({ guard, source, feed, connections }, request, response).then(
      (answered) => answered && write(request, response, answered),
      (error) => write(request, response, json(error instanceof CliError ? 400 : 500, { error: textOf(error) })),
    );
  });
  server.on('connection', connections.open);
  server.requestTimeout = 30_000;
  await listen(server, host, port).catch((error) => {
    feed.close();
    throw error;
  });
  const { port: actual } = server.address() as AddressInfo;
  // The first look reads through everything there is, which is done by the time that someone has opened the page.
  Promise.resolve(source.documents['now']?.({})).catch(() => {});
  for (const name of ['127.0.0.1', 'localhost', '[::1]', hostInUrl(host)]) hosts.add(`${name}:${actual}`);
  return {
    url: `http://${hostInUrl(host)}:${actual}/#token=${guard.token}`,
    close: async () => {
      feed.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What went wrong inside is said without what it was about. */
const textOf = (error: unknown) => (error instanceof CliError ? error.message : 'the inspector could not answer');

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}

function write(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Answer): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, {
    ...HEADERS,
    'content-type': type ?? 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    // What was not read of a request must not become the next one.
    ...(request.complete ? {} : { connection: 'close' }),
    ...headers,
  });
  response.end(request.method === 'HEAD' ? '' : body);
}

interface Serving {
  readonly guard: Guard;
  readonly source: InspectorSource;
  readonly feed: Feed;
  readonly connections: Connections;
}

/** Answers a request; returns undefined for a streaming response. */
async function answer(
  serving: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const { guard, source, feed } = serving;
  const foreign = guard.foreign(request);
  if (foreign) return refused(foreign);
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (request.method === 'POST') return changed(serving, request, pathname);
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return refused({ status: 405, error: 'expected GET or POST' });
  // These say nothing about anyone.
  if (pathname === '/') return { status: 200, type: 'text/html; charset=utf-8', body: PAGE };
  if (pathname === '/page.js') return { status: 200, type: 'text/javascript; charset=utf-8', body: pageFiles.script };
  if (pathname === '/page.css') return { status: 200, type: 'text/css; charset=utf-8', body: pageFiles.style };
  const stranger = guard.stranger(request);
  if (stranger) return refused(stranger);
  if (pathname === '/api/feed') {
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    const lastEventId = request.headers['last-event-id'];
    if (!feed.add(response, typeof lastEventId === 'string' ? lastEventId : undefined)) response.destroy();
    return undefined;
  }
  return read(source, pathname, searchParams);
}

async function read(source: InspectorSource, pathname: string, query: URLSearchParams): Promise<Answer> {
  const [, api, what = '', name = '', id] = pathname.split('/').map(decoded);
  if (api !== 'api') return refused(NOT_FOUND);
  if (what === 'about') return json(200, aboutOf(source));
  if (what === 'find') return json(200, await source.find(query.get('text') ?? ''));
  const own = <T>(record: Readonly<Record<string, T>>) => (Object.hasOwn(record, name) ? record[name] : undefined);
  if (what === 'documents') {
    const document = own(source.documents);
    return document ? json(200, await document(askedIn(query))) : refused(NOT_FOUND);
  }
  const list = what === 'lists' || what === 'sums' ? own(source.lists) : undefined;
  if (!list) return refused(NOT_FOUND);
  if (what === 'sums') return json(200, (await list.sums?.(rowQueryOf(query))) ?? []);
  if (id === undefined) {
    const wanted = rowQueryOf(query);
    return json(200, await (query.get('from') === 'newest' ? newestOf(list, wanted) : list.page(wanted)));
  }
  const detail = await list.detail(id);
  return detail === undefined
    ? refused({ status: 404, error: 'this list does not have it, or no longer does' })
    : json(200, await withLinks(source, withCopies(name, detail), { list: name, id }));
}

/** A detail has many ids; no more of them are looked up. */
const MOST_LINKS = 60;

/** Adds where the ids in a detail lead, other than to itself. What leads nowhere is no link. */
async function withLinks(
  source: InspectorSource,
  detail: unknown,
  self: { readonly list: string; readonly id: string },
) {
  if (!isJsonObject(detail)) return detail;
  // An `id` is what the page itself links from; only texts are looked through for others.
  const text = JSON.stringify(detail, (name, each) =>
    name === 'id' ? undefined : typeof each === 'bigint' ? String(each) : each,
  );
  const texts = [...new Set(text.match(LINKABLE) ?? [])].slice(0, MOST_LINKS);
  const links = Object.entries(await source.linksOf(texts)).filter(
    ([, to]) => to.list !== self.list || to.id !== self.id,
  );
  return { ...detail, links: Object.fromEntries(links) };
}

const aboutOf = ({ title, zone, saved, lists, documents, actions, choices = {} }: InspectorSource) => ({
  title,
  zone,
  saved,
  lists: Object.keys(lists),
  kinds: Object.fromEntries(Object.entries(lists).map(([name, { kinds = [] }]) => [name, kinds])),
  filters: Object.fromEntries(Object.entries(lists).map(([name, { filters = [] }]) => [name, filters])),
  documents: Object.keys(documents),
  actions: Object.keys(actions),
  choices,
});

const askedIn = (query: URLSearchParams) =>
  Object.fromEntries([...query].map(([name, value]) => [name, value.slice(0, 200)]));

function rowQueryOf(query: URLSearchParams): RowQuery {
  const whole = (name: string, most: number) => {
    const value = Number(query.get(name) ?? 0);
    return Number.isSafeInteger(value) && value >= 0 ? Math.min(value, most) : 0;
  };
  const text = (name: string) => (query.get(name) ?? '').slice(0, 200);
  return {
    ...{ text: text('text'), state: text('state'), look: text('look'), since: text('since'), until: text('until') },
    ...{ user: text('user'), least: text('least'), most: text('most') },
    from: whole('from', Number.MAX_SAFE_INTEGER),
    limit: whole('limit', MOST_ROWS),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function changed(
  { guard, source, connections }: Serving,
  request: IncomingMessage,
  pathname: string,
): Promise<Answer> {
  const input = async () => {
    const read = await inputOf(request);
    connections.set(request, false);
    return read;
  };
  const crossSite = guard.crossSite(request);
  if (crossSite) return refused(crossSite);
  if (pathname === '/enter') {
    const cookie = guard.enter((await input())['token']);
    return cookie === undefined
      ? refused({ status: 401, error: 'this link has already been used, or is wrong' })
      : { ...json(200, {}), headers: { 'set-cookie': cookie } };
  }
  const stranger = guard.stranger(request);
  if (stranger) return refused(stranger);
  const name = /^\/api\/actions\/([\w-]+)$/.exec(pathname)?.[1] ?? '';
  const action = Object.hasOwn(source.actions, name) ? source.actions[name] : undefined;
  if (!action) return refused({ status: 404, error: 'nothing can be changed here' });
  return json(200, await action(await input()));
}

/** Reads the body. Throws CliError usage. */
async function inputOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new CliError('usage', `body: expected at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    const value = parseExactJson(Buffer.concat(chunks).toString('utf8'));
    if (isJsonObject(value)) return value;
  } catch {
    // Falls through to the error below.
  }
  throw new CliError('usage', 'body: expected one JSON object');
}
