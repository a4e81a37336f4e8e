import type { Profile } from '../account/profile.ts';
import type { CallOptions, Reply } from '../client/client.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../contract/endpoint.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Journal } from '../journal/interface.ts';
import type { Activity } from './activity.ts';
import type { AccountConnection } from './connection/connect.ts';
import type { Notices, Progress } from './connection/notices.ts';
import type { ServiceTime } from './connection/service-time.ts';
import type { OperatorList } from './plans/operator-list.ts';
import type { RequestOptions } from './requests.ts';
import type { AccountRules } from './rules/account-rules.ts';

export interface AccountCallOptions extends CallOptions, RequestOptions {}

/** A reply with the request that it answers, which may name the token of an amount that the reply does not. */
export interface AccountReply<D> extends Reply<D> {
  readonly request?: unknown;
}

/** The account at work for one command: how to call its service, its journal, and who decides about its money. */
export interface Account extends Notices {
  readonly profile: Profile;
  /** The command without its arguments, such as `fiatrail onramp start`, for the journal. */
  readonly commandLine: string;
  /** Returns the flag or argument that a request field comes from, for messages. */
  inputName(field: string): string;
  /** What a command that takes long says. */
  readonly progress: Progress;
  /** What this command has done in the account. */
  readonly activity: Activity;
  /** The times that all hosts agree on. */
  readonly time: ServiceTime;
  /** The rules for a change: those of the profile, and those that hosts share in the journal. */
  readonly rules: AccountRules;
  /** Calls an endpoint that reads, or whose change needs no consent; `Changes.change` makes the others. */
  call<E extends Endpoint>(
    endpoint: E,
    input: RequestWithoutConsent<E>,
    options?: AccountCallOptions,
  ): Promise<AccountReply<ResponseOf<E>>>;
  /** The connection for an endpoint, once the service's public key was checked. */
  connection(endpoint?: Endpoint): Promise<AccountConnection>;
  /** What identifies the account in the journal. */
  accountNames(): Promise<AccountNames>;
  /** Who signs for this account. Warns as `warnOfChanges` does. */
  operators(): Promise<OperatorList>;
  /** Warns once of each pending change of operators in the journal, of whatever account. */
  warnOfChanges(): Promise<void>;
  journal(): Promise<Journal>;
  /** The journal, unless this machine has none yet. */
  existingJournal(): Promise<Journal | undefined>;
  close(): Promise<void>;
}
