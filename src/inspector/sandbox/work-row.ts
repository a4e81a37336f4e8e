import { type Asset, amount, amountForPeople } from '../../money/amount.ts';
import { bankByCode } from '../../service/banks/banks.ts';
import { MACHINES } from '../../service/machines.ts';
import type { Row } from '../source.ts';
import { selected } from './work-columns.ts';
import { lookOfWork } from './work-filter.ts';

/** Something that goes through states, with what lists show of it. */
export interface WorkRow {
  readonly subject: bigint;
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly created_at: bigint;
  readonly minor: bigint | null;
  readonly asset: Asset | null;
  readonly user: bigint | null;
  readonly who: string | null;
  readonly bank: string | null;
  readonly target: string | null;
  readonly route: string | null;
  readonly ended_at: bigint | null;
}

export const ALL_WORK = MACHINES.map(selected).join(' UNION ALL ');

const isoTime = (timeMs: bigint) => new Date(Number(timeMs)).toISOString();

/** `GTBANK · 0123456789`, `eth → base · 0x01a2…`, `into 7711943423`. */
function shownTarget(route: string | null, bank: string | null, target: string | null): string | null {
  const parts = [route, bank, target].filter((each) => each !== null);
  return parts.length === 0 ? null : parts.join(route === 'into' ? ' ' : ' · ');
}

export function rowOfWork(work: WorkRow): Row {
  const { kind, id, state, created_at: at, minor, asset, user, who, bank, target, route, ended_at: endedAt } = work;
  const of = bank === null ? null : (bankByCode(bank)?.name ?? bank);
  return {
    id,
    kind,
    state,
    at: isoTime(at),
    look: lookOfWork(kind, state, user !== null),
    amount: minor === null || asset === null ? null : amountForPeople(amount(asset, minor)),
    who,
    for: shownTarget(route, of, target),
    endedAt: endedAt === null ? null : isoTime(endedAt),
  };
}
