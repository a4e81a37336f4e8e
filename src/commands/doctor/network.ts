import { ExchangeError } from '../../base/exchange-error.ts';
import { isLoopback, type ProxyChoice, proxyFor } from '../../client/proxy.ts';
import { type Check, type Finding, looked, ok, problem, type Subject, skipped, warning } from './check.ts';

const CONNECTION = 'check the address with: fiatrail explain';

/** The way to the service, as far as it goes without a request. */
export async function networkChecks({ session: { world }, profile }: Subject): Promise<Check[]> {
  if (!profile || profile.mode === 'embedded') {
    const why = skipped(profile ? 'the sandbox is in this process' : 'it cannot be told which account is meant');
    return ['proxy', 'dns', 'tls'].map((check) => ({ check, ...why }));
  }
  const { baseUrl } = profile;
  const proxy = await looked(() => proxyFinding(baseUrl, proxyFor(baseUrl, world.env)), 'unset HTTPS_PROXY HTTP_PROXY');
  // The way that a broken proxy would have is not gone.
  const isProxied = proxy.state === 'problem' || proxyFor(baseUrl, world.env).kind === 'proxy';
  const [dns, tls] = await Promise.all([
    looked(
      () => (isProxied ? skipped('the proxy looks the host up') : dnsFinding(new URL(baseUrl), world)),
      CONNECTION,
    ),
    looked(() => (proxy.state === 'problem' ? skipped('see proxy') : tlsFinding(baseUrl, world)), CONNECTION),
  ]);
  return [
    { check: 'proxy', ...proxy },
    { check: 'dns', ...dns },
    { check: 'tls', ...tls },
  ];
}

function proxyFinding(baseUrl: string, choice: ProxyChoice): Finding {
  if (choice.kind === 'proxy') return ok(`${choice.url.host}, by ${choice.variable}`);
  if (choice.kind === 'excepted') return ok(`none: ${choice.entry} in ${choice.variable}`);
  return ok(isLoopback(new URL(baseUrl).hostname) ? 'none: the address is of this machine' : 'none');
}

type World = Subject['session']['world'];

async function dnsFinding({ hostname }: URL, world: World): Promise<Finding> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(hostname)) return skipped('the address is of this machine');
  try {
    const addresses = await (await world.probe()).lookUp(host);
    return ok(`${host} is ${addresses.slice(0, 3).join(', ')}`);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', `${host}: ${error.message}`, CONNECTION);
  }
}

const DAY_MS = 86_400_000;
/** Certificates are renewed well before: one that has so little left was forgotten. */
const FEW_DAYS = 14;

async function tlsFinding(baseUrl: string, world: World): Promise<Finding> {
  if (!baseUrl.startsWith('https:')) return skipped('http on this machine');
  try {
    const { distrust, validToMs, issuer } = await (await world.probe()).certificate(baseUrl);
    if (distrust !== undefined)
      return problem('network', `the certificate of ${issuer} is not trusted (${distrust})`, trustFix(distrust));
    if (validToMs === undefined) return ok('trusted');
    const days = Math.floor((validToMs - world.clock.now()) / DAY_MS);
    const detail = `trusted, of ${issuer}, ${days} days left`;
    return days < FEW_DAYS ? warning(detail, 'tell the service that its certificate ends') : ok(detail);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return problem('network', error.message, CONNECTION);
  }
}

function trustFix(code: string): string {
  if (/NOT_YET|EXPIRED/.test(code)) return 'set the clock of this machine; if it is right, tell the service';
  return 'export NODE_EXTRA_CA_CERTS=FILE, where the certificate is one of your own authority; else send nothing';
}
