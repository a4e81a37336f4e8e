import { chosenProfile, type Profile } from '../../account/profile.ts';
import { readProfile, type StoredProfile } from '../../account/stored-profile.ts';
import { type Hint, withCommands } from '../../base/advice.ts';
import { CATEGORIES, type CliError, withDetails } from '../../base/errors.ts';
import { HIDDEN, SECRET_VARIABLES } from '../../base/secret.ts';
import type { OutputStream, World } from '../../base/world.ts';
import type { ErrorContext } from '../../present/error.ts';
import { hasColor, openPaint } from '../../present/style.ts';
import { type Group, usesProfile } from '../command.ts';
import { isOfAgent } from '../parse/agent.ts';
import { type CommandLine, isJsonFormat } from '../parse/program.ts';

/** A command line as far as it was understood before it failed. */
export type FailedRun = CommandLine & { readonly profile?: Profile };

/** Redacts secrets that an error repeats from the command line or the environment, because errors end up in logs. */
export async function withoutSecrets(
  error: CliError,
  argv: readonly string[],
  { env }: Pick<World, 'env'>,
): Promise<CliError> {
  const { redactText } = await import('../../contract/redact.ts');
  const variables = SECRET_VARIABLES.flatMap((name) => env[name]?.trim() ?? []);
  const secrets = variables.filter((text) => text.length > SHORT_WORD);
  // An error may repeat only part of a word.
  const isTyped = (text: string) => error.category === 'usage' && argv.some((word) => word.includes(text));
  const clean = (text: string) =>
    redactText(text, secrets).replace(ID_OR_SECRET, (found, id) => (!id && isTyped(found) ? HIDDEN : found));
  const hint = changedHint(error, clean);
  const stack = (error.cause as Error | undefined)?.stack;
  return withDetails(error, { message: clean(error.message), hint, cause: stack && clean(stack) });
}

/** Returns the hint of an error with its texts changed. A word of a command line that is not the same any more must be filled in. */
function changedHint({ hint, commands }: CliError, change: (text: string) => string): Hint | undefined {
  if (hint === undefined) return undefined;
  const changed = commands.map((words) =>
    words.map((word) => (change(word.text) === word.text ? word : { text: change(word.text), isNeeded: true })),
  );
  return withCommands(change(hint), changed);
}

function contextOf(run: FailedRun | undefined, { clock, host }: World): ErrorContext {
  const profile = run && usesProfile(run.command) ? run.profile : undefined;
  // The embedded sandbox has no address.
  const url = profile && profile.mode !== 'embedded' && URL.canParse(profile.baseUrl) && new URL(profile.baseUrl);
  return {
    at: new Date(clock.now()).toISOString(),
    command: run ? `fiatrail ${run.command.words.join(' ')}` : null,
    profile: profile?.name ?? null,
    host: host.name,
    baseUrl: url ? url.origin + url.pathname : null,
  };
}

/** An id or an address, which may happen to have 11 digits in a row. An id may follow a word: `quote_0198…`. */
const ID = /\b(?:0x)?[\da-fA-F]{32,}\b|(?<![\da-f])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/;
/** Secrets that may have been typed in the wrong place: a BVN or a sandbox key. */
const TYPED_SECRET = /(?<!\d)\d{11}(?!\d)|sandbox_[\w-]{6,}/;
const ID_OR_SECRET = new RegExp(`(${ID.source})|${TYPED_SECRET.source}`, 'g');
/** Shorter texts are not keys, and may be part of any sentence. */
const SHORT_WORD = 8;

/** What was known when a command failed. `isJson` is undefined if that was before the format was. */
interface FailedWith {
  readonly isJson: boolean | undefined;
  readonly run: FailedRun | undefined;
  readonly catalogue: readonly Group[];
}

/** Prints an error, and returns the exit code. */
export async function report(
  given: CliError,
  { isJson, run, catalogue }: FailedWith,
  argv: readonly string[],
  world: World,
): Promise<number> {
  const { causeText, errorJson, errorText } = await import('../../present/error.ts');
  const stderr = await shownTo(argv, world);
  const error = masked(await withoutSecrets(given, argv, world), stderr);
  const context = contextOf(run, world);
  // Whoever reads a log, such as cron's mail, did not see the command start.
  const isJob = !world.stderr.isTerminal;
  const text =
    (isJson ?? wantsJson(argv, world))
      ? errorJson(
          error,
          context,
          await (await import('./actions.ts')).actionsOf(
            error.commands,
            catalogue,
            run ? run.globals.agent : world.env['AI_AGENT'] || undefined,
          ),
        )
      : errorText(error, {
          context: isJob ? context : undefined,
          paint: await openPaint(hasColor(colorIn(argv), world.stderr, world.env)),
          width: world.stderr.isTerminal ? world.stderr.columns : undefined,
        });
  const trace = error.category === 'internal' && world.env['FIATRAIL_DEBUG'] ? causeText(error) : '';
  await stderr.write(text + trace).catch(() => {});
  return CATEGORIES[error.category].exit;
}

/** Returns where an error is printed: masked as what the command prints is, although the error may have come before that was known. */
async function shownTo(argv: readonly string[], world: World): Promise<OutputStream> {
  const { stderr } = world;
  const given = argv.findLast((word) => word === '--mask' || word === '--no-mask');
  const isMasked = given === undefined ? storedIn(argv, world)?.isMasked === true : given === '--mask';
  if (stderr.masking || !isMasked) return stderr;
  const { maskedStream, maskFor } = await import('../../present/masked.ts');
  const typed = argv.flatMap((word, at) => {
    const [, name, attached] = /^--([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    return name === undefined ? [] : [[name.replaceAll('-', '_'), attached ?? argv[at + 1]]];
  });
  return maskedStream(stderr, maskFor(world, Object.fromEntries(typed)));
}

/** Masks what an error says before it is wrapped. */
export function masked(error: CliError, { masking }: OutputStream): CliError {
  if (!masking) return error;
  return withDetails(error, {
    message: masking.text(error.message),
    hint: changedHint(error, (text) => masking.text(text)),
  });
}

/** Returns what the arguments say of color. They may be what the error is about. */
function colorIn(argv: readonly string[]): 'auto' | 'always' | 'never' {
  if (argv.includes('--no-color')) return 'never';
  const given = valueIn(argv, /^--color=(.*)$/, '--color');
  return given === 'always' || given === 'never' ? given : 'auto';
}

/** Whether an error that came before the profile was resolved is printed as JSON, judged by the arguments, the environment and the profile file. */
function wantsJson(argv: readonly string[], world: World): boolean {
  if (argv.includes('--json')) return true;
  const given = valueIn(argv, /^(?:-[a-z]*?o|--output=)(.*)$/, '--output');
  const set = given ?? (world.env['FIATRAIL_OUTPUT'] || storedIn(argv, world)?.output);
  return isJsonFormat(set ?? (isOfAgent(argv, world.env) ? 'json' : undefined));
}

/** Returns the last value of an option, written as `--name value` or as one word. */
function valueIn(argv: readonly string[], oneWord: RegExp, name: string): string | undefined {
  const given = argv.flatMap((text, index) => {
    const [, attached] = text === name ? ['', ''] : (oneWord.exec(text) ?? []);
    return attached === undefined ? [] : [attached || argv[index + 1]];
  });
  return given.at(-1);
}

/** Returns the stored profile that the arguments choose, or undefined if it cannot be read. */
function storedIn(argv: readonly string[], world: World): StoredProfile | undefined {
  try {
    return readProfile(world, chosenProfile(valueIn(argv, /^--profile=(.*)$/, '--profile'), world).name);
  } catch {
    // The error being reported already says what is wrong with the profile.
    return undefined;
  }
}
