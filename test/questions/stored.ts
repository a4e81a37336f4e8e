import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { zoneNamed } from '../../src/base/zone.ts';
import { openCopyFile } from '../../src/copy/database.ts';
import { monthNamed, spanOf } from '../../src/copy/questions/report/periods.ts';
import { settleFees } from '../../src/copy/settle-fees.ts';
import { TABLES } from '../../src/copy/tables.ts';
import { noteUnlisted } from '../../src/copy/unlisted.ts';
import type { Queries } from '../../src/journal/store.ts';
import { fakeClock, fakeWorld } from '../support/world.ts';
import { allRead } from './copy.ts';

export const NOW_MS = Date.UTC(2026, 11, 5);

/** A month in Lagos. */
export const spanOfMonth = (month: string) => {
  const { sinceMs, untilMs } = monthNamed(month, zoneNamed('Africa/Lagos'), NOW_MS) ?? { sinceMs: 0, untilMs: 0 };
  return spanOf(sinceMs, untilMs);
};

type Row = Readonly<Record<string, string | bigint | null>>;

/** What every row of a list has in the copy. */
const ROW = {
  created_at: '2026-10-31T20:00:00.000Z',
  is_open: 0n,
  is_personal: 0n,
  digest: 'x',
  pass: 1n,
  first_seen_at: '2026-11-04T00:00:00.000Z',
  changed_at: '2026-11-04T00:00:00.000Z',
};

export const DEPOSIT = {
  id: 'd-1',
  status: 'completed',
  type: 'fintech_deposit',
  amount_minor: 70_000n,
  amount_asset: 'NGN',
  fee_minor: 500n,
  fee_asset: 'NGN',
};

export const TRANSFER = {
  id: 't-1',
  status: 'completed',
  type: 'fintech_self_transfer',
  amount_minor: 5_000n,
  amount_asset: 'USDC',
};

export const TRADE = {
  status: 'completed',
  pair: 'CNGN-USDC',
  side: 'buy',
  cngn_minor: 1_400_000_000n,
  cngn_asset: 'CNGN',
  usdc_minor: 1_000_000n,
  usdc_asset: 'USDC',
};

/** When a row ended, as a sync notes it that sees it for the first time. */
const endOf = (table: string, row: Row): Row => {
  const isOver =
    (row['is_open'] ?? ROW.is_open) === 0n && TABLES.some(({ name, hasStates }) => name === table && hasStates);
  const times = [row['completed_at'], row['updated_at']];
  // What failed may have been completed before.
  const [known] = (row['status'] === 'completed' ? times : times.toReversed()).filter((time) => time != null);
  return isOver ? { ended_at: known ?? row['created_at'] ?? ROW.created_at } : {};
};

/** Fills a copy, by table; `gap` are the lists that were not read to their end. Returns how it is asked. */
export async function copyOf(tables: Readonly<Record<string, readonly Row[]>>, gap: readonly string[] = []) {
  const world = fakeWorld({ clock: fakeClock(NOW_MS) });
  world.ensurePrivateDir(world.stateDir);
  const copy = await openCopyFile(join(world.stateDir, 'copy.db'), world);
  onTestFinished(() => copy.close());
  await copy.write(async (queries) => {
    await allRead(queries, gap);
    for (const [table, rows] of Object.entries(tables))
      for (const row of rows) {
        const all = Object.entries(
          table.startsWith('balance') || table === 'status_changes' || table === 'fee_schedules'
            ? row
            : { ...ROW, ...endOf(table, row), ...row },
        );
        await queries.run(
          `INSERT INTO stored_${table} (${all.map(([name]) => name).join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
          ...all.map(([, value]) => value),
        );
      }
    await settleFees(queries);
    await noteUnlisted(queries);
  });
  return <T>(ask: (queries: Queries) => Promise<T>) => copy.read(ask);
}

export const held = (at: string, minor: bigint) => ({ source: 'wallet', place: 'base', asset: 'USDC', minor, at });

export const looks = (...all: readonly (readonly [at: string, minor: bigint])[]) => ({
  balance_checks: all.map(([at]) => ({ at })),
  balances: all.map(([at, minor]) => held(at, minor)),
});
