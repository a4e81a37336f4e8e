import { attempt, CliError, withDetails } from '../../base/errors.ts';
import { type Reply, requestIdOf } from '../../client/client.ts';
import { consentsOf, type Endpoint, effectOf, type RequestOf, type ResponseOf } from '../../contract/endpoint.ts';
import type { Baseline, Sweep } from '../../journal/intent.ts';
import { amount, amountForPeople } from '../../money/amount.ts';
import type { Account, AccountCallOptions, AccountReply, Activity } from '../account.ts';
import { sendRequest } from '../connection/connect.ts';
import type { Guard } from '../guard.ts';
import { approversOf } from '../plans/approver-list.ts';
import type { Agreed, AppliedPlan, PlanMode, PlannedChange, PlanToApply } from '../plans/change.ts';
import { isUncertain, type ShownLine } from '../plans/line.ts';
import { DryRun, prepareRequest, warnOf } from '../requests.ts';
import type { AccountRules, IdempotencyKeyUse } from '../rules/account-rules.ts';
import { requireUnused } from './once.ts';
import { authorityOf, claimOf, repetitionOf, requireSigned, type Signatures, sendJournaled } from './send.ts';

/** A value that a change replaces, shown as `label  old → new`. */
export interface ReplacedValue {
  readonly label: string;
  /** The new value, as far as the request says it. */
  readonly next: string;
  /** Reads the value that it replaces, and how people know the new one; called only if someone is asked. */
  read(): Promise<{ readonly now: string | undefined; readonly next?: string | undefined }>;
}

/** A change, described for the confirmation and the journal. */
export interface Change {
  /** A verb phrase such as `start an onramp of ₦5,000.00 for user 4f…`. Contains no secret. */
  readonly summary: string;
  /** What will be sent: label and value, the amount in both units. */
  readonly lines: readonly ShownLine[];
  readonly replaces?: readonly ReplacedValue[];
  /** More lines, read only when someone is asked: balances, fees. */
  readonly previews?: () => Promise<readonly ShownLine[]>;
  /** Whether it needs consent because of what it meets, such as a list that is empty, although its request alone does not. */
  readonly needsConsent?: boolean;
  /** Called with everything that is shown, before someone is asked; if it throws, nobody is. */
  readonly requirePossible?: (shown: readonly ShownLine[]) => Promise<void>;
}

/** A change to send. */
export interface SentChange extends Change {
  /**
   * Reads what shows that the service would refuse it, such as the balance that pays, in as few requests as that takes: the only preview that
   * is read if nobody is asked. A refusal by code 05 alone would leave the outcome unknown.
   */
  readonly payer?: (() => Promise<readonly ShownLine[]>) | undefined;
  /** Runs after the confirmation, right before the request is sent; if it throws, nothing is sent. */
  readonly before?: () => Promise<void>;
  /** Text in the request that the service shows again in its lists, by which the journal finds it. */
  readonly tag?: string | undefined;
  /** Terms that the request only refers to, such as those of a quote. Asked for after the confirmation, whose previews may read them. */
  readonly terms?: () => Baseline['terms'];
  /** Whether it is a part of a change that the user has agreed to, which showed this part too. */
  readonly isAgreed?: true;
  /** What it is a part of; the user agreed to all of that before. */
  readonly sweep?: Sweep | undefined;
}

/** Who agrees to a change. */
export interface ChangePrompt {
  /** Whether a repetition becomes part of the question; otherwise the journal stops it. */
  readonly isAsked: boolean;
  /** Shows a change and asks for consent. Throws CliError: `usage` without a terminal, `declined`. */
  confirm(change: Change): Promise<void>;
  /** Shows a change that is only planned. */
  show(lines: readonly ShownLine[]): Promise<void>;
}

/** What a command changes its account with. It is a value: to change with something else, another one is made. */
export interface Consent {
  readonly prompt: ChangePrompt;
  /** What guards the money that the command moves, if it moves any. */
  readonly guard: Guard | undefined;
  /** The plan that is written instead of sending the change, or that says what may be sent. */
  readonly plan: PlanMode | undefined;
}

/** Whether a command has an idempotency key, for its rules. A plan is its own idempotency key. */
export function idempotencyKeyUse({ guard, plan }: Omit<Consent, 'prompt'>): IdempotencyKeyUse {
  if (!guard) return 'not-taken';
  return guard.idempotencyKey === undefined && !plan ? 'missing' : 'given';
}

interface AppliedChange {
  readonly agreed: Agreed;
  readonly applied: PlanToApply;
}

/** What was read here for a plan that holds, with the rules that it meets here, and its signatures. */
interface PlanFacts extends Agreed, Signatures {
  readonly rules: readonly string[];
  readonly rows: PlannedChange['rows'];
}

/** Thrown to end the check of a plan where its request would be sent. */
export class Checked extends Error {
  override name = 'Checked';
  readonly facts: PlanFacts;

  constructor(facts: PlanFacts) {
    super('checked');
    this.facts = facts;
  }
}

/**
 * Does with a change what a plan says: ends the command if it only writes or checks the plan, after `check` found that the change may
 * be made. Returns the change of a plan that is applied; undefined without a plan. Throws CliError.
 */
export async function asPlanned(
  account: Account,
  { plan: mode, prompt }: Consent,
  change: PlannedChange,
  check: () => Promise<unknown>,
): Promise<AppliedChange | undefined> {
  if (!mode || mode.kind === 'row') return undefined;
  const {
    activity,
    globals,
    notices: { note },
  } = account;
  const { agreedChange, writePlan } = await import('../plans/change.ts');
  const readPreviews = async () => {
    activity.unread = undefined;
    const lines = await change.readPreviews();
    const error = activity.unread;
    if (error !== undefined) throw error;
    return lines;
  };
  const planned = { ...change, readPreviews };
  if (mode.kind === 'write') {
    await check();
    const { result, shown, name } = await writePlan(account, mode, planned);
    await prompt.show(shown);
    await note(
      `nothing was sent; others approve the plan with "fiatrail plans approve ${name}", and "fiatrail plans apply ${name}" sends it`,
    );
    throw new DryRun(result, false);
  }
  const agreed = await agreedChange(mode, planned, globals.dryRun);
  if (mode.kind === 'apply') return { agreed, applied: mode };
  await check();
  throw new Checked({ ...agreed, rules: await planned.rulesMet(), signed: mode.signed, rows: change.rows });
}

/** Returns the rules that a request meets on this machine, a sentence each. */
async function rulesMet(
  account: Account,
  endpoint: Endpoint,
  input: unknown,
  around: Parameters<AccountRules['met']>[2],
) {
  const { profile, rules } = account;
  const { approvalThresholdsOf, signRulesMet } = await import('../plans/signatures.ts');
  const limits = approvalThresholdsOf(profile, await approversOf(account));
  return [...signRulesMet(limits, endpoint, input), ...(await rules.met(endpoint, input, around))];
}

interface WantedChange<E extends Endpoint> {
  readonly endpoint: E;
  readonly input: RequestOf<E>;
  readonly change: SentChange;
  readonly options: AccountCallOptions;
}

/** Returns a change as it is sent: that of the plan that is applied, or as it was typed. Throws CliError, and what ends a plan's command. */
async function plannedOf<E extends Endpoint>(account: Account, consent: Consent, wanted: WantedChange<E>) {
  const { endpoint, input, change, options } = wanted;
  const { terms, idempotencyKey } = options;
  const { summary, lines, tag, previews } = change;
  const planned = await asPlanned(
    account,
    consent,
    {
      endpoint,
      input,
      summary,
      lines,
      tag,
      rulesMet: () => rulesMet(account, endpoint, input, { terms, idempotencyKey }),
      readPreviews: async () => (await previews?.()) ?? [],
    },
    () => prepareRequest(account, endpoint, input, options),
  );
  if (!planned) return { applied: consent.plan?.kind === 'row' ? consent.plan : undefined, input, change };
  const { agreed, applied } = planned;
  return {
    applied,
    input: agreed.input as typeof input,
    // The plan was compared with the balance.
    change: { ...change, ...agreed, previews: async () => agreed.previews, payer: undefined },
  };
}

/** Makes a change that can be repeated or corrected, so that no journal needs to know of it. */
async function writeOf<E extends Endpoint>(
  account: Account,
  prompt: ChangePrompt,
  { endpoint, input, change, options }: WantedChange<E>,
): Promise<AccountReply<ResponseOf<E>>> {
  const request = await prepareRequest(account, endpoint, input, options);
  if (account.globals.agent !== undefined) (await import('./agent.ts')).requireControl(account.globals.agent, endpoint);
  const needsConsent = change.needsConsent || consentsOf(endpoint, input).length > 0;
  if (needsConsent && !change.isAgreed) await prompt.confirm(change);
  // They may have changed while the question was open.
  await account.rules.require(endpoint, input, { codeFor: change.summary });
  await change.before?.();
  const reply = await sendRequest(account, request, options).catch(async (error: unknown) => {
    if (!(error instanceof CliError) || error.code !== 'IP_BLOCKED') throw error;
    throw await (await import('../evidence/allowlist.ts')).withOwnAddress(account, error);
  });
  account.activity.changed = { operationId: undefined, requestId: requestIdOf(endpoint, reply.data) };
  await warnOf(account, reply, false);
  return { ...reply, request: input };
}

/**
 * Adds what an order or a trade only refers to, for the rules and the journal, and a warning about a price that is far from the market, which
 * is read only if someone is asked.
 */
async function withMarket<E extends Endpoint>(account: Account, wanted: WantedChange<E>): Promise<WantedChange<E>> {
  const { endpoint, input, change, options } = wanted;
  if (!endpoint.moves?.gives) return { ...wanted, options: { ...options, terms: change.terms?.() } };
  const { marketWarning } = await import('../rules/market.ts');
  const { replacedTerms } = await import('../evidence/changes.ts');
  const terms = { ...change.terms?.(), ...(await replacedTerms(account, endpoint, input)) };
  const previews = async () => {
    const [own = [], warning] = await Promise.all([
      change.previews?.(),
      marketWarning(account, endpoint, input, terms),
    ]);
    return [...own, ...warning];
  };
  return { ...wanted, change: { ...change, previews }, options: { ...options, terms } };
}

/** Makes a change, as `change` of the terminal does. */
export async function changeOf<E extends Endpoint>(
  account: Account,
  consent: Consent,
  typed: WantedChange<E>,
): Promise<AccountReply<ResponseOf<E>>> {
  const { activity, rules, time } = account;
  const { prompt } = consent;
  const idempotencyKey = idempotencyKeyUse(consent);
  const wanted = await withMarket(account, { ...typed, options: { ...typed.options, idempotencyKey } });
  const { endpoint, options } = wanted;
  const { terms } = options;
  if (effectOf(endpoint, wanted.input) === 'write') return writeOf(account, prompt, wanted);
  const { applied, input, change } = await plannedOf(account, consent, wanted);
  const request = await prepareRequest(account, endpoint, input, options);
  const effect = effectOf(endpoint, input);
  if (effect === 'money') await requireSigned(account, endpoint, input, applied);
  const { sender, agentLimits } = await forAgent(account, applied, endpoint, input);
  const guard = effect === 'money' ? consent.guard : undefined;
  await (await account.journal()).confirm(await account.accountNames(), guard?.idempotencyKey !== undefined);
  await time.warn();
  const sending = {
    endpoint,
    input,
    summary: change.summary,
    guard,
    // What a request only refers to decides whether an earlier one was equal.
    baseline: { terms },
  };
  const earlier = prompt.isAsked && !change.sweep ? await repetitionOf(account, sending) : undefined;
  const lines = earlier ? [...change.lines, ['warning', earlier] as const] : change.lines;
  const requirePossible = (shown: readonly ShownLine[]) => requirePaidFor(account, prompt, sending, shown);
  if (!change.sweep) await prompt.confirm({ ...change, lines, requirePossible });
  if (!prompt.isAsked && !change.sweep && change.payer) await requirePossible(await change.payer());
  const limits = await rules.require(endpoint, input, { codeFor: change.summary, terms, idempotencyKey });
  if (prompt.isAsked && effect === 'money')
    await requireSigned(account, endpoint, input, applied && (await stillSigned(account, applied)));
  // It may have expired while the question was open.
  if (applied) (await import('../plans/plan.ts')).requireUnexpired(applied.plan, await time.nowMs());
  await change.before?.();
  // The service's public key is checked before anything is recorded.
  await account.connection(endpoint);
  const baseline = await baselineBefore(account, applied, endpoint, input, { ...terms, ...change.terms?.() });
  if (effect === 'money') requireOpened(activity);
  await time.warn();
  const { reply, operationId } = await sendJournaled(sender, {
    ...sending,
    limits: [...limits, ...agentLimits],
    baseline,
    tag: change.tag,
    sweep: change.sweep,
    guard: earlier && sending.guard ? { ...sending.guard, isAgain: true } : sending.guard,
    authority: applied && (await authorityOf(applied, account.globals.agent)),
    plan: applied && (await claimOf(account, applied)),
    call: (isLate, beforeResend): Promise<Reply<ResponseOf<E>>> =>
      sendRequest(account, request, { ...options, isLate, beforeResend, terms: baseline.terms }),
  });
  activity.changed = { operationId, requestId: requestIdOf(endpoint, reply.data) };
  await warnOf(account, reply, false);
  return { ...reply, request: input };
}

/** Returns what an agent needs to have a plan sent: who the journal names, and sums that it checks besides those of rules. Throws CliError. */
async function forAgent(account: Account, applied: AppliedPlan | undefined, endpoint: Endpoint, input: unknown) {
  if (account.globals.agent === undefined) return { sender: account, agentLimits: [] };
  const allowance = await (await import('./agent.ts')).agentAllowance(account, endpoint, input, applied);
  if (!allowance) return { sender: account, agentLimits: [] };
  return { sender: { ...account, command: allowance.command }, agentLimits: allowance.limits };
}

/**
 * Throws CliError if what was read for a change shows that it cannot work. What the journal knows of it comes first: an equal change that was
 * just done may have taken the balance.
 */
async function requirePaidFor(
  account: Account,
  { isAsked }: ChangePrompt,
  sending: Parameters<typeof repetitionOf>[1],
  shown: readonly ShownLine[],
): Promise<void> {
  const { guard } = sending;
  if (effectOf(sending.endpoint, sending.input) === 'money') requireOpened(account.activity);
  const error = attempt(() => requireCovered(shown));
  if (!error) return;
  if (guard) await requireUnused(account, guard);
  // The journal stops it.
  if (!isAsked && (await repetitionOf(account, sending))) return;
  throw error;
}

/** Returns a plan with the signatures that count now: an approver may have been removed while the question was open. Throws CliError. */
async function stillSigned(account: Account, applied: AppliedPlan): Promise<AppliedPlan> {
  const { signaturesOf, signersOf } = await import('../plans/signatures.ts');
  return { ...applied, signed: await signaturesOf(applied.plan, await signersOf(account)) };
}

/** Returns what is known of the service before a request leaves. Throws CliError for a plan that was applied already. */
async function baselineBefore(
  account: Account,
  applied: AppliedPlan | undefined,
  endpoint: Endpoint,
  input: unknown,
  terms: NonNullable<Baseline['terms']>,
): Promise<Baseline> {
  if (applied) await (await import('../evidence/applied.ts')).requireUnapplied(account, applied.plan);
  const { baselineOf } = await import('../evidence/baseline.ts');
  return baselineOf(account, endpoint, input, Object.keys(terms).length === 0 ? undefined : terms);
}

/** What an estimate may be too high by: a price does not move further between a confirmation and the request. */
const ESTIMATE_PERCENT = 10n;

/** The only balance in Naira is that of the earned fees, which cannot be added to. */
const FEWER_FEES = 'choose a smaller amount; max withdraws what is available';
const SEE_BALANCE = 'ask the service what its figure means; the sandbox shows what is documented';

/**
 * Throws CliError declined if what this command has read shows that a change cannot work: nobody trades against it, or the balance does not
 * cover it, or the amount is below the minimum; network if the unit or asset of the balance is not known; usage if the paying wallet is not the user's.
 * A balance that could not be read, or only in part, stops nothing: the service decides.
 */
export function requireCovered(lines: readonly ShownLine[]): void {
  for (const [, , balance, obstacle] of lines) {
    if (obstacle)
      throw new CliError('declined', `${obstacle.message}; nothing was sent`, {
        code: obstacle.code,
        hint: obstacle.hint,
      });
    if (isUncertain(balance))
      throw new CliError('network', `${balance.uncertainty}; nothing was sent`, {
        code: 'UNUSABLE_RESPONSE',
        hint: SEE_BALANCE,
      });
    if (balance?.afterMinor === undefined) continue;
    const { asset, beforeMinor, afterMinor, minimumMinor, isEstimate, isPartial, otherWallets } = balance;
    if (otherWallets)
      throw new CliError('usage', 'the wallet to pay from does not belong to the user; nothing was sent', {
        code: 'NOT_THE_USERS_WALLET',
        hint: `the user’s wallets are: ${otherWallets.join(', ')}`,
      });
    const [held, taken] = [amount(asset, beforeMinor), amount(asset, beforeMinor - afterMinor)];
    const margin = isEstimate ? (taken.minor * ESTIMATE_PERCENT) / 100n : 0n;
    if (afterMinor + margin < 0n && !isPartial)
      throw new CliError(
        'declined',
        `the balance is ${amountForPeople(held)}, and this takes ${isEstimate ? 'about ' : ''}${amountForPeople(taken)}; nothing was sent`,
        {
          code: 'BALANCE_TOO_LOW',
          hint: asset === 'NGN' ? FEWER_FEES : 'add to the balance, or choose a smaller amount',
        },
      );
    if (minimumMinor !== undefined && taken.minor < minimumMinor)
      throw new CliError(
        'declined',
        `${amountForPeople(taken)} is below the minimum of ${amountForPeople(amount(asset, minimumMinor))}; the balance is ${amountForPeople(held)}; nothing was sent`,
        { code: 'BELOW_MINIMUM', hint: 'choose a larger amount' },
      );
  }
}

/**
 * Throws CliError if a response to this command could not be opened: the response to its request could not be either, and its outcome would
 * be unknown.
 */
function requireOpened({ unopened: error }: Pick<Activity, 'unopened'>): void {
  if (!error) return;
  const category = error.category === 'usage' ? 'usage' : 'declined';
  throw withDetails(error, { category, message: `${error.message}; nothing was sent` });
}
