import type { Endpoint } from '../contract/endpoint.ts';
import { type createPathMatcher, VERSION_PREFIX } from '../contract/paths.ts';

type Addressed = Pick<Endpoint, 'id' | 'method' | 'path' | 'aliases' | 'area'>;

/** Paths of older documentation that the service no longer has. Source: public, client. */
const OLDER_PATHS: ReadonlyMap<string, string> = new Map([
  ['/getbankaccount', '/getbankaccounts'],
  ['/fintechrequestwithdrawal', '/feewithdrawal'],
  ['/verify-withdrawal', '/verifywithdrawal'],
  ['/cngnrampstatus', '/cngnonrampstatus'],
]);

/** A step that earlier versions of the service had. Source: public. */
const REMOVED = '/verifyotp';

/** Says which endpoint a request that matched none was probably meant for. */
export function nearbyEndpoint<E extends Addressed>(
  { matchesAt }: ReturnType<typeof createPathMatcher<E>>,
  path: string,
): string | undefined {
  const tidy = path
    .replace(/\/{2,}/g, '/')
    .replace(/^(\/v\d+)+(?=\/|$)/i, '')
    .replace(/(?!^)\/$/, '');
  const bare = tidy.toLowerCase();
  if (bare === REMOVED) return 'the service no longer has this step';
  const current = OLDER_PATHS.get(bare) ?? bare;
  // Ids in a path keep their case, so the spelling of the request comes first.
  for (const candidate of [path, VERSION_PREFIX + tidy, tidy, VERSION_PREFIX + current, current]) {
    const methods = matchesAt(candidate).map(({ spelling }) => spelling.method);
    if (methods.length > 0) return `the current path is ${[...new Set(methods)].join(' or ')} ${candidate}`;
  }
  return undefined;
}
