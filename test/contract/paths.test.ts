import { describe, expect, test } from 'vitest';
import { controls } from '../../src/contract/control.ts';
import { type Endpoint, pathParameters } from '../../src/contract/endpoint.ts';
import { endpoints } from '../../src/contract/endpoints/index.ts';
import { createPathMatcher } from '../../src/contract/paths.ts';

const all: readonly Endpoint[] = [...endpoints, ...controls];
const paths = createPathMatcher(all);
const found = (method: string, path: string) => {
  const match = paths.match(method, path);
  return match && { id: match.endpoint.id, spelling: match.spelling.path, parameters: match.parameters };
};

describe('a path', () => {
  const spellings = all.flatMap((endpoint) =>
    [endpoint, ...(endpoint.aliases ?? [])].map(({ method, path }) => ({
      method,
      path,
      id: endpoint.id,
      prefix: endpoint.area === 'control' ? '' : '/v1',
    })),
  );

  test.each(spellings)('$method $path finds its endpoint', ({ method, path, id, prefix }) => {
    const names = pathParameters(path);
    const filled = names.reduce((so, name) => so.replace(`:${name}`, `a-${name}`), prefix + path);
    const parameters = Object.fromEntries(names.map((name) => [name, `a-${name}`]));
    expect(found(method, filled)).toEqual({ id, spelling: path, parameters });
  });

  test('returns its parameters as written, even empty or encoded', () => {
    expect(found('GET', '/v1/balance/user/a%2Fb')?.parameters).toEqual({ userId: 'a%2Fb' });
    expect(found('GET', '/v1/balance/user/')?.parameters).toEqual({ userId: '' });
  });

  test.each([
    ['GET', '/getfees'],
    ['GET', '/v1/other/getfees'],
    ['GET', '/v1/getfees/'],
    ['GET', '/v1/getfeesx'],
    ['POST', '/v1/getfees'],
    ['GET', '/v1/balance/user'],
    ['GET', '/v1/balance/user/a/b'],
    ['GET', '/v1/_sandbox/clock'],
  ])('%s %s finds nothing', (method, path) => {
    expect(found(method, path)).toBeUndefined();
  });

  test('with a literal segment takes precedence over a parameter', () => {
    const shape = { request: all[0]?.request, response: all[0]?.response };
    const make = (id: string, path: string) => ({ ...all[0], ...shape, id, method: 'GET', path }) as Endpoint;
    const { matchesAt, match } = createPathMatcher([
      make('any', '/a/:x/:y'),
      make('one', '/a/b/:y'),
      make('own', '/a/b/c'),
    ]);
    expect(matchesAt('/v1/a/b/c').map(({ endpoint }) => endpoint.id)).toEqual(['own', 'one', 'any']);
    expect(match('GET', '/v1/a/b/d')).toMatchObject({ endpoint: { id: 'one' }, parameters: { y: 'd' } });
  });

  test('lists the endpoints of other methods', () => {
    expect(paths.matchesAt('/v1/getfees').map(({ spelling }) => spelling.method)).toEqual(['GET']);
  });
});
