import { sandboxPath } from '../../account/paths.ts';
import { type Profile, storedOrBuiltIn } from '../../account/profile.ts';
import { sealingKeysOf } from '../../account/sealing-keys.ts';
import { CliError } from '../../base/errors.ts';
import type { HttpResponse } from '../../base/world.ts';
import { accessOf, accessText } from '../../cli/allowlist.ts';
import { connect } from '../../cli/connect.ts';
import type { Client, Reply } from '../../client/client.ts';
import { validRequest } from '../../client/request.ts';
import type { ResponseOf } from '../../contract/endpoint.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { payloadIn } from '../../crypto/sealed-box.ts';
import { entryAt } from '../../files/inspect.ts';
import {
  type Check,
  type Finding,
  looked,
  ok,
  problem,
  problemOf,
  type Subject,
  skipped,
  typed,
  warning,
} from './check.ts';

/** For all tries of one read. */
const READ_MS = 10_000;

type Asked<E extends typeof getPlatformPublicKey | typeof ipAllowlist> =
  | { readonly data: ResponseOf<E> }
  | { readonly error: CliError };

/** What two reads brought. */
interface Answers {
  readonly read: Asked<typeof getPlatformPublicKey>;
  /** Undefined when nobody answered the first. */
  readonly access: Asked<typeof ipAllowlist> | undefined;
  /** The first answer as it came, and when. */
  readonly first: { readonly answer: HttpResponse; readonly atMs: number } | undefined;
}

const NAMES = ['reachability', 'clock', 'key accepted', 'allowlist', 'encryption'] as const;

/** What the account says, by reads alone. `isKeyThere`: nothing can be asked without one. */
export async function accountChecks(subject: Subject, isKeyThere: boolean): Promise<Check[]> {
  const { session, profile } = subject;
  const all = (why: string) => NAMES.map((check) => ({ check, ...skipped(why) }));
  if (!profile) return all('it cannot be told which account is meant');
  if (!isKeyThere) return all('see key');
  if (profile.mode === 'embedded' && !entryAt(sandboxPath(session.world)))
    return all('the sandbox is made on first use');
  const fix = typed(subject, 'status -v');
  try {
    const answers = await ask(subject, profile);
    const findings = [
      () => reachabilityFinding(answers, profile, fix),
      () =>
        profile.mode === 'embedded'
          ? skipped('the sandbox is in this process')
          : clockFinding(answers, session.world.platform),
      () => keyFinding(answers, fix),
      () => accessFinding(answers, subject),
      () => sealingFinding(answers, profile, subject),
    ];
    const found = await Promise.all(findings.map((look) => looked(look, fix)));
    return found.map((finding, index) => ({ check: NAMES[index] ?? '', ...finding }));
  } catch (error) {
    const [first, ...others] = NAMES;
    return [
      { check: first, ...problemOf(error, fix) },
      ...others.map((check) => ({ check, ...skipped(`see ${first}`) })),
    ];
  }
}

async function ask({ session: { world, globals } }: Subject, profile: Profile): Promise<Answers> {
  let first: Answers['first'];
  const timeoutMs = Math.min(globals.timeoutMs, READ_MS);
  const connection = await connect(world, profile, { ...globals, timeoutMs }, (answer) => {
    first ??= { answer, atMs: world.clock.now() };
  });
  const { client } = connection;
  try {
    const read = await asked(client.call(validRequest(getPlatformPublicKey, {})));
    return { read, access: first && (await asked(checked(client))), first };
  } finally {
    await connection.close();
  }
}

const checked = (client: Client) => client.call(validRequest(ipAllowlist, { action: 'check' }));

async function asked<D>(reply: Promise<Reply<D>>): Promise<{ readonly data: D } | { readonly error: CliError }> {
  try {
    return { data: (await reply).data };
  } catch (error) {
    if (!(error instanceof CliError) || error.category === 'interrupted') throw error;
    return { error };
  }
}

const NO_ANSWER = 'nobody answers';

function reachabilityFinding({ first, read }: Answers, { mode, baseUrl }: Profile, fix: string): Finding {
  if (first) return ok(mode === 'embedded' ? 'the sandbox of this machine answers' : `${baseUrl} answers`);
  return 'error' in read ? problemOf(read.error, fix) : problem('network', NO_ANSWER, fix);
}

const MINUTE_MS = 60_000;
/** Answers take a while, and their header has whole seconds. */
const SKEW_WARNING_MS = 30_000;
/** Webhooks that are older than this are refused. Source: interface. */
const SKEW_PROBLEM_MS = 5 * MINUTE_MS;

const SET_CLOCK: Readonly<Record<string, string>> = {
  linux: 'sudo timedatectl set-ntp true',
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
};

function clockFinding({ first }: Answers, platform: string): Finding {
  if (!first) return skipped(NO_ANSWER);
  const timeMs = timeIn(first.answer);
  if (timeMs === undefined) return skipped('the service does not say its time');
  const skewMs = first.atMs - timeMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const detail = `this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service`;
  const fix = SET_CLOCK[platform] ?? 'set the clock of this machine';
  if (Math.abs(skewMs) > SKEW_PROBLEM_MS)
    return problem('usage', `${detail}: webhooks are refused, whose time is compared with it`, fix);
  return Math.abs(skewMs) > SKEW_WARNING_MS ? warning(detail, fix) : ok('that of the service, within 30 s');
}

/** When an answer was made: its header says so, or its body. */
function timeIn({ headers, body }: HttpResponse): number | undefined {
  const texts = [headers['date'], /"timestamp":\s*"([^"]{10,40})"/.exec(body)?.[1]];
  return texts.map((text) => Date.parse(text ?? '')).find((timeMs) => !Number.isNaN(timeMs));
}

function keyFinding({ read, first }: Answers, fix: string): Finding {
  if (!first) return skipped(NO_ANSWER);
  if ('data' in read) return ok('a read went through');
  return isSealed(first) && read.error.category === 'network' ? skipped('see encryption') : problemOf(read.error, fix);
}

function accessFinding({ access }: Answers, subject: Subject): Finding {
  const add = typed(subject, 'ip add ADDRESS');
  if (!access) return skipped(NO_ANSWER);
  if ('error' in access) return problemOf(access.error, typed(subject, 'ip check'));
  const standing = accessOf(access.data);
  const text = accessText(standing);
  if (!standing.isAllowed) return problem('auth', text, add);
  return standing.total === 0 ? warning(text, add) : ok(text);
}

const isSealed = (first: Answers['first']) => first !== undefined && payloadIn(first.answer.body) !== undefined;

async function sealingFinding({ read, first }: Answers, profile: Profile, subject: Subject): Promise<Finding> {
  const { world } = subject.session;
  const stored = storedOrBuiltIn(profile);
  const { publicKey, platformKey } = stored?.sealing ?? {};
  const keys = stored ? (await sealingKeysOf(stored, world)).length : 0;
  const again = typed(subject, 'keys encryption enable');
  if (publicKey !== undefined && keys === 0)
    return problem(
      'usage',
      'answers are sealed to a key whose private half is not kept here',
      `${again} --private-key-stdin`,
    );
  if (!first) return skipped(NO_ANSWER);
  const kept = `${keys} private ${keys === 1 ? 'key' : 'keys'} kept`;
  if ('error' in read)
    return isSealed(first)
      ? problem('network', `${read.error.message}; ${kept}`, `${again} --private-key-stdin`)
      : skipped('see key accepted');
  if (platformKey !== undefined && read.data.publicKey?.toLowerCase() !== platformKey)
    return problem(
      'usage',
      'the public key of the service is another one than was accepted',
      typed(subject, 'keys platform --accept'),
    );
  if (publicKey === undefined) return ok('off: answers come plain');
  return isSealed(first)
    ? ok(`answers open; ${kept}`)
    : warning(`answers come plain, and a key is registered; ${kept}`, again);
}
