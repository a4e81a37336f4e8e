import { sandboxPath, stateDir } from '../account/paths.ts';
import { type Profile, storedOrBuiltIn } from '../account/profile.ts';
import { serviceNameOf } from '../account/service-name.ts';
import { Secret } from '../base/secret.ts';
import type { Exchange, HttpResponse, World } from '../base/world.ts';
import { type Client, createClient } from '../client/client.ts';
import { validRequest } from '../client/request.ts';
import { type Sealing, sealedExchange } from '../client/sealing.ts';
import type { SendOptions } from '../client/transport.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import { fingerprint } from '../crypto/fingerprint.ts';
import type { Globals } from './globals.ts';

/** A connection to the account, over the network or to the sandbox in this process. */
interface Connection {
  readonly client: Client;
  /** Identifies the API key without revealing it. */
  readonly keyFingerprint: string;
  close(): Promise<void>;
}

/** Opens a profile's connection. The sandbox is loaded only for an embedded profile. `watch` receives each response before it is unsealed. */
export async function connect(
  world: World,
  profile: Profile,
  globals: Globals,
  watch: (answer: HttpResponse) => void = () => {},
): Promise<Connection> {
  const { exchange, apiKey, close } = await openAccount(world, profile);
  const watched: Exchange = async (...given) => {
    const answer = await exchange(...given);
    watch(answer);
    return answer;
  };
  const trace: Pick<SendOptions, 'onExchange'> = globals.verbose
    ? (await import('./trace.ts')).traceTo(world.stderr)
    : {};
  const client = createClient({
    // Below the trace, which therefore shows unsealed content.
    exchange: sealedExchange(watched, sealingOf(world, profile)),
    target: { baseUrl: profile.baseUrl, apiKey, serviceName: serviceNameOf(profile, world.env) },
    clock: world.clock,
    totalMs: globals.timeoutMs,
    interrupted: world.interrupted,
    ...trace,
  });
  return { client, keyFingerprint: fingerprint(apiKey), close };
}

/** Makes one read with a profile, which need not be stored. Throws CliError. */
export async function tryAccount(world: World, profile: Profile, globals: Globals): Promise<void> {
  const { client, close } = await connect(world, profile, globals);
  await client.call(validRequest(getPlatformPublicKey, {})).finally(close);
}

/** The sealing keys of a profile; undefined for an account from the environment, which stores none. */
export function sealingOf(world: World, profile: Profile): Sealing | undefined {
  const stored = storedOrBuiltIn(profile);
  if (!stored) return undefined;
  const { platformKey, requests } = stored.sealing ?? {};
  return {
    platformKeyHex: requests ? platformKey : undefined,
    privateKeys: async () => (await import('../account/sealing-keys.ts')).sealingKeysOf(stored, world),
  };
}

/** An open account: its exchange and its key. */
interface Opened {
  readonly exchange: Exchange;
  readonly apiKey: Secret;
  close(): Promise<void>;
}

/** Opens an account for callers that do not use a client. */
export function openAccount(world: World, profile: Profile): Promise<Opened> {
  return profile.mode === 'embedded' ? openEmbedded(world) : overNetwork(world, profile);
}

async function overNetwork(world: World, { key }: Profile): Promise<Opened> {
  if (!key) throw new Error('a profile over the network has a key');
  return { exchange: world.network, apiKey: await key.load(), close: async () => {} };
}

async function openEmbedded(world: World): Promise<Opened> {
  world.ensurePrivateDir(stateDir(world));
  const { openEmbeddedSandbox } = await import('../sandbox/embedded.ts');
  const sandbox = await openEmbeddedSandbox(sandboxPath(world), world);
  return {
    exchange: (request) => sandbox.fetch(request, { apiKey: request.headers['x-api-key'], address: '127.0.0.1' }),
    apiKey: new Secret(sandbox.apiKey()),
    close: () => sandbox.close(),
  };
}
