import { ExchangeError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { isLoopback, type ProxyChoice, proxyFor } from '../../client/proxy.ts';
import { checked, type Finding, type NamedFinding, ok, problem, type Subject, skipped, warning } from './check.ts';

const CONNECTION = 'check the address with: fiatrail explain';

/** Checks the connection to the service without sending a request. */
export async function networkChecks({ account: { world, globals }, profile }: Subject): Promise<NamedFinding[]> {
  if (!profile || profile.mode === 'embedded') {
    const why = skipped(profile ? 'the embedded sandbox needs no network' : 'no profile could be resolved');
    return ['proxy', 'dns', 'tls'].map((check) => ({ check, ...why }));
  }
  const { baseUrl } = profile;
  const choice = () => proxyFor(baseUrl, world.env);
  const proxy = await checked('proxy', () => proxyFinding(baseUrl, choice()), 'unset HTTPS_PROXY HTTP_PROXY');
  // Do not connect past a broken proxy.
  const isBroken = proxy.state === 'problem';
  const isProxied = isBroken || choice().kind === 'proxy';
  const dns = () =>
    isProxied ? skipped('the proxy resolves the host') : dnsFinding(new URL(baseUrl), world, globals.timeoutMs);
  const tls = () => (isBroken ? skipped('see proxy') : tlsFinding(baseUrl, world, globals.timeoutMs));
  return [proxy, ...(await Promise.all([checked('dns', dns, CONNECTION), checked('tls', tls, CONNECTION)]))];
}

function proxyFinding(baseUrl: string, choice: ProxyChoice): Finding {
  if (choice.kind === 'proxy') return ok(`${choice.url.host}, from ${choice.variable}`);
  if (choice.kind === 'excepted') return ok(`none: excluded by ${choice.entry} in ${choice.variable}`);
  return ok(isLoopback(new URL(baseUrl).hostname) ? 'none: the address is on this machine' : 'none');
}

async function dnsFinding({ hostname }: URL, world: World, limitMs: number): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(hostname)) return skipped('the address is on this machine');
  try {
    const addresses = await (await world.probe()).lookUp(host, limitMs);
    return ok(`${host} resolves to ${addresses.slice(0, 3).join(', ')}`);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', `${host}: ${error.message}`, CONNECTION);
  }
}

const DAY_MS = 86_400_000;

/** Certificates are renewed well before this; one this close to expiry was probably forgotten. */
const FEW_DAYS = 14;

async function tlsFinding(baseUrl: string, world: World, limitMs: number): Promise<Finding> {
  if (!baseUrl.startsWith('https:')) return skipped('plain HTTP on this machine');
  try {
    const { distrust, validToMs, issuer } = await (await world.probe()).certificate(baseUrl, limitMs);
    if (distrust !== undefined)
      return problem('network', `the certificate issued by ${issuer} is not trusted (${distrust})`, trustFix(distrust));
    if (validToMs === undefined) return ok('trusted');
    const days = Math.floor((validToMs - world.clock.now()) / DAY_MS);
    const detail = `trusted, issued by ${issuer}, expires in ${days} days`;
    return days < FEW_DAYS ? warning(detail, 'tell the service that its certificate is about to expire') : ok(detail);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', error.message, CONNECTION);
  }
}

function trustFix(code: string): string {
  if (/NOT_YET|EXPIRED/.test(code)) return 'correct the system clock; if it is right, tell the service';
  return 'if your organization issued the certificate, export NODE_EXTRA_CA_CERTS=FILE; otherwise do not use this connection';
}
