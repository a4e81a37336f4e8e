import { allProfileNames, type Profile, resolveProfile, safeBaseUrl } from '../../account/profile.ts';
import { OF_ENVIRONMENT } from '../../account/stored-profile.ts';
import { advice } from '../../base/advice.ts';
import { attempt, CliError, withDetails } from '../../base/errors.ts';
import type { Operation } from '../../journal/operations.ts';
import { DatabaseError } from '../../sqlite/errors.ts';
import type { Account } from '../account.ts';
import { type Reconciled, reconcile } from '../evidence/reconcile.ts';
import { type OpenedAccount, openAccount } from './open-account.ts';

/** Accounts of the accounts that operations were sent with. */
interface Accounts {
  /** Returns an account of an operation's account: another account's lists say nothing about it. Throws CliError if there is none. */
  of(operation: Operation): Promise<Account>;
  close(): Promise<void>;
}

/** Opens accounts as they are needed. The command's own account comes first, because its key may come from the environment. */
export function accountsOf(account: Account): Accounts {
  const { world } = account;
  const opened = new Map<string, OpenedAccount>();
  const accountWith = (profile: Profile): Account => {
    const found = opened.get(profile.name);
    if (found) return found.account;
    const made = openAccount({ ...account, profile });
    opened.set(profile.name, made);
    return made.account;
  };
  const isOf = async (each: Account, operation: Operation): Promise<boolean> => {
    const journal = await account.journal();
    const accounts = await journal.accountIds(await each.accountNames());
    return accounts.includes(operation.account);
  };
  return {
    of: async (operation) => {
      // The command may not have a usable key itself.
      if (await isOf(account, operation).catch(falseIfCliError)) return account;
      const profile = attempt(() => resolveProfile(operation.profile, world));
      if (profile instanceof CliError) return (await sameAccount(operation)) ?? raise(noProfile(operation, profile));
      const own = accountWith(profile);
      const isOwn = await isOf(own, operation).catch((error) => {
        throw error instanceof CliError ? withDetails(error, { operationId: operation.operationId }) : error;
      });
      return isOwn ? own : ((await sameAccount(operation)) ?? raise(otherAccount(operation)));
    },
    close: async () => {
      for (const each of opened.values()) await each.close();
    },
  };

  /** Finds the account under another profile name. Only keys of profiles with the same address are read. */
  async function sameAccount(operation: Operation): Promise<Account | undefined> {
    for (const name of allProfileNames(world)) {
      const profile = attempt(() => resolveProfile(name, world));
      if (profile instanceof CliError || profile.mode !== operation.mode || !isSameAddress(profile, operation))
        continue;
      const each = accountWith(profile);
      if (await isOf(each, operation).catch(falseIfCliError)) return each;
    }
    return undefined;
  }
}

const isSameAddress = ({ mode, baseUrl }: Profile, operation: Operation): boolean =>
  mode === 'embedded' || baseUrl === attempt(() => safeBaseUrl(operation.baseUrl));

function falseIfCliError(error: unknown): false {
  if (error instanceof CliError) return false;
  throw error;
}

function raise(error: CliError): never {
  throw error;
}

const orResolve = (id: string) =>
  advice`or record how it ended with: [fiatrail ops resolve ${id} --completed|--not-done --reason TEXT]`;

function noProfile({ operationId, profile }: Operation, cause: CliError): CliError {
  if (cause.code !== 'NO_PROFILE') return withDetails(cause, { operationId });
  if (profile === OF_ENVIRONMENT)
    return new CliError(
      'usage',
      'the operation was sent with FIATRAIL_API_KEY, and its account is not the current one',
      {
        code: 'OTHER_ACCOUNT',
        operationId,
        hint: advice`set FIATRAIL_BASE_URL and FIATRAIL_API_KEY to its account, ${orResolve(operationId)}`,
      },
    );
  return new CliError('usage', `profile ${profile}, with which the operation was sent, no longer exists`, {
    code: 'NO_PROFILE',
    operationId,
    hint: advice`add a profile with its key, such as: [fiatrail profiles add ${profile} --base-url URL --key-stdin]; ${orResolve(operationId)}`,
  });
}

function otherAccount({ operationId, profile }: Operation): CliError {
  return new CliError('usage', `profile ${profile} has another account now than when the operation was sent`, {
    code: 'OTHER_ACCOUNT',
    operationId,
    hint: `add a profile with the key of that account, ${orResolve(operationId)}`,
  });
}

/** The result of looking for an operation, and when by the service's time; `unreachable` if its account cannot be used or its service did not answer. */
export type Looked =
  | (Reconciled & { readonly atMs?: number | undefined })
  | { readonly kind: 'unreachable'; readonly operation: Operation; readonly error: CliError };

/** The error for a journal, or an embedded sandbox, that can be read but not written. */
function unrecorded({ problem, path, cause }: DatabaseError): CliError | undefined {
  if (problem !== 'full' && problem !== 'unwritable') return undefined;
  const why = problem === 'full' ? 'the disk is full' : 'the file cannot be opened for writing';
  return new CliError('usage', `how it ended cannot be recorded in ${path}: ${why}`, {
    code: `STATE_${problem.toUpperCase()}`,
    hint: 'make it writable, then run this again',
    cause,
  });
}

/**
 * Looks for operations, each in its own account. With `isTolerant`, an account that cannot be used does not stop the others. Throws
 * CliError otherwise.
 */
export async function reconcileEach(
  account: Account,
  operations: readonly Operation[],
  isTolerant: boolean,
): Promise<Looked[]> {
  const accounts = accountsOf(account);
  const failures = new Map<Account, CliError>();
  const all: Looked[] = [];
  const failed = (operation: Operation, given: unknown, own?: Account): Looked => {
    const error = given instanceof DatabaseError ? (unrecorded(given) ?? given) : given;
    if (!isTolerant || !(error instanceof CliError) || error.category === 'interrupted') throw error;
    if (own) failures.set(own, error);
    return { kind: 'unreachable', operation, error };
  };
  const look = async (operation: Operation): Promise<Looked> => {
    let own: Account | undefined;
    try {
      own = await accounts.of(operation);
      // A service that did not answer is not asked again for the next operation.
      const earlier = failures.get(own);
      if (earlier) return failed(operation, earlier);
      return { ...(await reconcile(own, operation)), atMs: own.time.service.nowMs() };
    } catch (error) {
      return failed(operation, error, own);
    }
  };
  try {
    for (const operation of operations) all.push(await look(operation));
    return all;
  } finally {
    await accounts.close();
  }
}
