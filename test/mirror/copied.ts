import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { stored } from '../../src/engine/mirror/schema.ts';
import { LISTS, type MovingService } from './moving-service.ts';

/** The ids and statuses of the rows of a mirror that the service still shows. */
export function copied(path: string, table: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const sql = `SELECT id, status FROM ${stored({ name: table })} WHERE gone_at IS NULL ORDER BY id`;
    return database
      .prepare(sql)
      .all()
      .map(({ id, status }) => `${id} ${status ?? ''}`);
  } finally {
    database.close();
  }
}

/** The ids and statuses of the rows that the service has. */
export function shown({ rows }: MovingService, table: string): string[] {
  const { id = '', status } = LISTS[table] ?? {};
  return (rows[table] ?? []).map((row) => `${row[id]} ${status === undefined ? '' : row[status]}`).sort();
}

/** Expects that a mirror has the rows of a service, no more and no less. */
export function expectCopied(
  path: string,
  service: MovingService,
  lists: readonly string[] = Object.keys(LISTS),
): void {
  for (const list of lists) expect(copied(path, list), list).toEqual(shown(service, list));
}
