import { expect } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { LISTS, type MovingService } from '../copy/moving-service.ts';
import type { TestServer } from '../support/postgres.ts';

/** Expects that a copy on a server has the rows of the service, each with its status. */
export function expectCopiedTo(server: TestServer, url: string, service: MovingService): void {
  const each = Object.keys(LISTS).map(
    (table) =>
      `SELECT '${table} ' || id || ' ' || coalesce(status, '') || '.' FROM ${SCHEMA}.${table} WHERE deleted_at IS NULL`,
  );
  const copied = server.sql(url, each.join(' UNION ALL ')).split('\n');
  const rows = Object.entries(LISTS).flatMap(([table, { id, status }]) =>
    (service.rows[table] ?? []).map((row) => `${table} ${row[id]} ${status === undefined ? '' : row[status]}.`),
  );
  expect(copied.filter((line) => line !== '').sort()).toEqual(rows.sort());
}
