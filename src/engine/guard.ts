import { type Advice, advice } from '../base/advice.ts';
import { CliError, type Contradiction, contradictedText } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { RESPONSE_OF_ANOTHER_REQUEST } from '../client/client.ts';
import type { Conflict } from '../journal/claims.ts';
import type { Operation } from '../journal/operations.ts';
import type { Plan } from './plans/plan.ts';

/** What protects a money command from running twice, as it was typed. */
export interface Guard {
  /** The key of `--once`, with its dates filled in. */
  readonly idempotencyKey: string | undefined;
  readonly isAgain: boolean;
  /** Whether a repetition without a key stops. */
  readonly isGuarded: boolean;
  /** Whether it moves whatever is there when it is sent: `--amount max` and `all`. */
  readonly takesRest?: boolean;
  /** What was typed, normalized, as JSON. It may contain secrets; the journal keeps only a digest. */
  readonly input: string;
  /** The plan that is applied, if it is one: its hash is the key. */
  readonly plan?: Plan;
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

/** The contradiction of a response that names work which another operation has. */
export const takenBefore = (requestId: string, holder: string): Contradiction => ({
  asked: 'new work',
  answered: `request id ${requestId}, which is that of operation ${holder}`,
  requestId,
});

/** How a person ends an operation whose response contradicts its request. */
export const resolveHint = (operationId: string): Advice =>
  advice`see it with: [fiatrail ops show ${operationId}]; record how it ended with: [fiatrail ops resolve ${operationId} --completed|--not-done --reason TEXT]`;

/** Thrown to end a command whose earlier request under its idempotency key may have been lost, and may be sent again. */
export class LostRequest extends Error {
  override name = 'LostRequest';
  readonly operation: Operation;
  /** The plan that was applied again, if it was one. */
  readonly plan: Plan | undefined;

  constructor(operation: Operation, plan: Plan | undefined) {
    super('lost');
    this.operation = operation;
    this.plan = plan;
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
    throw new CliError('interrupted', 'interrupted while another process was at work on this; nothing was sent');
  });
}

/** The error for a plan that somebody rejected or withdrew just before its operation was recorded. */
export const planClosed = (not: 'sent' | 'changed', planId: string | undefined): CliError =>
  new CliError('declined', `the plan was rejected or withdrawn in the meantime; nothing was ${not}`, {
    code: 'PLAN_CLOSED',
    hint: planId === undefined ? undefined : advice`see who decided, and why, with: [fiatrail plans show ${planId}]`,
  });

/** The error for an operation that stops another one. Nothing was sent this time. */
export function conflictError(kind: Exclude<Conflict['kind'], 'done' | 'busy'>, operation: Operation): CliError {
  const { operationId, idempotencyKey, summary, createdAt } = operation;
  const when = timeForPeople(createdAt);
  const { contradiction } = operation.searchState;
  const unknown = contradiction
    ? { code: RESPONSE_OF_ANOTHER_REQUEST, hint: resolveHint(operationId), contradiction, operationId }
    : { code: 'OUTCOME_UNKNOWN', hint: reconcileHint(operationId), operationId };
  const why = contradiction ? `uncertain: ${contradictedText(contradiction)}` : 'unknown';
  switch (kind) {
    case 'other-input':
      return new CliError(
        'usage',
        `the idempotency key ${idempotencyKey} was used for something else on ${when}: ${summary}; nothing was sent`,
        {
          code: 'ONCE_KEY_TAKEN',
          hint: 'use another key, or the input that was used with this one',
          operationId,
        },
      );
    case 'unknown-outcome':
      return new CliError(
        'unknown',
        `${summary}, sent on ${when} under key ${idempotencyKey}: the outcome is ${why}; nothing was sent this time`,
        unknown,
      );
    case 'equal-unknown':
      return new CliError(
        'declined',
        `the outcome of an equal operation (${operationId}: ${summary}), sent on ${when}, is ${why}; nothing was sent this time`,
        unknown,
      );
    case 'repeated':
      return new CliError('declined', `already done on ${when}: ${summary}; nothing was sent this time`, {
        code: 'REPEATED',
        hint: 'to repeat it, add --again; in scripts, use --once KEY',
        operationId,
      });
  }
}

/** What to do about an operation whose outcome is unknown: nothing else can tell whether doing it again would be the second time. */
export const reconcileHint = (operationId: string): Advice =>
  advice`find out with: [fiatrail ops reconcile ${operationId}]`;

export const timeForPeople = (iso: string) => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
