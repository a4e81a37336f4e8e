import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import type { Endpoint, RequestOf, ResponseOf } from '../contract/endpoint.ts';
import { sha256Hex } from '../crypto/digest.ts';
import type { Account, AccountCallOptions, AccountReply } from '../engine/account.ts';
import type { Guard } from '../engine/guard.ts';
import { type OpenedAccount, openAccount } from '../engine/opening/open-account.ts';
import type { Outcome } from '../engine/outcome.ts';
import type { Plan } from '../engine/plans/plan.ts';
import type { ChangePrompt, Checked, Consent, SentChange } from '../engine/sending/change.ts';
import type { Retrying } from '../engine/sending/retry.ts';
import type { Operation } from '../journal/operations.ts';
import type { Globals } from './parse/globals.ts';
import { createDialog, createProgress, type Dialog } from './show/progress.ts';

/** How the command of a plan runs. */
type RunPlanned = { readonly kind: 'apply'; readonly waitMs: number | undefined } | { readonly kind: 'check' };

/** What a command runs other commands with. */
export interface Runs {
  /**
   * Runs another command line, for a command composed of commands, and returns its outcome. With `testsRules`, it ends where it
   * would send a request, with what the rules say about it.
   */
  line(argv: readonly string[], world: World, testsRules?: boolean): Promise<Outcome>;
  /** Runs a command line as a shell does: prints to the streams of the world, and returns the exit code. */
  program(argv: readonly string[], world: World): Promise<number>;
  /**
   * Runs the command of a plan, which sends only what the plan says; `waitMs` is how long it waits, if it does. To check the
   * plan, it runs until it would send, and throws Checked.
   */
  planned(account: Account, terminal: Terminal, plan: Plan, how: RunPlanned): Promise<Outcome>;
}

/** The terminal on top of an account: what was typed, who is asked, what they may agree to, and other commands. */
export interface Terminal {
  readonly globals: Globals;
  readonly dialog: Dialog;
  readonly consent: Consent;
  readonly runs: Runs;
}

interface OpenedTerminal extends OpenedAccount {
  readonly terminal: Terminal;
}

interface Opening extends Pick<Account, 'world' | 'profile' | 'command'>, Pick<Terminal, 'globals' | 'runs'> {}

/** Opens the account of a command, and the terminal on top of it. No money is guarded yet, and no plan applied. */
export function openTerminal({ world, profile, globals, command, runs }: Opening): OpenedTerminal {
  const dialog = createDialog(world, globals);
  const progress = createProgress(world, globals, ['table', 'csv', 'ndjson'].includes(globals.present.format));
  const opened = openAccount({ world, profile, globals, command, notices: { ...dialog, progress } });
  const consent = { prompt: promptOf(dialog, profile), guard: undefined, plan: undefined };
  return { ...opened, terminal: { globals, dialog, consent, runs } };
}

/** Most commands ask nothing. */
const asking = () => import('./ask/confirm.ts');

const promptOf = (dialog: Dialog, profile: Profile): ChangePrompt => ({
  isAsked: dialog.isInteractive && !dialog.globals.yes,
  confirm: async (change) => (await asking()).confirmRequest(dialog, profile, change),
  show: async (lines) => (await asking()).showPlanned(dialog, profile, lines),
});

/** Returns a terminal whose command guards its money, or belongs to a plan. */
export const consenting = (terminal: Terminal, consent: Partial<Pick<Consent, 'guard' | 'plan'>>): Terminal => ({
  ...terminal,
  consent: { ...terminal.consent, ...consent },
});

/** Returns a terminal at whose consents a person can go back to the last question, as long as nothing was sent. */
export function goingBack(terminal: Terminal, { activity, profile }: Pick<Account, 'activity' | 'profile'>): Terminal {
  const dialog = { ...terminal.dialog, hasBack: () => activity.changed === undefined };
  return { ...terminal, dialog, consent: { ...terminal.consent, prompt: promptOf(dialog, profile) } };
}

/** Returns a terminal whose command guards its money with what was typed. The guard of a plan that is applied stays. */
export function guardedBy(terminal: Terminal, guard: Guard): Terminal {
  const { plan, guard: own } = terminal.consent;
  return own !== undefined && plan !== undefined && plan.kind !== 'write' ? terminal : consenting(terminal, { guard });
}

/**
 * Makes a change: shows it, asks for consent and sends it. What moves money or cannot be undone is journaled. A change to fields that
 * need no consent, such as a label, is sent without a question. How it is made is loaded with the first one, as most commands only read.
 */
export async function change<E extends Endpoint>(
  account: Account,
  { consent }: Pick<Terminal, 'consent'>,
  endpoint: E,
  input: RequestOf<E>,
  change: SentChange,
  options: AccountCallOptions = {},
): Promise<AccountReply<ResponseOf<E>>> {
  return (await import('../engine/sending/change.ts')).changeOf(account, consent, { endpoint, input, change, options });
}

/**
 * Sends a request with an unknown outcome again under the service's idempotency key, once someone agreed. Of a plan that is applied again, its `plan`; `isRerun`
 * if the same command runs again under its own key. Throws AlreadyDone, and CliError.
 */
export async function retry(
  account: Account,
  terminal: Terminal,
  operation: Operation,
  { plan, isRerun, waitMs }: Pick<Retrying, 'waitMs'> & { readonly plan?: Plan | undefined; readonly isRerun: boolean },
): Promise<Outcome> {
  const { retry, retryOfRerun } = await import('../engine/sending/retry.ts');
  const requirePlan = plan && (() => checkPlan(account, terminal, plan));
  return (isRerun ? retryOfRerun : retry)(account, operation, { asking: terminal.consent.prompt, requirePlan, waitMs });
}

/** Compares a plan with the account, as applying it does, and returns what was read. Throws CliError if anything is not as the plan says. */
export async function checkPlan(account: Account, terminal: Terminal, plan: Plan): Promise<Checked['facts']> {
  const { Checked } = await import('../engine/sending/change.ts');
  try {
    await terminal.runs.planned(account, terminal, plan, { kind: 'check' });
  } catch (error) {
    if (error instanceof Checked) return error.facts;
    throw error;
  }
  throw new Error(`the command of a plan did not end where it would send: ${plan.content.words.join(' ')}`);
}

/** Returns the service's idempotency key, under which it does a request at most once: equal for equal keys of ours; undefined without one. */
export function serviceIdempotencyKey({ plan, guard }: Consent): string | undefined {
  // The request of a plan contains the key, so it cannot come from the plan's hash.
  // A row of a planned file has a key of its own.
  if (plan && plan.kind !== 'row')
    return serviceIdempotencyKeyOf(`plan ${plan.kind === 'write' ? plan.id : plan.plan.content.id}`);
  return guard?.idempotencyKey === undefined ? undefined : serviceIdempotencyKeyOf(guard.idempotencyKey);
}

/** Derives the service's idempotency key from ours: it does not reveal ours, and is the same on every host. */
function serviceIdempotencyKeyOf(key: string): string {
  return `fr-${sha256Hex(`fiatrail once ${key}`).slice(0, 32)}`;
}
