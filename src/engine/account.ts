import type { Profile } from '../account/profile.ts';
import type { World } from '../base/world.ts';
import type { CallOptions, Reply } from '../client/client.ts';
import type { Endpoint, RequestWithoutConsent, ResponseOf } from '../contract/endpoint.ts';
import type { AccountNames } from '../journal/accounts.ts';
import type { Journal } from '../journal/interface.ts';
import type { Activity } from './activity.ts';
import type { AccountConnection } from './connection/connect.ts';
import type { AccountOptions, Notices } from './connection/notices.ts';
import type { ServiceTime } from './connection/service-time.ts';
import type { RequestOptions } from './requests.ts';
import type { AccountRules } from './rules/account-rules.ts';

export interface AccountCallOptions extends CallOptions, RequestOptions {}

/** A reply with the request that it answers, which may name the token of an amount that the reply does not. */
export interface AccountReply<D> extends Reply<D> {
  readonly request?: unknown;
}

/** The command that an account is at work for. */
interface AccountCommand {
  /** The command without its arguments, such as `fiatrail onramp start`, for the journal. */
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
