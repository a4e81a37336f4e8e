import { modeForPeople, type Profile } from '../../account/profile.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import type { ShownLine } from '../../engine/plans/line.ts';
import type { Change, ReplacedValue } from '../../engine/sending/change.ts';
import { shownText } from '../../present/shown-text.ts';
import { visible } from '../../present/text.ts';
import { wrap } from '../../present/width.ts';
import { createDialog, type Dialog, howToGoBack } from '../show/progress.ts';

/** Says which account a change is made to. */
export const accountLine = ({ name, mode }: Profile): ShownLine => ['profile', `${name} (${modeForPeople(mode)})`];

/** Shows a change to an account, and asks unless --yes is given. Throws CliError: `usage` without a terminal, `declined`. */
export async function confirmRequest(dialog: Dialog, profile: Profile, change: Change): Promise<void> {
  await confirmChange(dialog, { ...change, lines: [accountLine(profile), ...change.lines] });
}

/** `Remove user 4f…. Continue?` */
const questionOf = (summary: string) => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}. Continue?`;

/** Shows a change to an account that is only planned. */
export function showPlanned(dialog: Dialog, profile: Profile, lines: readonly ShownLine[]): Promise<void> {
  return printLines(dialog.world, dialog.note, [accountLine(profile), ...lines]);
}

/** Shows a change and, if `mustAsk`, asks; the default is no. Throws CliError: `usage` without a terminal, `declined`; StepBack. */
export async function confirmChange(
  dialog: Dialog,
  { summary, lines, replaces = [], previews, requirePossible }: Change,
  mustAsk = !dialog.globals.yes,
): Promise<void> {
  const { world } = dialog;
  if (mustAsk && !dialog.isInteractive) {
    throw new CliError('usage', `cannot ask for confirmation without a terminal: ${summary}; nothing was sent`, {
      code: 'CONFIRMATION_NEEDED',
      hint: 'add --yes to skip the confirmation',
    });
  }
  const values = mustAsk
    ? Promise.all(replaces.map(oldAndNew))
    : replaces.map(({ label, next }) => [label, next] as const);
  const [replaced, read] = await Promise.all([values, mustAsk && previews ? previews() : []]);
  const all = [...lines, ...replaced, ...read];
  // The details precede the prompt even with --quiet.
  await (mustAsk ? showAsked(dialog, all) : printLines(world, dialog.note, all));
  if (!mustAsk) return;
  await requirePossible?.(all);
  const prompter = await world.prompter();
  const hasBack = dialog.hasBack?.() === true;
  if (hasBack) await dialog.note(howToGoBack(world));
  if (!(await prompter.confirm(questionOf(summary), { hasBack }))) {
    throw new CliError('declined', 'declined; nothing was sent');
  }
}

/** Shows what someone is asked about as it is: nobody can agree to a handle. */
function showAsked({ world, globals }: Dialog, lines: readonly ShownLine[]): Promise<void> {
  const shown = { ...world, stderr: world.stderr.masking?.unmasked ?? world.stderr };
  return printLines(shown, createDialog(shown, globals).say, lines);
}

/** `default  ADA OBI 0123456789 → JOY BELLO 3000293003`. A value that cannot be read is not known. Throws CliError interrupted. */
async function oldAndNew({ label, next, read }: ReplacedValue): Promise<ShownLine> {
  const found = await read().catch((error: unknown) => {
    if (error instanceof CliError && error.category === 'interrupted') throw error;
    return undefined;
  });
  return [label, `${found?.now ?? 'not known'} → ${found?.next ?? next}`];
}

/** Asks for a person's consent. On a live account it is asked for in a terminal, even with --yes. Throws CliError: `usage` without a terminal, `declined`. */
export async function confirmConsent(dialog: Dialog, { mode }: Profile, change: Change): Promise<void> {
  if (mode === 'live' && !dialog.isInteractive)
    throw new CliError('usage', `this needs a person at a terminal, because the account is LIVE: ${change.summary}`, {
      code: 'CONFIRMATION_NEEDED',
      hint: 'run it in a terminal; --yes does not count here',
    });
  await confirmChange(dialog, change, mode === 'live' || !dialog.globals.yes);
}

/** If there is less room for values, they stand below their labels. */
const NARROWEST = 20;

const INDENT = 4;

/** Prints labels and aligned values, wrapped between words to the width of the terminal. */
export async function printLines(
  { stderr }: World,
  print: (text: string) => Promise<void>,
  lines: readonly ShownLine[],
): Promise<void> {
  const columns = stderr.columns || Number.POSITIVE_INFINITY;
  const width = Math.max(...lines.map(([label]) => label.length));
  const rest = columns - width - INDENT;
  const isBelow = rest < NARROWEST;
  const room = isBelow ? Math.max(columns - INDENT, 1) : rest;
  for (const [label, value] of lines) {
    if (isBelow) await print(`  ${label}`);
    // Off a terminal, someone searches the text for an address as it was typed.
    const masked = stderr.masking?.text(value) ?? value;
    const shown = stderr.isTerminal ? shownText(masked, room) : visible(masked);
    for (const [index, line] of wrap(shown, room).entries())
      await print(isBelow ? `${' '.repeat(INDENT)}${line}` : `  ${(index ? '' : label).padEnd(width)}  ${line}`);
  }
}
