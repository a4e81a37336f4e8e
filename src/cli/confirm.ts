import { modeForPeople } from '../account/mode.ts';
import type { Profile } from '../account/profile.ts';
import { CliError } from '../base/errors.ts';
import type { Effect } from '../contract/endpoint.ts';
import type { Dialog } from './dialog.ts';
import { printLines } from './lines.ts';

/** What a change is, for the person who confirms it and for the journal. */
export interface Change {
  /** `onramp of ₦5,000.00 for user 4f…`. Holds no secret. */
  readonly summary: string;
  /** What will be sent: label and value, the amount in both units. */
  readonly lines: readonly (readonly [label: string, value: string])[];
  /** More lines, read only when someone is asked: balances, fees. */
  readonly previews?: () => Promise<readonly (readonly [label: string, value: string])[]>;
}

/** Shows a change to an account; asks before money moves or something cannot be undone. Throws CliError: usage with no terminal to ask on, declined. */
export async function confirmRequest(
  dialog: Dialog,
  profile: Profile,
  effect: Effect,
  { summary, lines, previews }: Change,
): Promise<void> {
  const mustAsk = !dialog.globals.yes && (effect === 'money' || effect === 'destructive');
  const account = ['profile', `${profile.name} (${modeForPeople(profile.mode)})`] as const;
  await confirmChange(dialog, { summary, lines: [account, ...lines], ...(previews ? { previews } : {}) }, mustAsk);
}

/** Shows a change; if it needs a confirmation, asks, default no. Throws CliError: usage with no terminal to ask on, declined. */
export async function confirmChange(
  dialog: Dialog,
  { summary, lines, previews }: Change,
  mustAsk = !dialog.globals.yes,
): Promise<void> {
  const { world } = dialog;
  if (mustAsk && !dialog.isInteractive) {
    throw new CliError(
      'usage',
      `${summary}: this needs a confirmation and there is no terminal to ask on; nothing was sent`,
      {
        code: 'CONFIRMATION_NEEDED',
        hint: 'add --yes to go ahead',
      },
    );
  }
  const all = [...lines, ...(mustAsk && previews ? await previews() : [])];
  // Who is asked sees what it is about, however quiet the rest is.
  const tell = mustAsk ? dialog.say : dialog.note;
  await printLines(world, tell, all);
  if (!mustAsk) return;
  const prompter = await world.prompter();
  if (!(await prompter.confirm(`${summary}: go ahead?`))) {
    throw new CliError('declined', 'declined; nothing was sent');
  }
}
