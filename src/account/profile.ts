import { CliError } from '../exit.ts';
import { Secret } from '../secret.ts';

export type Mode = 'embedded' | 'sandbox' | 'live';

/** The account a command speaks to. */
export interface Profile {
  readonly name: string;
  readonly mode: Mode;
  /** Without a slash at its end; for an embedded sandbox an address that no network has. */
  readonly baseUrl: string;
  /** The embedded sandbox knows its own key. */
  readonly apiKey: Secret | undefined;
}

const EMBEDDED: Profile = {
  name: 'sandbox',
  mode: 'embedded',
  baseUrl: 'http://sandbox.invalid/v1',
  apiKey: undefined,
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Which profile a command uses: flag, environment, default. Throws CliError usage. */
export function resolveProfile(flag: string | undefined, env: Environment): Profile {
  const { FIATRAIL_BASE_URL: baseUrl, FIATRAIL_API_KEY: apiKey } = env;
  const named = flag ?? (env['FIATRAIL_PROFILE'] || undefined);
  if (named !== undefined && named !== EMBEDDED.name) {
    throw new CliError('usage', `there is no profile "${named.slice(0, 60)}"`, {
      hint: 'the profile sandbox is always there; for a served account set FIATRAIL_BASE_URL and FIATRAIL_API_KEY',
    });
  }
  if (flag !== undefined) return EMBEDDED;
  if (named !== undefined && (baseUrl || apiKey)) {
    throw new CliError(
      'usage',
      'FIATRAIL_PROFILE names the embedded sandbox and FIATRAIL_BASE_URL or FIATRAIL_API_KEY another account',
      {
        hint: 'unset FIATRAIL_PROFILE, or the other two',
      },
    );
  }
  if (baseUrl && apiKey) return fromEnvironment(baseUrl, apiKey);
  if (baseUrl || apiKey) {
    const [there, missing] = baseUrl
      ? ['FIATRAIL_BASE_URL', 'FIATRAIL_API_KEY']
      : ['FIATRAIL_API_KEY', 'FIATRAIL_BASE_URL'];
    throw new CliError('usage', `${there} is set and ${missing} is not`, {
      hint: `set ${missing} too, or unset ${there} to use the embedded sandbox`,
    });
  }
  return EMBEDDED;
}

function fromEnvironment(baseUrl: string, apiKey: string): Profile {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new CliError('usage', 'FIATRAIL_API_KEY holds blanks or characters that no key has', {
      hint: 'copy the key again, without quotes or line ends',
    });
  }
  return {
    name: 'environment',
    mode: apiKey.startsWith('sandbox_') ? 'sandbox' : 'live',
    baseUrl: safeBaseUrl(baseUrl),
    apiKey: new Secret(apiKey),
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A base URL to which a key may be sent: https, or http on this machine. Throws CliError usage. */
export function safeBaseUrl(text: string): string {
  const refuse = (why: string) =>
    new CliError('usage', `the base URL ${why}`, {
      hint: 'write it as https://host/v1, or http://127.0.0.1:PORT/v1 for a sandbox on this machine',
    });
  if (!URL.canParse(text)) throw refuse('is no URL');
  const url = new URL(text);
  if (url.username || url.password) throw refuse('holds a user name or password');
  if (url.search || url.hash) throw refuse('has a query or a fragment');
  const isLocal = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) throw refuse('is not https, so the key would travel in clear');
  return url.origin + url.pathname.replace(/\/+$/, '');
}
