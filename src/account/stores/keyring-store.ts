import { join } from 'node:path';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../files/private-file.ts';
import { stateDir } from '../paths.ts';
import type { KeyringAnswer, KeyringRequest } from './keyring-helper.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

export { forgetKeyring };

/** The first argument that makes bin/fiatrail.js run the keychain helper. */
const KEYRING_WORD = '__keyring';
/** Keeps the whole operation under 3 seconds. */
const LIMIT_MS = 2_800;

type Done = Extract<KeyringAnswer, { kind: 'done' }>;
type KeyringProblem = Exclude<KeyringAnswer, Done> | { readonly kind: 'late' };

/** `ok`, or why the keychain is unusable. */
type KeyringState = 'ok' | KeyringProblem['kind'];

/** Keeps each secret in the system keychain, under the service `fiatrail` and the user `<profile>/<name>`. */
export function createKeyringStore(world: World): SecretStore {
  const entry = (profile: string, name: SecretName) => ({ service: 'fiatrail', user: `${profile}/${name}` });
  return {
    kind: 'keyring',
    location: () => 'the system keychain',
    read: async (profile, name) => {
      const known = recallKeyring(world);
      if (known) throw errorOf({ kind: known.problem }, known.sinceMs);
      const { secret } = await done(world, { op: 'read', ...entry(profile, name) });
      return secret === undefined ? undefined : new Secret(secret);
    },
    write: async (profile, name, secret) => {
      await done(world, { op: 'write', ...entry(profile, name), secret: secret.reveal() });
    },
    remove: async (profile, name) => {
      await done(world, { op: 'remove', ...entry(profile, name) });
    },
  };
}

/** Writes, reads and removes a keychain entry, ignoring what is remembered. Throws CliError interrupted. */
export async function probeKeyring(world: World): Promise<KeyringState> {
  const { kind } = await ask(world, { op: 'probe', service: 'fiatrail', user: `probe/${world.ids.uuid()}` });
  return kind === 'done' ? 'ok' : kind;
}

async function done(world: World, request: KeyringRequest): Promise<Done> {
  const answer = await ask(world, request);
  if (answer.kind !== 'done') throw errorOf(answer);
  return answer;
}

/** Runs the helper process with a time limit and remembers lasting problems. Throws CliError interrupted. */
async function ask(world: World, request: KeyringRequest): Promise<Done | KeyringProblem> {
  const end = await world.runProgram([...world.self, KEYRING_WORD], {
    input: JSON.stringify(request),
    timeoutMs: LIMIT_MS,
  });
  if (end.kind === 'late' && world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
  const answer = parseAnswer(end);
  if (answer.kind === 'absent' || answer.kind === 'no-store' || answer.kind === 'late')
    rememberKeyring(world, answer.kind);
  else if (answer.kind === 'done') forgetKeyring(world);
  return answer;
}

const KINDS: readonly string[] = ['done', 'absent', 'no-store', 'locked', 'denied', 'failed'];

function parseAnswer(end: ProgramEnd): Done | KeyringProblem {
  if (end.kind === 'late') return { kind: 'late' };
  try {
    const answer = JSON.parse(end.kind === 'ended' ? end.stdout : '');
    if (KINDS.includes(answer.kind)) return answer;
  } catch {
    // The output is not repeated: it may contain part of the secret.
  }
  return { kind: 'failed', why: 'the helper process ended without an answer' };
}

const FILE_INSTEAD = advice`; or keep the key in a file with: [fiatrail profiles add NAME --store file]`;

const ERRORS: Readonly<Record<KeyringProblem['kind'], readonly [code: string, message: string, hint: Hint]>> = {
  absent: [
    'KEYRING_ABSENT',
    'the optional package @napi-rs/keyring, which gives access to the system keychain, is not installed',
    advice`install fiatrail with npm and its optional dependencies (the single binary cannot use the keychain), then run: [fiatrail doctor]${FILE_INSTEAD}`,
  ],
  'no-store': [
    'KEYRING_ABSENT',
    'this session has no reachable system keychain',
    advice`on Linux, start one such as gnome-keyring in a session with D-Bus, then run: [fiatrail doctor]${FILE_INSTEAD}`,
  ],
  locked: ['KEYRING_LOCKED', 'the system keychain is locked', advice`unlock it and try again${FILE_INSTEAD}`],
  denied: [
    'KEYRING_LOCKED',
    'the system keychain denied access or was not unlocked',
    advice`allow access when the keychain asks${FILE_INSTEAD}`,
  ],
  late: [
    'KEYRING_TIMEOUT',
    `the system keychain did not respond within ${LIMIT_MS / 1000} s`,
    advice`unlock it, then run: [fiatrail doctor]${FILE_INSTEAD}`,
  ],
  failed: ['KEYRING_FAILED', 'the system keychain failed', advice`check it with its own application${FILE_INSTEAD}`],
};

/** The error of a problem. `sinceMs` is set for a remembered problem: the time when it was detected. */
function errorOf(problem: KeyringProblem, sinceMs?: number): CliError {
  const [code, what, hint] = ERRORS[problem.kind];
  const message = problem.kind === 'failed' ? `${what}: ${problem.why}` : what;
  if (sinceMs === undefined) return new CliError('usage', message, { code, hint });
  const since = new Date(sinceMs).toISOString().slice(0, 16).replace('T', ' ');
  return new CliError('usage', `${message} (detected at ${since} UTC and remembered for one hour)`, { code, hint });
}

/** Problems that last, and that may take seconds to detect. */
const LASTING = ['absent', 'no-store', 'late'] as const;
type Lasting = (typeof LASTING)[number];

interface Remembered {
  readonly problem: Lasting;
  readonly sinceMs: number;
}

const MEMORY_MS = 3_600_000;

/** The login session: a cron job has none, and so no keychain, while the same user at a desktop has one. */
const sessionOf = ({ env }: World) => `${env['DBUS_SESSION_BUS_ADDRESS'] ?? ''} ${env['XDG_RUNTIME_DIR'] ?? ''}`;

/** The file that remembers that the keychain is unusable. */
const memoryPath = (world: World) => join(stateDir(world), 'keyring.json');

/** Returns why the keychain was unusable in this session within the last hour, if that is known. */
function recallKeyring(world: World): Remembered | undefined {
  try {
    const { problem, sinceMs, session } = JSON.parse(readPrivateFile(memoryPath(world)) ?? '{}');
    const ageMs = world.clock.now() - sinceMs;
    const isFresh = ageMs >= 0 && ageMs < MEMORY_MS && session === sessionOf(world);
    return isFresh && LASTING.includes(problem) ? { problem, sinceMs } : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the problem. A failed write only costs time. */
function rememberKeyring(world: World, problem: Lasting): void {
  const text = JSON.stringify({ problem, sinceMs: world.clock.now(), session: sessionOf(world) });
  try {
    writePrivateFile(memoryPath(world), `${text}\n`, world.ids.uuid());
  } catch {
    // The next command tries the keychain again.
  }
}

/** Makes the next command try the keychain again. */
function forgetKeyring(world: World): void {
  try {
    removePrivateFile(memoryPath(world));
  } catch {
    // The memory expires within the hour.
  }
}
