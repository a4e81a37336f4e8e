import type { Host } from '../base/world.ts';
import { timeForPeople } from '../engine/guard.ts';
import type { RowOf } from '../store/table.ts';
import type { FILLER } from './schema.ts';

/** The process that fills a local copy. */
export interface Filler {
  /** The name of its machine. */
  readonly host: string;
  readonly processId: number;
  readonly sinceMs: number;
}

type FillerRow = RowOf<typeof FILLER>;

/** A machine's name has no slash; what follows one tells apart the hosts of a server. */
export const fillerOf = ({ host, process, since }: FillerRow): Filler => ({
  host: host.split('/', 1)[0] ?? host,
  processId: Number(process),
  sinceMs: Number(since),
});

/**
 * Whether this host knows that a process of its own has ended: its id is gone, or belongs to another run. Where the system does not tell runs
 * apart, only this process knows that what had its id before has ended.
 */
export function hasEnded({ host, process, run }: Pick<FillerRow, 'host' | 'process' | 'run'>, here: Host): boolean {
  if (host !== here.name) return false;
  const id = Number(process);
  if (!here.isRunning(id)) return true;
  const now = here.runOf?.(id);
  return now === undefined || run === null ? id === here.processId : now !== run;
}

/** `a sync by process 4711 on web-1 has been running since 2026-11-26 09:00 UTC`. */
export const fillerForPeople = ({ host, processId, sinceMs }: Filler): string =>
  `a sync by process ${processId} on ${host} has been running since ${timeForPeople(new Date(sinceMs).toISOString())}`;
