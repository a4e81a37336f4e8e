import { CliError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { ProgramEnd, World } from '../../base/world.ts';
import type { KeyringAnswer, KeyringRequest } from './keyring-helper.ts';
import { forgetKeyring, recallKeyring, rememberKeyring } from './keyring-memory.ts';
import type { SecretName, SecretStore } from './secret-store.ts';

export { forgetKeyring };

/** The first word by which bin/fiatrail.js knows that it is to ask the key store and do nothing else. */
const KEYRING_WORD = '__keyring';
/** Under 3 s with all that is around it. */
const LIMIT_MS = 2_800;

type Done = Extract<KeyringAnswer, { kind: 'done' }>;
type Problem = Exclude<KeyringAnswer, Done> | { readonly kind: 'late' };

/** What doctor finds: `ok`, or why the key store cannot be used. */
type KeyringState = 'ok' | Problem['kind'];

/** Keeps each secret in the key store of the system, under the service `fiatrail` and the user `<profile>/<name>`. */
export function createKeyringStore(world: World): SecretStore {
  const entry = (profile: string, name: SecretName) => ({ service: 'fiatrail', user: `${profile}/${name}` });
  return {
    kind: 'keyring',
    place: () => 'the key store of the system',
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

/** Writes, reads and removes something in the key store, whatever is remembered of it. Throws CliError interrupted. */
export async function probeKeyring(world: World): Promise<KeyringState> {
  const { kind } = await ask(world, { op: 'probe', service: 'fiatrail', user: `probe/${world.ids.uuid()}` });
  return kind === 'done' ? 'ok' : kind;
}

async function done(world: World, request: KeyringRequest): Promise<Done> {
  const answer = await ask(world, request);
  if (answer.kind !== 'done') throw errorOf(answer);
  return answer;
}

/** Asks in another process, which ends in time, and remembers what is not worth asking again. Throws CliError interrupted. */
async function ask(world: World, request: KeyringRequest): Promise<Done | Problem> {
  const end = await world.runProgram([...world.self, KEYRING_WORD], {
    input: JSON.stringify(request),
    timeoutMs: LIMIT_MS,
  });
  if (end.kind === 'late' && world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
  const answer = answerOf(end);
  if (answer.kind === 'absent' || answer.kind === 'no-store' || answer.kind === 'late')
    rememberKeyring(world, answer.kind);
  else if (answer.kind === 'done') forgetKeyring(world);
  return answer;
}

const KINDS: readonly string[] = ['done', 'absent', 'no-store', 'locked', 'denied', 'failed'];

function answerOf(end: ProgramEnd): Done | Problem {
  if (end.kind === 'late') return { kind: 'late' };
  try {
    const answer = JSON.parse(end.kind === 'ended' ? end.stdout : '');
    if (KINDS.includes(answer.kind)) return answer;
  } catch {
    // What it said is not repeated: half of it may be the secret.
  }
  return { kind: 'failed', why: 'the program that asks it ended without an answer' };
}

const FILE_INSTEAD = 'or keep the key in a file: fiatrail profiles add NAME --store file';

const ERRORS: Readonly<Record<Problem['kind'], readonly [code: string, message: string, hint: string]>> = {
  absent: [
    'KEYRING_ABSENT',
    'the optional package @napi-rs/keyring, which reaches the key store of the system, is not installed',
    `install fiatrail again without leaving out optional packages, ${FILE_INSTEAD}`,
  ],
  'no-store': [
    'KEYRING_ABSENT',
    'this session has no key store of the system that can be reached',
    `on Linux start one, such as gnome-keyring, in a session with D-Bus, ${FILE_INSTEAD}`,
  ],
  locked: ['KEYRING_LOCKED', 'the key store of the system is locked', `unlock it and try again, ${FILE_INSTEAD}`],
  denied: [
    'KEYRING_LOCKED',
    'the key store of the system was not unlocked, or denied access',
    `allow fiatrail when it asks, ${FILE_INSTEAD}`,
  ],
  late: [
    'KEYRING_TIMEOUT',
    `the key store of the system did not answer within ${LIMIT_MS / 1000} s`,
    `unlock it, then try again with fiatrail doctor, ${FILE_INSTEAD}`,
  ],
  failed: ['KEYRING_FAILED', 'the key store of the system failed', `look at it with its own program, ${FILE_INSTEAD}`],
};

/** `sinceMs`: it is not found out now but remembered since then. */
function errorOf(problem: Problem, sinceMs?: number): CliError {
  const [code, what, hint] = ERRORS[problem.kind];
  const message = problem.kind === 'failed' ? `${what}: ${problem.why}` : what;
  if (sinceMs === undefined) return new CliError('usage', message, { code, hint });
  const since = new Date(sinceMs).toISOString().slice(0, 16).replace('T', ' ');
  return new CliError('usage', `${message} (remembered since ${since} UTC, for an hour)`, {
    code,
    hint: `fiatrail doctor tries it again; ${hint}`,
  });
}
