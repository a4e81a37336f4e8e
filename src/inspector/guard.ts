import type { IncomingMessage } from 'node:http';
import type { World } from '../base/world.ts';

/** Why a request is refused: the status, and what it says. */
interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly error: string;
}

/** Who may see the page. */
export interface Guard {
  /** To be put after the address; it is worth a session once. */
  readonly token: string;
  /** Refuses a page of another origin, and an address that a foreign name stands for (DNS rebinding). Checked before anything else. */
  foreign(request: IncomingMessage): Refusal | undefined;
  /** Refuses a request that may change something and does not say that it comes from the page itself. */
  crossSite(request: IncomingMessage): Refusal | undefined;
  /** Refuses whoever has no session of this inspector. */
  stranger(request: IncomingMessage): Refusal | undefined;
  /** Takes the token. Returns the cookie of a session; undefined for a wrong token, and for one that was used. */
  enter(token: unknown): string | undefined;
}

const random = (ids: World['ids'], length: number) => Buffer.from(ids.bytes(length)).toString('base64url');

/** `hosts` are what the server may be called, with its port. */
export function createGuard(ids: World['ids'], hosts: ReadonlySet<string>): Guard {
  const [token, session] = [random(ids, 32), random(ids, 32)];
  // All ports of a host share their cookies, so the name tells one inspector's from another's.
  const cookie = `fiatrail-inspector-${Buffer.from(ids.bytes(6)).toString('hex')}`;
  let isUsed = false;
  const isOwnOrigin = (origin: string) => origin.startsWith('http://') && hosts.has(origin.slice('http://'.length));
  return {
    token,
    foreign: ({ rawHeaders, headers: { origin } }) => {
      const sent = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
      if (sent.length !== 1 || !hosts.has(sent[0]?.toLowerCase() ?? ''))
        return { status: 403, error: 'Host: expected the address that the command printed' };
      if (origin !== undefined && !isOwnOrigin(origin))
        return { status: 403, error: 'Origin: pages of other origins may not ask' };
      return undefined;
    },
    crossSite: ({ headers: { origin } }) =>
      origin === undefined
        ? { status: 403, error: 'Origin: a request that changes something must have it' }
        : undefined,
    stranger: ({ headers }) => {
      const sent = (headers.cookie ?? '').split(/;\s*/).filter((each) => each.startsWith(`${cookie}=`));
      const isKnown = sent.length === 1 && isEqual(sent[0]?.slice(cookie.length + 1) ?? '', session);
      return isKnown ? undefined : { status: 401, error: 'open the address that the command printed' };
    },
    enter: (given) => {
      if (isUsed || typeof given !== 'string' || !isEqual(given, token)) return undefined;
      isUsed = true;
      return `${cookie}=${session}; Path=/; HttpOnly; SameSite=Strict`;
    },
  };
}

/** Compares two texts in a time that does not tell where they differ. */
function isEqual(a: string, b: string): boolean {
  let different = a.length ^ b.length;
  for (let at = 0; at < b.length; at++) different |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return different === 0;
}
