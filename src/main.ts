import { LOCK_PROCESS, ROTATION_PROCESS, unfinishedRotations } from './account/paths.ts';
import { builtInProfile, chosenProfile, modeInFull, type Profile, resolveProfile } from './account/profile.ts';
import { CliError, StepBack } from './base/errors.ts';
import type { World } from './base/world.ts';
import { DEFAULT_ZONE, zoneNamed } from './base/zone.ts';
import { CATALOGUE } from './commands/catalogue.ts';
import { type Account, abandonedError, type Changed } from './engine/account.ts';
import { AlreadyDone, LostRequest } from './engine/guard.ts';
import type { Outcome } from './engine/outcome.ts';
import type { Plan } from './engine/plans/plan.ts';
import { DryRun } from './engine/requests.ts';
import { type Column, FORMATS, type PresentOptions, type Result } from './present/result.ts';
import { type CommandInput, commandLineOf, inputName, readInput, withInputNames } from './terminal/ask/input.ts';
import type { Command } from './terminal/command.ts';
import { type CommandLine, isJsonFormat, parse } from './terminal/parse/program.ts';
import { createDialog } from './terminal/show/progress.ts';
import type { FailedRun } from './terminal/show/report.ts';
import { consenting, goingBack, openTerminal, type Runs, retry, type Terminal } from './terminal/terminal.ts';

/** Runs a command line and returns its exit code. */
export async function main(argv: readonly string[], real: World): Promise<number> {
  let world = real;
  if (argv[0] === ROTATION_PROCESS) return (await import('./engine/rotation/process.ts')).runRotationProcess(world);
  if (argv[0] === LOCK_PROCESS)
    return (await import('./engine/connection/state-locks.ts')).runLockProcess(argv[1] ?? '');
  let isJson: boolean | undefined;
  let run: FailedRun | undefined;
  try {
    const parsed = await parse(argv, CATALOGUE, world, isAtTerminal(world));
    if (parsed.kind === 'help') {
      if ('result' in parsed) {
        isJson = true;
        await show(parsed.result, parsed.present, world, undefined);
        return 0;
      }
      await world.stdout.write(parsed.text).catch(async (error) => {
        if (!(await failures()).isClosedPipe(error)) throw error;
      });
      return 0;
    }
    run = parsed;
    if (parsed.globals.isFormatChosen) isJson = isJsonFormat(parsed.globals.present.format);
    // The profile may set the output format, also for errors.
    const masking = await maskingOf(withProfile(parsed, real), real);
    const { line } = masking;
    world = masking.world;
    run = line;
    isJson = isJsonFormat(line.globals.present.format);
    const { error } = await execute(line, world, async ({ result, isWhole }, changed) => {
      if (!result) return;
      const leftOut: Column[] = [];
      const present = { ...line.globals.present, leavesOut: (columns: readonly Column[]) => leftOut.push(...columns) };
      const unfound = await show(
        result,
        isWhole ? { ...present, fields: undefined, query: undefined } : present,
        world,
        changed,
      );
      if (unfound) await sayNothingFound(unfound, line, world);
      if (!line.globals.quiet && result.list) await sayWhatIsCut(result, line, world);
      await sayWhatIsLeftOut(leftOut, line, world);
    });
    if (error) throw error;
    return 0;
  } catch (error) {
    const { asCliError, withSavedOperations } = await failures();
    const shown = asCliError(await withSavedOperations(error, world), world);
    return (await import('./terminal/show/report.ts')).report(
      shown,
      { isJson, run, catalogue: CATALOGUE },
      argv,
      world,
    );
  }
}

/** Whether a person types and reads: nothing is piped, and it is no build. A cron job has no terminal at all. */
function isAtTerminal({ env, stdin, stdout, stderr }: World): boolean {
  return stdout.isTerminal && stderr.isTerminal && stdin.isTerminal && !env['CI'];
}

/** A command line with its profile; the profile may have set the output format and the time zone. */
interface ResolvedLine extends CommandLine {
  readonly profile: Profile;
}

function withProfile(line: CommandLine, world: World): ResolvedLine {
  const profile = profileFor(line, world);
  const { globals } = line;
  const storedFormat = globals.isFormatChosen ? undefined : FORMATS.find((each) => each === profile.stored?.output);
  const zone = globals.isZoneChosen
    ? globals.zone
    : zoneNamed(profile.stored?.timeZone ?? DEFAULT_ZONE, ` in profile ${profile.name}`);
  const present = { ...globals.present, format: storedFormat ?? globals.present.format, zone, clock: world.clock };
  // A profile file that was edited may name no zone. Tables are printed when everything is sent; dates are read before.
  if (present.format === 'table' && !line.command.isLocal) zone.offsetMs(world.clock.now());
  return { ...line, profile, globals: { ...globals, zone, present } };
}

/** A command line whose output is masked, and the world that it then writes to. */
async function maskingOf(
  line: ResolvedLine,
  world: World,
): Promise<{ readonly line: ResolvedLine; readonly world: World }> {
  const { globals, profile } = line;
  if (!(globals.isMasked ?? profile.stored?.isMasked)) return { line, world };
  const { maskedStream, maskFor } = await import('./present/masked.ts');
  const mask = maskFor(world, line.texts);
  return {
    line: { ...line, globals: { ...globals, present: { ...globals.present, mask } } },
    world: { ...world, stderr: maskedStream(world.stderr, mask) },
  };
}

/** Resolves a command's profile. A local command also runs when that fails, since it may be the one that fixes the profile. */
function profileFor({ command, globals: { profile } }: CommandLine, world: World): Profile {
  try {
    return resolveProfile(profile, world);
  } catch (error) {
    const isOptional = command.findsProfile || (command.isLocal && profile === undefined);
    if (isOptional && error instanceof CliError) return builtInProfile();
    throw error;
  }
}

/** Most commands do not fail. */
const failures = () => import('./terminal/show/failures.ts');

/** Most commands move no money. */
const once = () => import('./engine/sending/once.ts');

type Use = (outcome: Outcome, changed: Changed | undefined) => Promise<void>;

/** Runs a command; `use` receives its outcome while the account is still open, so that more pages can be read. */
async function execute(line: ResolvedLine, world: World, use: Use): Promise<Outcome> {
  const { command, texts, globals, profile } = line;
  // The list may be of any length. Must be set before anything is read: V8's young generation only ever grows.
  if (texts['all'] === true) world.steadyMemory();
  const { account, terminal, close } = openTerminal({
    world,
    profile,
    globals,
    command: { line: `fiatrail ${command.words.join(' ')}`, inputName: (field) => inputName(command, field) },
    runs: { line: runLine, program: main, planned: runPlanned },
  });
  try {
    return await Promise.race([executeIn(account, terminal, line, use), abandonment(account)]);
  } finally {
    await close();
  }
}

async function executeIn(
  account: Account,
  terminal: Terminal,
  { command, texts, globals, profile }: ResolvedLine,
  use: Use,
) {
  const { world, notices } = account;
  const isPlan = texts['plan'] !== undefined;
  if (globals.agent !== undefined)
    await (await import('./terminal/agent-gate.ts')).requireForAgent(globals.agent, command, texts, globals);
  // Before anything is asked.
  if (command.money) await account.rules.requireForMoney(texts['once'] !== undefined || isPlan);
  const read = await readInput(command, texts, account, terminal, !isPlan, async () => {
    if (command.isLocal) return;
    const notice = `profile ${profile.name} · ${modeInFull(profile.mode)}`;
    const line = command.asNotice?.(notice, account, terminal, texts) ?? notice;
    // With -q too when a file in a folder, rather than the user, chose real money.
    const isLiveByPin = profile.mode === 'live' && chosenProfile(globals.profile, world).source === 'directory';
    await (isLiveByPin ? notices.say(line) : notices.note(line));
    if (!command.finishesRotations && unfinishedRotations(world).length > 0)
      await (await import('./engine/rotation/resume.ts')).finishRotations(account);
  });
  for (let asked = read; ; )
    try {
      return await executeWith(asked);
    } catch (error) {
      if (!(error instanceof StepBack) || !asked.again) throw error;
      asked = await asked.again();
    }

  async function executeWith({ input, guided, again }: CommandInput) {
    const { values, guard } = command.money
      ? await (await once()).guardIn(command, input, account.time.nowMs)
      : { values: input, guard: undefined };
    const plan = await planAsked(input);
    const consented = consenting(again ? goingBack(terminal, account) : terminal, { guard, plan });
    const run = async () => {
      if (guard) await (await once()).requireUnused(account, guard);
      const outcome = await runOnce(account, consented, command, values);
      return outcome.error || !guided?.after ? outcome : guided.after(outcome);
    };
    const waitMs = typeof values['wait'] === 'number' ? values['wait'] : 0;
    const outcome = await run().catch(async (error: unknown) => {
      if (error instanceof StepBack) throw error;
      const named = error instanceof CliError ? withInputNames(error, command) : error;
      return endedBy(await withKnownKind(named, account, command, texts), account, terminal, waitMs);
    });
    await use(outcome, account.activity.changed);
    if (!outcome.error) await guided?.end?.();
    return outcome;
  }

  async function planAsked(input: CommandInput['input']) {
    if (!isPlan && texts['planExpires'] === undefined) return undefined;
    const { planToWrite } = await import('./engine/plans/apply.ts');
    const line = { words: command.words, texts, parameters: command.parameters, globals };
    return planToWrite(line, input, world.ids, (planned) => commandLineOf(command, planned));
  }
}

/** Runs the command of a plan, which sends only what the plan says, or ends where it would send. */
async function runPlanned(
  account: Account,
  terminal: Terminal,
  plan: Plan,
  how: Parameters<Runs['planned']>[3],
): Promise<Outcome> {
  const { guardOfPlan, plannableCommand, planToApply } = await import('./engine/plans/apply.ts');
  const { words, input: texts } = plan.content;
  const group = CATALOGUE.find(({ name }) => name === words[0]);
  const named = (await group?.load())?.find((each) => each.words.join(' ') === words.join(' '));
  const waitMs = how.kind === 'apply' ? how.waitMs : undefined;
  const command = plannableCommand(plan, named, waitMs !== undefined);
  const guard = guardOfPlan(plan);
  const { guardIn, requireUnused } = await once();
  if (how.kind === 'apply') await requireUnused(account, guard);
  const { signersOf } = await import('./engine/plans/signatures.ts');
  const toApply = await planToApply(account.time.nowMs, await signersOf(account), plan, commandLineOf(command, texts));
  const applying = consenting(terminal, { guard, plan: { ...toApply, kind: how.kind } });
  const { input } = await readInput(command, texts, account, applying, false, async () => {});
  const { values } = await guardIn(command, { ...input, wait: waitMs }, account.time.nowMs);
  return runOnce(account, applying, command, values);
}

/** Runs a command. If it fails before it sends, another process may have done its work: then its record is what counts. */
async function runOnce(
  account: Account,
  terminal: Terminal,
  command: Command,
  values: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  try {
    return await command.run(account, terminal, values as never);
  } catch (error) {
    const { guard, plan } = terminal.consent;
    if (guard && plan?.kind !== 'check' && isBeforeSending(error, account))
      await (await once()).requireUnused(account, guard);
    throw error;
  }
}

/**
 * Whether a command failed before it sent anything. Another process may then have done the work under the same idempotency key: with
 * `--amount max`, nothing is left to move.
 */
function isBeforeSending(error: unknown, { activity }: Account): boolean {
  if (!(error instanceof CliError) || error.category === 'interrupted') return false;
  return error.operationId === undefined && activity.changed === undefined;
}

/** Rejects when the user interrupts the program a second time; else never settles. */
function abandonment({ world, activity }: Account): Promise<never> {
  return new Promise((_, reject) => {
    world.abandoned.addEventListener('abort', () => reject(abandonedError(activity)), { once: true });
  });
}

/** What says that an id is unknown. */
const UNKNOWN_ID = /(?:^|_)NOT_FOUND$/;

/** Adds to an error about an unknown id what this machine knows it as. */
async function withKnownKind(
  error: unknown,
  account: Account,
  { words }: Command,
  texts: CommandLine['texts'],
): Promise<unknown> {
  if (!(error instanceof CliError) || !UNKNOWN_ID.test(error.code)) return error;
  const { withKindHint } = await import('./copy/questions/hint.ts');
  return withKindHint(account, error, words, Object.values(texts));
}

/**
 * A dry run ends where it would send, work that is already done under its idempotency key ends where it was recorded, and a request that may have been lost is
 * sent again.
 */
async function endedBy(error: unknown, account: Account, terminal: Terminal, waitMs: number): Promise<Outcome> {
  if (error instanceof DryRun) return { result: error.result, isWhole: error.isWhole };
  if (error instanceof LostRequest) {
    const { operation, plan } = error;
    const retrying = { plan, isRerun: true, waitMs: waitMs > 0 ? waitMs : undefined };
    return retry(account, terminal, operation, retrying).catch((given: unknown) =>
      endedBy(given, account, terminal, waitMs),
    );
  }
  if (error instanceof AlreadyDone)
    return (await import('./engine/evidence/recorded.ts')).recordedOutcome(account, error.operation, waitMs);
  const { changeNotShown, failedAfterChange } = await failures();
  const changed = account.activity.changed;
  throw error instanceof CliError ? failedAfterChange(error, changed) : changeNotShown(error, changed);
}

/** Runs another command line, for `tour`, `init` and `profiles rules test`. */
async function runLine(argv: readonly string[], world: World, testsRules = false): Promise<Outcome> {
  const parsed = await parse(argv, CATALOGUE, world);
  if (parsed.kind === 'help') return {};
  const { command, globals } = parsed;
  if (testsRules && command.isLocal)
    throw new CliError('usage', `fiatrail ${command.words.join(' ')} changes nothing, so no rule applies to it`);
  const line = testsRules ? { ...parsed, globals: { ...globals, dryRun: true, testsRules } } : parsed;
  return execute(withProfile(line, world), world, async () => {});
}

async function show(
  result: Result,
  options: PresentOptions,
  world: World,
  changed: Changed | undefined,
): Promise<readonly string[] | undefined> {
  const { present } = await import('./present/present.ts');
  try {
    const unfound = await present(result, options, result.sink?.out ?? world.stdout);
    await result.sink?.finish();
    return unfound;
  } catch (given) {
    const error = result.stopped ? await result.stopped(given) : given;
    const { changeNotShown, isClosedPipe } = await failures();
    // The reader closed the pipe, as `| head` does: not a failure, and the command's own error is still reported.
    if (!isClosedPipe(error)) throw changeNotShown(error, changed);
    return undefined;
  } finally {
    result.close?.();
  }
}

/** How many names are listed for a query that found nothing. */
const MOST_NAMES = 12;

/** Says that a query found nothing, which a misspelled name does too, and which names there are. Throws CliError declined if something was required. */
async function sayNothingFound(names: readonly string[], { globals }: CommandLine, world: World): Promise<void> {
  if (globals.present.isQueryRequired)
    throw new CliError('declined', '--query found nothing', {
      code: 'QUERY_EMPTY',
      hint: 'see what there is without --query',
    });
  const there =
    names.length === 0 ? [] : [names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ', …' : '')];
  await createDialog(world, globals).note(['--query found nothing', ...there].join('; there are: '));
}

/** Says on standard error that a list is not whole: its end looks like any other row. */
async function sayWhatIsCut(result: Result, { command, globals }: CommandLine, world: World): Promise<void> {
  const { noticeOf } = await import('./present/content.ts');
  const notice = noticeOf(result, Object.hasOwn(command.parameters, 'all'));
  if (notice !== undefined) await createDialog(world, globals).note(notice);
}

/** Says on standard error which columns a narrow table does not have. */
async function sayWhatIsLeftOut(columns: readonly Column[], { globals }: CommandLine, world: World): Promise<void> {
  if (columns.length === 0) return;
  const titles = columns.map(({ title }) => title).join(', ');
  const fields = columns.map(({ field }) => field).join(',');
  await createDialog(world, globals).note(
    `no room for: ${titles}; to see ${columns.length === 1 ? 'it' : 'them'}: --fields ${fields}, or -o json`,
  );
}
