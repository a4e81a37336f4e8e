import { describe, expect, test } from 'vitest';
import { agentProxy, proxyFor } from '../../src/client/proxy.ts';

const P = 'http://proxy.test:3128';

describe('proxyFor', () => {
  test.each([
    ['no variable', {}, 'none'],
    ['a proxy for https', { HTTPS_PROXY: P }, 'HTTPS_PROXY'],
    ['lower case before upper', { HTTPS_PROXY: P, https_proxy: P }, 'https_proxy'],
    ['a proxy for http only', { HTTP_PROXY: P }, 'none'],
    ['an exception by name', { HTTPS_PROXY: P, NO_PROXY: 'other, api.service.test' }, 'api.service.test in NO_PROXY'],
    [
      'an exception by name and port',
      { HTTPS_PROXY: P, NO_PROXY: 'api.service.test:443' },
      'api.service.test:443 in NO_PROXY',
    ],
    ['an exception for another port', { HTTPS_PROXY: P, NO_PROXY: 'api.service.test:8443' }, 'HTTPS_PROXY'],
    ['an exception by ending', { HTTPS_PROXY: P, NO_PROXY: '.service.test' }, '.service.test in NO_PROXY'],
    ['an exception by pattern', { HTTPS_PROXY: P, NO_PROXY: '*.service.test' }, '*.service.test in NO_PROXY'],
    ['an exception for all', { HTTPS_PROXY: P, no_proxy: '*' }, '* in no_proxy'],
    ['a similar ending', { HTTPS_PROXY: P, NO_PROXY: 'service.test' }, 'HTTPS_PROXY'],
  ])('%s', (_what, env, expected) => {
    const choice = proxyFor('https://api.service.test/v1', env);
    const words = { proxy: 'variable' in choice ? choice.variable : '', none: 'none' };
    expect(choice.kind === 'excepted' ? `${choice.entry} in ${choice.variable}` : words[choice.kind]).toBe(expected);
  });

  test.each([
    ['10.0.0.7', 'excepted'],
    ['10.0.1.7', 'proxy'],
    ['127.0.0.1', 'none'],
  ])('treats %s with a range as exception: %s', (host, kind) => {
    expect(proxyFor(`https://${host}/v1`, { HTTPS_PROXY: P, NO_PROXY: '10.0.0.1-10.0.0.255' }).kind).toBe(kind);
  });

  test('rejects an invalid URL without repeating it', () => {
    expect(() => proxyFor('https://service.test/v1', { HTTPS_PROXY: 'user:hunter2@proxy' })).toThrow(
      'HTTPS_PROXY is not a valid proxy URL',
    );
  });
});

describe('an agent gets', () => {
  const env = { HTTPS_PROXY: P, http_proxy: 'http://user:word@plain.test:1', NO_PROXY: 'api.service.test' };

  test.each([
    ['the proxy for https alone, and no exceptions', 'https://other.test/v1', { HTTPS_PROXY: `${P}/` }],
    [
      'the proxy for http, credentials included',
      'http://other.test/v1',
      { HTTP_PROXY: 'http://user:word@plain.test:1/' },
    ],
    ['no proxy for an exception', 'https://api.service.test/v1', undefined],
    ['no proxy for this machine', 'http://127.0.0.1:8787/v1', undefined],
  ])('%s', (_what, url, proxyEnv) => {
    expect(agentProxy(url, env).proxyEnv).toEqual(proxyEnv);
  });
});
