import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { directory } from '../contract/directory.ts';
import type { Sandbox } from './app.ts';
import type { UnverifiedCaller } from './guard.ts';
import { MAX_BODY_BYTES, MAX_BODY_BYTES_WITHOUT_KEY, MAX_RESTORE_BODY_BYTES } from './limits.ts';
import { splitUrl } from './router.ts';
import type { Received } from './sealed.ts';

/** Reads a request of node:http. Rejects if the connection is lost before its end. */
export async function readIncoming(incoming: IncomingMessage, sandbox: Sandbox): Promise<[Received, UnverifiedCaller]> {
  const caller = { ...keyOf(incoming), address: incoming.socket.remoteAddress ?? '' };
  const { method = 'GET', url = '/', headers } = incoming;
  const about = {
    ...(headers['content-type'] === undefined ? {} : { 'content-type': headers['content-type'] }),
    ...(headers['content-encoding'] === undefined ? {} : { 'content-encoding': headers['content-encoding'] }),
  };
  const body = method === 'GET' ? { body: '' } : await readBody(incoming, () => limitFor(incoming, caller, sandbox));
  return [{ method, url, headers: about, ...body }, caller];
}

/** Returns the API key. The header name must be lower case on the wire. Source: interface. */
function keyOf({ rawHeaders }: IncomingMessage): Pick<UnverifiedCaller, 'apiKey' | 'isKeyRepeated'> {
  let apiKey: string | undefined;
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    // Servers that pass headers on as variables read an underscore as a hyphen.
    if (name.length !== KEY_HEADER.length || name.toLowerCase().replaceAll('_', '-') !== KEY_HEADER) continue;
    count += 1;
    if (name === KEY_HEADER) apiKey = rawHeaders[at + 1];
  }
  return { apiKey, isKeyRepeated: count > 1 };
}

const KEY_HEADER = 'x-api-key';

function limitFor({ method, url = '/' }: IncomingMessage, { apiKey }: UnverifiedCaller, sandbox: Sandbox): number {
  if (apiKey === undefined || !sandbox.knowsKey(apiKey)) return MAX_BODY_BYTES_WITHOUT_KEY;
  const { pathname } = splitUrl(url);
  const isRestore = directory.some(
    (each) => each.id === 'sandbox.restore' && each.method === method && each.path === pathname,
  );
  return isRestore ? MAX_RESTORE_BODY_BYTES : MAX_BODY_BYTES;
}

type Body = Pick<Received, 'body' | 'bodyProblem'>;

/**
 * Reads the body. The limit is looked up only for a body that is longer than a request without a key may have. With events
 * rather than an iterator, which would cost a short body more than the rest of its reading.
 */
function readBody(incoming: IncomingMessage, findLimit: () => number): Promise<Body> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let limit = MAX_BODY_BYTES_WITHOUT_KEY;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > limit && limit === MAX_BODY_BYTES_WITHOUT_KEY) limit = findLimit();
      } catch (error) {
        reject(error);
      }
      // Reads the rest without keeping it: some clients lose a response sent before the end of the request.
      if (size > limit) chunks.length = 0;
      else chunks.push(chunk);
    });
    incoming.once('end', () => resolve(bodyOf(chunks, size, limit)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the connection was lost before the end of the request')));
  });
}

function bodyOf(chunks: readonly Buffer[], size: number, limit: number): Body {
  if (size > limit) return { body: '', bodyProblem: `body: expected at most ${limit} bytes` };
  const [first] = chunks;
  const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
  if (!isUtf8(bytes)) return { body: '', bodyProblem: 'body: expected UTF-8' };
  return { body: bytes.toString('utf8') };
}
