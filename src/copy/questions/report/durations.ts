import type { Queries } from '../../../journal/store.ts';
import { bucketOf } from '../../bucket.ts';
import { ENDED_AT, type WorkKind } from './kinds.ts';
import type { Span } from './movements.ts';

/** How long completed work of a kind took in a part of a period. */
interface Durations {
  readonly part: bigint;
  /** Of how many it is known exactly when they ended. */
  readonly n: bigint;
  readonly median: bigint;
  readonly p95: bigint;
}

/** From the start of a row to its end, in milliseconds. */
const TOOK = {
  sqlite: `CAST(round((julianday(${ENDED_AT}) - julianday(created_at)) * 86400000.0) AS INTEGER)`,
  postgres: `CAST(round(extract(epoch FROM (${ENDED_AT}::timestamptz - created_at::timestamptz)) * 1000) AS BIGINT)`,
} as const;

/** Of so many, the one that as many percent are not above. */
const rank = (percent: number) => `(n * ${percent} + 99) / 100`;

/** Returns how long the completed work of a kind took, in each part of a period that has some of which it is known. */
export function durationsIn(
  queries: Queries,
  { table, where, done }: WorkKind,
  parts: readonly Span[],
): Promise<readonly Durations[]> {
  return queries.all<Durations>(
    `SELECT part, max(n) AS n, max(CASE WHEN at = ${rank(50)} THEN ms END) AS median, max(CASE WHEN at = ${rank(95)} THEN ms END) AS p95
     FROM (SELECT part, ms, row_number() OVER (PARTITION BY part ORDER BY ms) AS at, count(*) OVER (PARTITION BY part) AS n
       FROM (SELECT ${bucketOf(
         ENDED_AT,
         parts.map(({ to }) => to),
       )} AS part, ${TOOK[queries.engine]} AS ms FROM ${table}
         WHERE ${where} AND ${done} AND end_bound IS NULL AND created_at IS NOT NULL AND ${ENDED_AT} > ? AND ${ENDED_AT} <= ?) took) ranked
     GROUP BY part ORDER BY part`,
    parts[0]?.from ?? '',
    parts.at(-1)?.to ?? '',
  );
}
