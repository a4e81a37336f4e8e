import { sha256Hex } from '../crypto/digest.ts';
import type { Account } from './account.ts';
import type { Asking, Changes } from './change.ts';
import type { Guard } from './guard.ts';
import type { PlanMode } from './plans/change.ts';
import type { IdempotencyKeyUse } from './rules/account-rules.ts';

/** Whether a command has an idempotency key, for its rules. A plan is its own idempotency key. */
export function idempotencyKeyUse({ guard, planMode }: Pick<Changes, 'guard' | 'planMode'>): IdempotencyKeyUse {
  const given = guard();
  if (!given) return 'not-taken';
  return given.idempotencyKey === undefined && !planMode() ? 'missing' : 'given';
}

/** Derives the service's idempotency key from ours: it does not reveal ours, and is the same on every host. */
function serviceIdempotencyKeyOf(key: string): string {
  return `fr-${sha256Hex(`fiatrail once ${key}`).slice(0, 32)}`;
}

/** Makes the changes of a command. How a change is made is loaded with the first one, as most commands only read. */
export function createChanges(account: Account, asking: Asking): Changes {
  let guard: Guard | undefined;
  let mode: PlanMode | undefined;
  const changes: Changes = {
    guardWith: (given) => {
      const kind = mode?.kind ?? 'write';
      if (guard === undefined || kind === 'write') guard = given;
    },
    guard: () => guard,
    serviceIdempotencyKey: () => {
      // The request of a plan contains the key, so it cannot come from the plan's hash.
      if (mode) return serviceIdempotencyKeyOf(`plan ${mode.kind === 'write' ? mode.id : mode.plan.content.id}`);
      return guard?.idempotencyKey === undefined ? undefined : serviceIdempotencyKeyOf(guard.idempotencyKey);
    },
    planWith: (given) => {
      mode = given;
    },
    planMode: () => mode,
    asPlanned: async (change, check) =>
      mode && (await import('./change.ts')).asPlanned(account, asking, mode, change, check),
    change: async (endpoint, input, change, options = {}) =>
      (await import('./change.ts')).changeOf(account, asking, changes, { endpoint, input, change, options }),
  };
  return changes;
}
