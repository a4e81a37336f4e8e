import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import type { Conflict } from '../journal/claims.ts';
import type { Operation } from '../journal/operations.ts';

/** What protects a money command from running twice, as it was typed. */
export interface Guard {
  /** The key of `--once`, with its dates filled in. */
  readonly idempotencyKey: string | undefined;
  readonly isAgain: boolean;
  /** Whether a repetition without a key stops. */
  readonly isGuarded: boolean;
  /** What was typed, normalized, as JSON. It may contain secrets; the journal keeps only a digest. */
  readonly input: string;
}

/** Thrown to end a command whose work is already done under its idempotency key; the journal's record is printed instead. */
export class AlreadyDone extends Error {
  override name = 'AlreadyDone';
  readonly operation: Operation;

  constructor(operation: Operation) {
    super('already done');
    this.operation = operation;
  }
}

/** Thrown to end a command whose earlier request under its idempotency key may have been lost, and may be sent again. */
export class LostRequest extends Error {
  override name = 'LostRequest';
  readonly operation: Operation;

  constructor(operation: Operation) {
    super('lost');
    this.operation = operation;
  }
}

/** How often a second runner looks whether the first one is done. */
const LOOK_AGAIN_MS = 200;

/** Waits while another process is at work under the key. Throws AlreadyDone, and CliError if the operation conflicts. */
export async function requireFree(
  { world }: { readonly world: Pick<World, 'clock' | 'interrupted'> },
  { kind, operation }: Conflict,
): Promise<void> {
  if (kind === 'done') throw new AlreadyDone(operation);
  if (kind !== 'busy') throw conflictError(kind, operation);
  await world.clock.sleep(LOOK_AGAIN_MS, world.interrupted).catch(() => {
    throw new CliError(
      'interrupted',
      'interrupted while another process was at work under this idempotency key; nothing was sent',
    );
  });
}

function conflictError(kind: 'other-input' | 'in-doubt' | 'repeated', operation: Operation): CliError {
  const { operationId, idempotencyKey, summary, createdAt, state } = operation;
  const when = timeForPeople(createdAt);
  if (kind === 'other-input')
    return new CliError(
      'usage',
      `the idempotency key ${idempotencyKey} was used for something else on ${when}: ${summary}; nothing was sent`,
      {
        code: 'ONCE_KEY_TAKEN',
        hint: 'use another key, or the input that was used with this one',
        operationId,
      },
    );
  if (kind === 'in-doubt')
    return new CliError(
      'unknown',
      `the outcome of ${summary}, run under this idempotency key on ${when}, is unknown; nothing was sent this time`,
      {
        code: 'OUTCOME_UNKNOWN',
        hint: `find out with: fiatrail ops reconcile ${operationId}`,
        operationId,
      },
    );
  const isInDoubt = state === 'sent' || state === 'unknown';
  return new CliError(
    'declined',
    `already ${isInDoubt ? 'sent, with an unknown outcome,' : 'done'} on ${when}: ${summary}; nothing was sent this time`,
    {
      code: 'REPEATED',
      hint: 'to repeat it, add --again; in scripts, use --once KEY',
      operationId,
    },
  );
}

export const timeForPeople = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
