import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/base/world.ts';
import { traceTo } from '../../src/engine/connection/trace.ts';
import { fakeWorld } from '../support/world.ts';

const KEY = 'a-key-nobody-may-see';

function traced(method: HttpRequest['method'], path: string, body: unknown, answer?: unknown): string {
  const { stderr } = fakeWorld();
  const request = {
    method,
    url: `https://service.test${path}`,
    headers: { 'x-api-key': KEY },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
  const response = answer === undefined ? undefined : { status: 200, headers: {}, body: JSON.stringify(answer) };
  traceTo(stderr).onExchange({ attempt: 1, request, ...(response ? { response } : {}) });
  return stderr.text();
}

describe('a trace', () => {
  test('redacts the secrets of a request', () => {
    expect(traced('POST', '/v1/onboarduser', { bvn: '22222222222' })).toBe(
      '> POST https://service.test/v1/onboarduser {"bvn":"[redacted]"}\n',
    );
  });

  test.each([
    ['PUT', '/v1/fx/orders/an-order'],
    ['DELETE', '/v1/fx/orders/an-order'],
  ] as const)('recognises the alias %s %s', (method, path) => {
    expect(traced(method, path, { status: 'paused' })).toContain('{"status":"paused"}');
  });

  test('redacts the secrets of a response', () => {
    expect(traced('GET', '/v1/regenerateapikey', undefined, { data: { apiKey: 'a-new-key' } })).toBe(
      '< HTTP 200 {"data":{"apiKey":"[redacted]"}}\n',
    );
  });

  test.each([
    ['/v1/other/onboarduser', 'ends with the path of an endpoint'],
    ['/other/v1/onboarduser', 'contains the path of an endpoint'],
    ['/onboarduser', 'lacks the version'],
    ['/v1/onboarduser/', 'has a trailing slash'],
    ['/v1/v1/onboarduser', 'has the version twice'],
    ['/v1/_sandbox/onboarduser', 'looks like a control'],
  ])('shows no body at %s, which %s', (path) => {
    const body = { note: 'words that no contract knows' };
    const size = JSON.stringify(body).length;
    expect(traced('POST', path, body)).toBe(`> POST https://service.test${path} (${size} characters)\n`);
    expect(traced('POST', path, undefined, body)).toBe(`< HTTP 200 (${size} characters)\n`);
  });
});
