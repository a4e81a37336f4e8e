import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import type { Ids } from '../../base/world.ts';
import { plannedInput } from './apply.ts';
import type { PlanMode } from './change.ts';
import type { TypedInput } from './plan.ts';

/** How long a plan holds unless --plan-expires says otherwise. */
const LIFETIME_MS = 24 * 3_600_000;

/** What was typed beside --plan, as raw texts. */
interface TypedLine {
  readonly words: readonly string[];
  readonly texts: Readonly<Record<string, unknown>>;
  readonly globals: { readonly dryRun: boolean; readonly yes: boolean };
}

/** The flags that mean nothing for a plan, and why. */
const MEANINGLESS: readonly (readonly [flag: string, why: string, isGiven: (line: TypedLine) => boolean])[] = [
  ['--dry-run', 'a plan sends nothing either; omit one of them', ({ globals }) => globals.dryRun],
  ['--yes', 'a plan asks nothing; give --yes to: fiatrail ops apply', ({ globals }) => globals.yes],
  ['--wait', 'a plan starts nothing; give --wait to: fiatrail ops apply', ({ texts }) => texts['wait'] !== undefined],
  ['--once', 'a plan is applied at most once by itself; omit --once', ({ texts }) => texts['once'] !== undefined],
  ['--again', 'a plan sends nothing; omit --again', ({ texts }) => texts['again'] === true],
];

/** Returns how a plan is to be written. Throws CliError usage for flags that it cannot be combined with. */
export function planToWrite(
  line: TypedLine,
  { plan, planExpires }: { readonly plan?: unknown; readonly planExpires?: unknown },
  ids: Pick<Ids, 'uuid'>,
  commandLineOf: (input: TypedInput) => string,
): PlanMode {
  if (typeof plan !== 'string')
    throw new CliError('usage', '--plan-expires is given without --plan', { hint: 'add --plan FILE, or omit it' });
  for (const [flag, hint, isGiven] of MEANINGLESS)
    if (isGiven(line)) throw new CliError('usage', `--plan and ${flag} cannot be combined`, { hint });
  const lifetimeMs = typeof planExpires === 'number' ? planExpires : LIFETIME_MS;
  const input = plannedInput(line.texts);
  const typed = { words: line.words, input, commandLine: commandLineOf(input) };
  return { kind: 'write', path: absolutePath(plan), lifetimeMs, id: ids.uuid(), typed };
}
