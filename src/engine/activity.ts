import { CliError } from '../base/errors.ts';
import type { Amount } from '../money/amount.ts';
import type { BalanceInDoubt } from './plans/line.ts';

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
  readonly inDoubt?: BalanceInDoubt;
}

/** What one command has done in its account so far. */
export interface Activity {
  /** The accepted change, if there is one; a later failure must not look as if nothing was sent. */
  changed?: Changed;
  /** The first failure of a read, until it is cleared: a confirmation leaves out what cannot be read, a plan must not. */
  unread?: unknown;
  /** The first response that is sealed and could not be opened, or that should have been sealed. */
  unopened?: CliError;
  /** The fees that this command has read, if it has. */
  fees?: KnownFees;
  /** Whether it has warned of pending changes of operators. */
  hasWarnedOfOperators?: true;
  /** The operation that is being sent. */
  inFlight?: InFlight | undefined;
}

/** The error of a command that was interrupted twice: what it leaves behind. */
export function abandonedError({ inFlight }: Activity): CliError {
  if (!inFlight) return new CliError('interrupted', 'stopped at once; no request was in flight');
  const { operationId, summary } = inFlight;
  return new CliError('unknown', `stopped before a response to ${summary} was recorded; its outcome is unknown`, {
    code: 'OUTCOME_UNKNOWN',
    hint: `find out with: fiatrail ops reconcile ${operationId}`,
    operationId,
  });
}
