import { sandboxPath, stateDir } from '../account/paths.ts';
import { type Profile, storedOrBuiltIn } from '../account/profile.ts';
import { Secret } from '../base/secret.ts';
import type { Exchange, HttpResponse, World } from '../base/world.ts';
import { type Client, createClient } from '../client/client.ts';
import { validRequest } from '../client/request.ts';
import { type Sealing, sealedExchange } from '../client/sealing.ts';
import type { SendOptions } from '../client/transport.ts';
import { getPlatformPublicKey } from '../contract/endpoints/management.ts';
import type { Globals } from './globals.ts';

/** A way to the account: the network, or the sandbox in this process. */
interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

/**
 * Opens the connection a profile asks for. The sandbox is loaded only for an embedded profile. `watch` gets each answer as
 * it came, before it is opened.
 */
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
    // Below the trace, which so shows what was inside.
    exchange: sealedExchange(watched, sealingOf(world, profile)),
    target: { baseUrl: profile.baseUrl, apiKey },
    clock: world.clock,
    totalMs: globals.timeoutMs,
    interrupted: world.interrupted,
    ...trace,
  });
  return { client, close };
}

/** Makes one read as a profile, which may not be kept yet. Throws CliError. */
export async function tryAccount(world: World, profile: Profile, globals: Globals): Promise<void> {
  const { client, close } = await connect(world, profile, globals);
  await client.call(validRequest(getPlatformPublicKey, {})).finally(close);
}

/** How a profile seals; undefined for an account of the environment, which keeps no keys. */
export function sealingOf(world: World, profile: Profile): Sealing | undefined {
  const stored = storedOrBuiltIn(profile);
  if (!stored) return undefined;
  const { platformKey, requests } = stored.sealing ?? {};
  return {
    platformKeyHex: requests ? platformKey : undefined,
    privateKeys: async () => (await import('../account/sealing-keys.ts')).sealingKeysOf(stored, world),
  };
}

/** How requests reach an account, and as whom. */
interface Opened {
  readonly exchange: Exchange;
  readonly apiKey: Secret;
  close(): Promise<void>;
}

/** The way to an account, for who sends by other rules than a client's. */
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
