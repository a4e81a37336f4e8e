import { onTestFinished } from 'vitest';
import type { Profile } from '../../src/account/profile.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { feeWithdrawals, withdrawFees } from '../../src/contract/endpoints/fee-withdrawals.ts';
import type { Account } from '../../src/engine/account.ts';
import type { EvidenceList, Work, WorkCandidate } from '../../src/engine/evidence/work.ts';
import type { Baseline, Intent } from '../../src/journal/intent.ts';
import type { Operation } from '../../src/journal/operations.ts';
import { feeWithdrawal } from '../../src/things/fee-withdrawal.ts';
import { outcomeIn } from '../../src/things/states.ts';
import { INTENT, testJournal } from '../support/journal-intent.ts';
import { fakeClock } from '../support/sandbox.ts';

export const START_MS = Date.UTC(2026, 0, 5, 9);

/** How long a command waits for a response. */
export const BUSY_MS = 30_000;

/** A row of the service's list, `atMs` after the start; null if it does not say its time. */
export interface ListedRow {
  readonly id: string;
  readonly atMs: number | null;
  readonly amount?: number;
  readonly text?: string;
}

/** What a request says, for `Work` below. */
export const requestOf = (amount: number, more: object = {}) => JSON.stringify({ amount, ...more });

/** A unknownOutcome, `atMs` after the start. */
interface Doubt {
  readonly atMs?: number;
  readonly request?: string;
  readonly baseline?: Baseline | null;
  readonly tag?: string;
  readonly endpoint?: string;
  /** Its command still runs. */
  readonly isBusy?: boolean;
}

/** A list whose types are those of its endpoint. */
export const listing = <L extends Endpoint, R>(definition: EvidenceList<L, R>) => definition as unknown as EvidenceList;

/** A work whose list says the amount alone, so that two different requests may have the same rows. */
export const work = ({ isPartial = false }: { readonly isPartial?: boolean } = {}): Work => ({
  starts: [withdrawFees],
  evidence: 'fiatrail fees withdrawals list',
  list: ({ amount }) =>
    listing<typeof feeWithdrawals, ListedRow>({
      endpoint: feeWithdrawals,
      page: () => ({}),
      rowsOf: ({ withdrawals }) => withdrawals as unknown as readonly ListedRow[],
      read: (row) => ({
        requestId: row.id,
        createdAt: row.atMs === null ? null : new Date(START_MS + row.atMs).toISOString(),
        state: 'pending',
        text: row.text,
        isLike: String(row.amount ?? 500) === String(amount),
        isPartial,
      }),
      outcomeOf: (state) => outcomeIn(feeWithdrawal, state),
    }),
});

/** A journal with unknownOutcomes, and a session whose service has a list. The clocks are right. */
export async function rig(profile: Pick<Profile, 'mode' | 'stored'> = { mode: 'sandbox', stored: undefined }) {
  const clock = fakeClock(START_MS);
  const journal = await testJournal({ clock });
  onTestFinished(() => journal.close());
  let rows: readonly ListedRow[] = [];
  let unknownOutcomes = 0;
  const parts = {
    profile,
    globals: { timeoutMs: BUSY_MS },
    journal: async () => journal,
    accountNames: async () => INTENT.account,
    time: { service: { nowMs: (): number | undefined => clock.now(), hostAheadMs: () => 0, jumpMs: () => 0 } },
    call: async () => ({ data: { withdrawals: rows } }),
  };
  const session = parts as unknown as Account;
  const find = async (id: string): Promise<Operation> => {
    const [operation] = await journal.find(id);
    if (!operation) throw new Error(`no operation ${id}`);
    return operation;
  };
  return {
    clock,
    journal,
    session,
    find,
    list: (...shown: readonly ListedRow[]) => {
      rows = shown;
    },
    /** Records a request whose outcome is unknown, and returns its id. */
    unknownOutcome: async ({ atMs = 0, baseline = {}, isBusy = false, ...given }: Doubt = {}): Promise<string> => {
      clock.set(START_MS + atMs);
      const kept = baseline && { serviceAtMs: clock.now(), hostAheadMs: 0, ...baseline };
      unknownOutcomes += 1;
      const intent: Intent = {
        ...INTENT,
        request: requestOf(500),
        ...given,
        idempotencyKey: `k-${unknownOutcomes}`,
        ...(kept ? { baseline: kept } : {}),
      };
      const claim = await journal.claim(intent, BUSY_MS);
      if (claim.kind !== 'ours') throw new Error(`the claim is ${claim.kind}`);
      if (!isBusy) await journal.append(claim.operationId, 'unknown');
      return claim.operationId;
    },
  };
}

export const idsOf = (candidates: readonly WorkCandidate[]) => candidates.map(({ requestId }) => requestId);
