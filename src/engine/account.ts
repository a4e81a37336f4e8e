import type { Profile } from '../account/profile.ts';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Reply } from '../client/client.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../contract/endpoint.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Journal } from '../journal/interface.ts';
import type { Amount } from '../money/amount.ts';
import type { AccountConnection } from './connection/connect.ts';
import type { AccountOptions, Notices } from './connection/notices.ts';
import type { ServiceTime } from './connection/service-time.ts';
import type { Guard } from './guard.ts';
import type { UncertainBalance } from './plans/line.ts';
import type { RequestOptions } from './requests.ts';
import type { AccountRules } from './rules/account-rules.ts';

export interface AccountCallOptions extends CallOptions, RequestOptions {
  /** What protects work that moves no money from starting twice, such as an onboarding of a file. */
  readonly guard?: Guard | undefined;
}

/** A reply with the request that it answers, which may name the token of an amount that the reply does not. */
export interface AccountReply<D> extends Reply<D> {
  readonly request?: unknown;
}

/** The command that an account is at work for. */
interface AccountCommand {
  /** The command without its arguments, such as `fiatrail onramp create`, for the journal. */
  readonly line: string;
  /** Returns the flag or argument that a request field comes from, for messages. */
  inputName(field: string): string;
}

/** The account at work for one command: how to call its service, its journal, and who decides about its money. It knows no terminal. */
export interface Account {
  readonly world: World;
  readonly profile: Profile;
  readonly globals: AccountOptions;
  readonly command: AccountCommand;
  readonly notices: Notices;
  /** What this command has done in the account. */
  readonly activity: Activity;
  /** Whether money may wait until the list that will show it can be read, as the rows of a file may: without that, an outcome can stay unknown for good. */
  readonly mayWait?: true;
  /** The times that all hosts agree on. */
  readonly time: ServiceTime;
  /** The rules for a change: those of the profile, and those that hosts share in the journal. */
  readonly rules: AccountRules;
  /** Calls an endpoint that reads, or whose change needs no consent; `change` of the terminal makes the others. */
  call<E extends Endpoint>(
    endpoint: E,
    input: RequestWithoutConsent<E>,
    options?: AccountCallOptions,
  ): Promise<AccountReply<ResponseOf<E>>>;
  /** The connection for an endpoint, once the service's public key was checked. */
  connection(endpoint?: Endpoint): Promise<AccountConnection>;
  /** What identifies the account in the journal. */
  accountNames(): Promise<AccountNames>;
  journal(): Promise<Journal>;
}

/** A change that the service accepted, with the operation id and the service's request id, if any. */
export interface Changed {
  readonly operationId: string | undefined;
  readonly requestId: string | undefined;
}

/** An operation whose response has not been recorded yet. */
interface InFlight {
  readonly operationId: string;
  readonly summary: string;
}

/** What is available for withdrawal, and the limits of one; undefined if the service does not say it, or not in a unit that is known. */
export interface KnownFees {
  readonly available: Amount | undefined;
  readonly minimum: Amount | undefined;
  readonly maximum: Amount | undefined;
  /** The figure among them that is no amount. */
  readonly uncertain?: UncertainBalance;
}

/** What one command has done in its account so far. */
export interface Activity {
  /** The accepted change, if there is one; a later failure must not look as if nothing was sent. */
  changed?: Changed;
  /** The first failure of a read, until it is cleared: a confirmation leaves out what cannot be read, a plan must not. */
  unread?: unknown;
  /** The first response that is encrypted and could not be opened, or that should have been encrypted. */
  unopened?: CliError;
  /** The fees that this command has read, if it has. */
  fees?: KnownFees;
  /** Whether it has warned of pending changes of approvers. */
  hasWarnedOfApprovers?: true;
  /** The operation that is being sent. */
  inFlight?: InFlight | undefined;
}

/** The error of a command that was interrupted twice: what it leaves behind. */
export function abandonedError({ inFlight }: Activity): CliError {
  if (!inFlight) return new CliError('interrupted', 'stopped at once; no request was in flight');
  const { operationId, summary } = inFlight;
  return new CliError('unknown', `stopped before a response to ${summary} was recorded; its outcome is unknown`, {
    code: 'OUTCOME_UNKNOWN',
    hint: advice`find out with: [fiatrail ops reconcile ${operationId}]`,
    operationId,
  });
}
