import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import {
  MAX_BODY_BYTES,
  MAX_BODY_BYTES_WITHOUT_KEY,
  MAX_RESTORE_BODY_BYTES,
  readIncoming,
} from '../../src/sandbox/serve.ts';
import { openSandbox } from '../support/sandbox.ts';

const CHUNK = Buffer.alloc(16 * 1024, ' ');

/** A request whose body arrives in chunks. */
function incomingOf(bytes: number, key: string | undefined, url: string): IncomingMessage {
  function* chunks() {
    for (let at = 0; at < bytes; at += CHUNK.length) yield CHUNK.subarray(0, Math.min(CHUNK.length, bytes - at));
  }
  const head = { method: 'POST', url, headers: {}, socket: { remoteAddress: '127.0.0.1' } };
  const rawHeaders = key === undefined ? [] : ['x-api-key', key];
  return Object.assign(Readable.from(chunks()), { ...head, rawHeaders }) as unknown as IncomingMessage;
}

const SERVICE = '/v1/getbankscode';
const RESTORE = '/_sandbox/restore';

describe('of a body', () => {
  test.each([
    ['without a key', 'none', SERVICE, MAX_BODY_BYTES_WITHOUT_KEY],
    ['with an unknown key', 'unknown', SERVICE, MAX_BODY_BYTES_WITHOUT_KEY],
    ['with an unknown key, at restore', 'unknown', RESTORE, MAX_BODY_BYTES_WITHOUT_KEY],
    ['with a revoked key', 'revoked', SERVICE, MAX_BODY_BYTES_WITHOUT_KEY],
    ['with a known key', 'known', SERVICE, MAX_BODY_BYTES],
    ['with a known key, at restore', 'known', RESTORE, MAX_RESTORE_BODY_BYTES],
    ['with a known key, at restore below the version', 'known', `/v1${RESTORE}`, MAX_BODY_BYTES],
  ])('%s, no more than its limit is kept', async (_what, which, url, limit) => {
    await using box = await openSandbox();
    await box.inside(({ store }) =>
      store.run(`INSERT INTO api_key (key, kind, fintech, created_at, revoked_at) VALUES ('r', 'sandbox', 1, 0, 1)`),
    );
    const key = { none: undefined, unknown: 'sandbox_wrong', revoked: 'r', known: box.apiKey }[which];
    const [within] = await readIncoming(incomingOf(limit, key, url), box.sandbox);
    expect({ length: within.body?.length, problem: within.bodyProblem }).toEqual({ length: limit, problem: undefined });
    const [beyond] = await readIncoming(incomingOf(limit + 1, key, url), box.sandbox);
    const problem = `body: expected at most ${limit} bytes`;
    expect({ length: beyond.body?.length, problem: beyond.bodyProblem }).toEqual({ length: 0, problem });
  });

  test.each([new Error('aborted'), undefined])('that ends midway (%s), nothing is kept', async (error) => {
    await using box = await openSandbox();
    const incoming = incomingOf(MAX_BODY_BYTES_WITHOUT_KEY, box.apiKey, SERVICE);
    const read = readIncoming(incoming, box.sandbox);
    incoming.once('data', () => incoming.destroy(error));
    await expect(read).rejects.toThrow(error?.message ?? 'the connection was lost');
  });

  test('whose key cannot be looked up, the request fails', async () => {
    await using box = await openSandbox();
    const broken = {
      ...box.sandbox,
      knowsKey: () => {
        throw new Error('the disk is gone');
      },
    };
    const read = readIncoming(incomingOf(MAX_BODY_BYTES_WITHOUT_KEY + 1, box.apiKey, SERVICE), broken);
    await expect(read).rejects.toThrow('the disk is gone');
  });
});
