import { expect } from 'vitest';
import { SCHEMA } from '../../src/copy/schema.ts';
import { LISTS, type MovingService } from '../copy/moving-service.ts';
import type { TestServer } from '../support/postgres.ts';

const copied = (server: TestServer, url: string, table: string) =>
  server
    .sql(
      url,
      `SELECT id || ' ' || coalesce(status, '') || '.' FROM ${SCHEMA}.${table} WHERE deleted_at IS NULL ORDER BY id COLLATE "C"`,
    )
    .split('\n')
    .filter((line) => line !== '');

/** Expects that a copy on a server has the rows of the service, each with its status. */
export function expectCopiedTo(server: TestServer, url: string, service: MovingService): void {
  for (const [table, { id, status }] of Object.entries(LISTS))
    expect(copied(server, url, table), table).toEqual(
      (service.rows[table] ?? []).map((row) => `${row[id]} ${status === undefined ? '' : row[status]}.`).sort(),
    );
}
