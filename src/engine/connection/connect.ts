import { sandboxPath, stateDir } from '../../account/paths.ts';
import { type Profile, serviceNameOf, storedOrBuiltIn } from '../../account/profile.ts';
import { readProfile, type StoredProfile } from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { CliError, ExchangeError, withDetails } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { Exchange, HttpResponse, World } from '../../base/world.ts';
import {
  type CallOptions,
  type Client,
  createClient,
  type EncryptionKeys,
  encryptedExchange,
  RESPONSE_NOT_DECRYPTED,
  type Reply,
} from '../../client/client.ts';
import { type ReadyRequest, validRequest } from '../../client/request.ts';
import type { SendOptions } from '../../client/transport.ts';
import type { Endpoint, ResponseOf } from '../../contract/endpoint.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { INBOX_URL } from '../../contract/sandbox.ts';
import { fingerprint } from '../../crypto/digest.ts';
import type { Sandbox } from '../../sandbox/app.ts';
import type { AccountOptions, Progress } from './notices.ts';

/** A connection to the account, over the network or to the sandbox in this process. */
export interface AccountConnection {
  readonly client: Client;
  /** Identifies the API key without revealing it. */
  keyFingerprint(): string;
  /**
   * Throws CliError unless the service still has the public key that requests are encrypted with: another one may be an impostor's.
   * Reads it once. Does nothing for an account that does not encrypt requests.
   */
  requirePlatformKey(): Promise<void>;
  /** Sends the events of the embedded sandbox that are due; undefined over the network, where the service delivers. */
  readonly deliverDue: ((signal: AbortSignal) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** Parsing a longer response would let V8's heap grow far beyond what it needs. */
const LONG_RESPONSE = 1024 * 1024;

/** Called for each request before it is encrypted and sent; the result takes the response before it is decrypted. */
type Watch = () => (answer: HttpResponse) => void;

type ConnectOptions = Pick<AccountOptions, 'agent' | 'verbose' | 'timeoutMs' | 'present'>;

/** Opens a profile's connection. The sandbox is loaded only for an embedded profile. */
export async function connect(
  world: World,
  profile: Profile,
  globals: ConnectOptions,
  progress: Pick<Progress, 'waits'>,
  watch: Watch = () => () => {},
): Promise<AccountConnection> {
  const { exchange, apiKey, deliverDue, close } = await openAccount(world, profile);
  const watched: Exchange = async (...given) => {
    const noteResponse = watch();
    const answer = await exchange(...given);
    if (answer.body.length > LONG_RESPONSE) world.steadyMemory();
    noteResponse(answer);
    return answer;
  };
  const { verbose, present } = globals;
  const trace: Pick<SendOptions, 'onExchange'> =
    verbose || present.mask
      ? (await import('./trace.ts')).traceTo(verbose ? world.stderr : undefined, present.mask)
      : {};
  const client = createClient({
    // Below the trace, which therefore shows decrypted content.
    exchange: encryptedExchange(watched, encryptionPolicyOf(world, profile)),
    target: { baseUrl: profile.baseUrl, apiKey, serviceName: serviceNameOf(profile, world.env), agent: globals.agent },
    clock: world.clock,
    totalMs: globals.timeoutMs,
    interrupted: world.interrupted,
    // A warning that cannot be written must not change what the command does.
    warn: (sentence) => void world.stderr.write(`warning: ${sentence}\n`).catch(() => {}),
    onWait: (waitMs) => void progress.waits(waitMs),
    ...trace,
  });
  let checked: Promise<void> | undefined;
  const requirePlatformKey = () => {
    checked ??= checkPlatformKey(client, profile);
    return checked;
  };
  return { client, keyFingerprint: () => fingerprint(apiKey), requirePlatformKey, deliverDue, close };
}

/** How an account sends, with what it says meanwhile. */
interface Sender {
  readonly notices: { readonly progress: Pick<Progress, 'answering'> };
  connection(endpoint: Endpoint): Promise<AccountConnection>;
}

/** Sends a request. What may not take long, such as a preview or a status, has a line of its own, or a prompt, in its place. */
export async function sendRequest<E extends Endpoint>(
  { notices: { progress }, connection }: Sender,
  request: ReadyRequest<E>,
  options: CallOptions,
): Promise<Reply<ResponseOf<E>>> {
  const { client } = await connection(request.endpoint);
  const call = () => client.call(request, options);
  return options.totalMs === undefined ? progress.answering(call) : call();
}

async function checkPlatformKey(client: Client, { stored }: Profile): Promise<void> {
  const { platformKey, requests } = stored?.encryption ?? {};
  if (!stored || !requests || platformKey === undefined) return;
  // Whoever replaces the key can also leave out the encrypt, so a plain answer is compared too.
  const reply = await client.call(validRequest(getPlatformPublicKey, {}), { takesPlain: true }).catch((error) => {
    if (!(error instanceof CliError)) throw error;
    // Someone who lost the private key must be able to store another one. Requests stay encrypted with the accepted key.
    if (error.code === RESPONSE_NOT_DECRYPTED) return undefined;
    throw withDetails(error, { message: `the service’s public key could not be checked: ${error.message}` });
  });
  if (reply && reply.data.publicKey?.toLowerCase() !== platformKey) throw platformKeyChanged(stored.name);
}

/** The error for a public key of the service that the user has not accepted. */
export function platformKeyChanged(profile: string): CliError {
  return new CliError(
    'declined',
    `the service’s public key is not the one that profile ${profile} accepted; nothing was sent`,
    {
      code: 'PLATFORM_KEY_CHANGED',
      hint: advice`ask the service for the fingerprint of its new key, then accept it with: [fiatrail keys platform accept --fingerprint FINGERPRINT]`,
    },
  );
}

interface Trying {
  readonly world: World;
  readonly globals: ConnectOptions;
  readonly notices: { readonly progress: Progress };
}

/** Makes one read with a profile, which need not be stored. Throws CliError. */
export async function tryAccount(
  { world, globals, notices: { progress } }: Trying,
  profile: Profile,
  watch?: Watch,
): Promise<void> {
  const { client, close } = await connect(world, profile, globals, progress, watch);
  await client.call(validRequest(getPlatformPublicKey, {})).finally(close);
}

/** The encryption keys of a profile; undefined for an account from the environment, which stores none. */
export function encryptionPolicyOf(world: World, profile: Profile): EncryptionKeys | undefined {
  const stored = storedOrBuiltIn(profile);
  if (!stored) return undefined;
  const { platformKey, requests } = stored.encryption ?? {};
  return {
    platformKeyHex: requests ? platformKey : undefined,
    isRequired: stored.encryptionPolicy === 'require',
    privateKeys: async () => {
      // The command that turns encryption on receives encrypted responses itself.
      const isOff = ({ encryptionPolicy = 'off' }: StoredProfile) => encryptionPolicy === 'off';
      const keys = await (await import('../../account/profile-secrets.ts')).encryptionKeysOf(stored, world);
      // A profile without a key says that it has none.
      return keys.length > 0 && isOff(stored) && isOff(readProfile(world, stored.name) ?? stored) ? undefined : keys;
    },
  };
}

/** An open account: its exchange and its key. */
interface OpenAccount {
  readonly exchange: Exchange;
  readonly apiKey: Secret;
  /** Sends the events of the embedded sandbox that are due. */
  readonly deliverDue?: (signal: AbortSignal) => Promise<void>;
  close(): Promise<void>;
}

/** Opens an account for callers that do not use a client. */
export function openAccount(world: World, profile: Profile): Promise<OpenAccount> {
  return profile.mode === 'embedded' ? openEmbedded(world) : overNetwork(world, profile);
}

async function overNetwork(world: World, { key, mode }: Profile): Promise<OpenAccount> {
  if (!key) throw new Error('a profile over the network has a key');
  if (mode === 'live') requireCertificateCheck(world.env);
  return { exchange: world.network, apiKey: await key.load(), close: async () => {} };
}

/** Throws CliError usage if Node would accept any certificate: anyone between could take a live key. */
function requireCertificateCheck(env: World['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new CliError(
    'usage',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off certificate checks, so a live key is not sent',
    {
      code: 'CERTIFICATES_UNCHECKED',
      hint: 'unset it; if your organization issued the certificate, export NODE_EXTRA_CA_CERTS=FILE',
    },
  );
}

async function openEmbedded(world: World): Promise<OpenAccount> {
  world.ensurePrivateDir(stateDir(world));
  const { openEmbeddedSandbox } = await import('../../sandbox/embedded.ts');
  const exchange: Exchange = async (request, signal) =>
    request.url === INBOX_URL
      ? (await import('./inbox.ts')).receiveFromSandbox(world, sandbox.webhookSecret(), request)
      : world.network(request, signal);
  const sandbox: Sandbox = await openEmbeddedSandbox(sandboxPath(world), world, exchange);
  return {
    deliverDue: sandbox.deliverDue,
    exchange: async (request, signal) => {
      const caller = { apiKey: request.headers['x-api-key'], address: '127.0.0.1' };
      const answer = await untilAborted(signal, () => sandbox.fetch(request, caller));
      // Over HTTP, the server adds its time.
      return { ...answer, headers: { ...answer.headers, ...sandbox.timeHeaders() } };
    },
    apiKey: new Secret(sandbox.apiKey()),
    close: () => sandbox.close(),
  };
}

/** Runs an exchange of the embedded sandbox, and stops waiting for it as the network would. Throws ExchangeError when the signal aborts. */
async function untilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  if (signal.aborted) throw new ExchangeError('the request was canceled', false);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new ExchangeError('the request was canceled', true));
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([run(), aborted.promise]);
  } finally {
    // The signal may outlive many requests.
    signal.removeEventListener('abort', abort);
  }
}
