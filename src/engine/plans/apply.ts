import { absolutePath } from '../../account/paths.ts';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Ids } from '../../base/world.ts';
import type { PlanMode, PlanToApply } from './change.ts';
import { type Plan, requireUnexpired, type TypedInput } from './plan.ts';
import { keyOfPlan } from './queue.ts';
import { type Signers, signaturesOf } from './signatures.ts';

/** What keeps a plan from being applied twice: its hash is its idempotency key. */
export function guardOfPlan(plan: Plan) {
  const { hash } = plan;
  return {
    plan,
    // At most one run applies a plan.
    idempotencyKey: keyOfPlan(plan),
    isAgain: false,
    isGuarded: false,
    input: JSON.stringify(['plan', hash]),
  };
}

/** Checks that a plan may be applied now. Throws CliError declined if it has expired or a signature does not hold. */
export async function planToApply(
  timeMs: () => Promise<number>,
  signers: Signers,
  plan: Plan,
  commandLine: string,
): Promise<PlanToApply> {
  requireUnexpired(plan, await timeMs());
  const { words, input } = plan.content;
  return { kind: 'apply', plan, typed: { words, input, commandLine }, signed: await signaturesOf(plan, signers) };
}

/** Parameters that say how a command runs, rather than what it does: a plan has none of them. */
const NOT_PLANNED: readonly string[] = ['once', 'again', 'plan', 'planExpires', 'wait', 'withoutApproval', 'generate'];

/** The parameters of a command, as far as plans know them. */
type PlannedParameters = Readonly<Record<string, { readonly required: boolean }>>;

/** Whether a parameter says what a command does. The key that a command requires names what it does, and is no guard. */
const isPlanned = (parameters: PlannedParameters, name: string): boolean =>
  Object.hasOwn(parameters, name) && (parameters[name]?.required === true || !NOT_PLANNED.includes(name));

/** Returns the texts that say what a command does. */
export function plannedInput({ texts, parameters }: Pick<LineParts, 'texts' | 'parameters'>): TypedInput {
  const given = Object.entries(texts).filter(
    ([name, text]) => text !== undefined && text !== false && isPlanned(parameters, name),
  );
  return Object.fromEntries(given) as TypedInput;
}

/** Returns the command of a plan. Throws CliError usage if it cannot be planned, or does not take the plan’s values. */
export function plannableCommand<C extends { readonly parameters: PlannedParameters }>(
  { content: { words, input } }: Plan,
  command: C | undefined,
  isWaiting: boolean,
): C {
  const takes = (name: string) => Object.hasOwn(command?.parameters ?? {}, name);
  if (!command || !takes('plan') || !Object.keys(input).every((name) => isPlanned(command.parameters, name)))
    throw new CliError(
      'usage',
      `this version of fiatrail cannot apply a plan of: fiatrail ${words.join(' ')}; nothing was sent`,
      { code: 'NOT_A_PLAN', hint: 'use the version that wrote the plan, or write a new one with --plan' },
    );
  if (isWaiting && !takes('wait'))
    throw new CliError('usage', `fiatrail ${words.join(' ')} has nothing to wait for; nothing was sent`, {
      hint: 'omit --wait',
    });
  return command;
}

/** How long a plan holds unless --plan-expires says otherwise. */
const LIFETIME_MS = 24 * 3_600_000;

/** What was typed beside --plan, as raw texts. */
interface LineParts {
  readonly words: readonly string[];
  readonly texts: Readonly<Record<string, unknown>>;
  readonly parameters: PlannedParameters;
  readonly globals: { readonly dryRun: boolean; readonly yes: boolean };
}

/** The flags that mean nothing for a plan, and why. */
const MEANINGLESS: readonly (readonly [flag: string, why: Hint, isGiven: (line: LineParts) => boolean])[] = [
  ['--dry-run', 'a plan sends nothing either; omit one of them', ({ globals }) => globals.dryRun],
  ['--yes', advice`a plan is not confirmed; pass --yes to: [fiatrail plans apply]`, ({ globals }) => globals.yes],
  [
    '--wait',
    advice`a plan starts nothing; pass --wait to: [fiatrail plans apply]`,
    ({ texts }) => texts['wait'] !== undefined,
  ],
  [
    '--once',
    'a plan is applied at most once by itself; omit --once',
    ({ texts, parameters }) => texts['once'] !== undefined && !isPlanned(parameters, 'once'),
  ],
  ['--first', 'a plan covers all rows; approvers can strike some out', ({ texts }) => texts['first'] !== undefined],
  ['--stop-after', 'a plan sends nothing; omit --stop-after', ({ texts }) => texts['stopAfter'] !== undefined],
  ['--again', 'a plan sends nothing; omit --again', ({ texts }) => texts['again'] === true],
];

/** Returns how a plan is to be written. Throws CliError usage for flags that it cannot be combined with. */
export function planToWrite(
  line: LineParts,
  { plan, planExpires }: { readonly plan?: unknown; readonly planExpires?: unknown },
  ids: Pick<Ids, 'uuid'>,
  commandLineOf: (input: TypedInput) => string,
): PlanMode {
  if (line.texts['plan'] === undefined)
    throw new CliError('usage', '--plan-expires is given without --plan', { hint: 'add --plan, or omit it' });
  for (const [flag, hint, isGiven] of MEANINGLESS)
    if (isGiven(line)) throw new CliError('usage', `--plan and ${flag} cannot be combined`, { hint });
  const lifetimeMs = typeof planExpires === 'number' ? planExpires : LIFETIME_MS;
  const input = plannedInput(line);
  const typed = { words: line.words, input, commandLine: commandLineOf(input) };
  return {
    kind: 'write',
    path: typeof plan === 'string' ? absolutePath(plan) : undefined,
    lifetimeMs,
    id: ids.uuid(),
    typed,
  };
}
