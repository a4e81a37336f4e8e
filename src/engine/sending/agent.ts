import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { Effect, Endpoint } from '../../contract/endpoint.ts';
import { destinationsOf } from '../../contract/moves.ts';
import type { SpendLimit } from '../../journal/intent.ts';
import { BY_AGENT } from '../../journal/spending.ts';
import type { Account } from '../account.ts';
import type { PlanToApply } from '../plans/change.ts';

/** What the allowance is for: money to a bank account. */
const ALLOWED = ['transactions.fintech-offramp', 'transactions.offramp'];

/** How long a bank account must have been there: long enough that someone notices one that should not be. */
const SAVED_MS = 48 * 3_600_000;

/** What an agent has applied; without the plan, only what is known of its approvals. */
type ForAgent = Pick<PlanToApply, 'signed'> & Partial<Pick<PlanToApply, 'plan'>>;

const blocked = (why: string, { plan }: Partial<Pick<PlanToApply, 'plan'>>) =>
  new CliError('declined', `${why}, so an agent needs an approval; nothing was sent`, {
    code: 'APPROVAL_REQUIRED',
    hint: plan
      ? advice`have a person approve the plan with: [fiatrail plans approve ${plan.content.id}]`
      : advice`have a person approve the plan with: [fiatrail plans approve ID]`,
  });

/**
 * Throws CliError declined unless what an agent is about to change is a sandbox, by its controls: anything else it changes only as a plan says,
 * and nothing that this machine remembers.
 */
export function requireControl(agent: string, endpoint?: Pick<Endpoint, 'area' | 'summary'>): void {
  if (endpoint?.area !== 'control') throw notForAgents(agent, endpoint?.summary ?? 'this');
}

/** A command line of an agent, as far as its rules depend on it. */
interface AgentLine {
  readonly words: readonly string[];
  readonly effect: Effect;
  /** Whether it takes `--plan`, and whether that is given. */
  readonly isPlannable: boolean;
  readonly isPlan: boolean;
  readonly isDryRun: boolean;
  /** Whether it prints a secret. */
  readonly showsSecret: boolean;
  /** The words with which it would only be planned. */
  readonly planned: readonly string[];
}

/**
 * Throws CliError declined unless an agent may run a command: it reads, controls a sandbox, only shows what it would send, or moves money as a plan. A plan
 * that is applied meets the rest of the rules where it is sent (`agentAllowance`).
 */
export function requireOpenToAgents(agent: string, line: AgentLine): void {
  const { words, effect, isPlannable, isPlan, isDryRun, showsSecret, planned } = line;
  const name = `fiatrail ${words.join(' ')}`;
  if (showsSecret)
    throw new CliError('declined', `${name} prints a secret, which agent ${agent} must not see; nothing was sent`, {
      code: 'NOT_FOR_AGENTS',
      hint: 'ask a person to run it',
    });
  if (effect === 'read' || isDryRun || words[0] === 'sandbox' || name === 'fiatrail plans apply') return;
  const isPlanned = effect === 'money' && isPlannable;
  if (isPlanned && isPlan) return;
  throw notForAgents(agent, name, isPlanned ? planned : undefined);
}

/** `planned`: the words of the command that plans it. */
function notForAgents(agent: string, what: string, planned?: readonly string[]): CliError {
  if (!planned)
    return new CliError('declined', `agent ${agent} cannot run ${what}, which makes changes; nothing was changed`, {
      code: 'NOT_FOR_AGENTS',
      hint: 'ask a person to run it',
    });
  return new CliError('declined', `${what} moves money, which agent ${agent} can only plan; nothing was sent`, {
    code: 'APPROVAL_REQUIRED',
    hint: advice`plan it with: [fiatrail ${planned}]; then have a person approve the plan`,
  });
}

const isApproved = ({ signed }: Pick<PlanToApply, 'signed'>): boolean => signed.some(({ role }) => role === 'signer');

/** Throws CliError declined unless another approver approved what an agent sends without the allowance. */
export function requireApproved(applied: ForAgent | undefined): void {
  if (!applied || !isApproved(applied)) throw blocked('no one has approved the plan', applied ?? {});
}

/** What an agent sends within the allowance: the sums that the journal checks when it records it, and what it is recorded as. */
interface Allowance {
  readonly limits: readonly SpendLimit[];
  readonly command: Account['command'];
}

/**
 * Returns what an agent needs of the allowance of the profile to have a plan sent; undefined if another approver has approved it. Throws
 * CliError declined if no one has, and the allowance does not cover it.
 */
export async function agentAllowance(
  account: Account,
  endpoint: Endpoint,
  input: unknown,
  applied: ForAgent | undefined,
): Promise<Allowance | undefined> {
  if (!applied) throw blocked('only a plan can be sent for an agent', {});
  if (isApproved(applied)) return undefined;
  const allowances = await account.rules.agentAllowances();
  if (allowances.length === 0)
    throw blocked('no one has approved the plan, and the profile has no allowance for agents', applied);
  if (!ALLOWED.includes(endpoint.id))
    throw blocked('the allowance for agents is for payouts and offramps alone', applied);
  await requireSavedLongAgo(account, endpoint, input, applied);
  return {
    limits: allowances.map(({ asset, minor }) => ({ asset, period: 'day', command: BY_AGENT, maxMinor: minor })),
    command: { ...account.command, line: BY_AGENT },
  };
}

/** Throws CliError declined unless every destination is a bank account that was added long ago. */
async function requireSavedLongAgo(
  account: Account,
  endpoint: Endpoint,
  input: unknown,
  applied: ForAgent,
): Promise<void> {
  const { listBankAccounts } = await import('../../contract/endpoints/banks.ts');
  const { data } = await account.call(listBankAccounts, {}, { isBeforehand: true });
  const nowMs = await account.time.nowMs();
  const destinations = destinationsOf(endpoint, input);
  for (const to of destinations) {
    const found = (data.accounts ?? []).filter((each) => {
      if (to.kind === 'saved-account') return each.accountId === to.accountId;
      return to.kind === 'account' && each.bankCode === to.bankCode && each.accountNumber === to.accountNumber;
    });
    const isOld = ({ createdAt }: (typeof found)[number]) =>
      typeof createdAt === 'string' && nowMs - Date.parse(createdAt) >= SAVED_MS;
    if (found.length === 0 || !found.every(isOld))
      throw blocked(
        'the bank account was not added 48 hours ago or earlier, or the service does not say when',
        applied,
      );
  }
  if (destinations.length === 0) throw blocked('the plan does not say which bank account it pays', applied);
}
