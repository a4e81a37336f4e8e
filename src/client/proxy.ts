import { CliError } from '../base/errors.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NO_PROXY', 'no_proxy'] as const;

/** Requests to this machine never go through a proxy. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}

/** Returns the proxy variables as Node's agents take them. Throws CliError usage for an invalid proxy URL. */
export function proxyVariables(env: Environment): Readonly<Record<string, string>> {
  const found = VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  for (const [name, value] of found) if (!/^no_/i.test(name)) requireProxyUrl(name, value);
  return Object.fromEntries(found);
}

function requireProxyUrl(name: string, value: string): void {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return;
  throw new CliError('usage', `${name} is not a valid proxy URL`, {
    hint: 'set it to http://host:port, or unset it',
  });
}

/** How requests to a URL are routed. */
export type ProxyChoice =
  | { readonly kind: 'proxy'; readonly variable: string; readonly url: URL }
  /** `variable` contains the entry that bypasses the proxy. */
  | { readonly kind: 'excepted'; readonly variable: string; readonly entry: string }
  | { readonly kind: 'none' };

/**
 * Returns the proxy for a URL, for the network, the probe and `doctor` alike, by the rules of Node's agents: lower case wins.
 * Throws CliError usage for an invalid proxy URL.
 */
export function proxyFor(url: string, env: Environment): ProxyChoice {
  const proxies = proxyVariables(env);
  const { protocol, hostname, port } = new URL(url);
  if (isLoopback(hostname)) return { kind: 'none' };
  const first = (names: readonly string[]) => names.find((name) => proxies[name]);
  const variable = first(protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY']);
  if (variable === undefined) return { kind: 'none' };
  const exceptions = first(['no_proxy', 'NO_PROXY']);
  const entry = entriesOf(proxies[exceptions ?? '']).find((each) =>
    excepts(each, hostname, port || (protocol === 'https:' ? '443' : '80')),
  );
  return exceptions !== undefined && entry !== undefined
    ? { kind: 'excepted', variable: exceptions, entry }
    : { kind: 'proxy', variable, url: new URL(proxies[variable] ?? '') };
}

/** Returns the settings for Node's agent: only the chosen proxy, so that the agent makes no decision of its own. */
export function agentProxy(url: string, env: Environment): { readonly proxyEnv?: Record<string, string> } {
  const choice = proxyFor(url, env);
  if (choice.kind !== 'proxy') return {};
  return { proxyEnv: { [url.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY']: choice.url.href } };
}

const entriesOf = (list = '') =>
  list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');

function excepts(entry: string, host: string, port: string): boolean {
  if (entry === '*' || entry === host || entry === `${host}:${port}`) return true;
  if (entry.startsWith('*.')) return host.endsWith(entry.slice(1));
  if (entry.startsWith('.')) return host.endsWith(entry);
  const [from, to] = entry.split('-').map(addressNumber);
  const number = addressNumber(host);
  return from !== undefined && to !== undefined && number !== undefined && from <= number && number <= to;
}

/** Returns an IPv4 address as a number, or undefined for anything else. */
function addressNumber(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text.trim())?.slice(1).map(Number);
  return parts?.reduce((number, part) => number * 256 + part, 0);
}
