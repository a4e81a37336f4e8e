import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { stored } from '../../src/copy/schema.ts';
import { LISTS, type MovingService } from './moving-service.ts';

/** The ids and statuses of the rows of a local copy that the service still shows, by table. */
function allCopied(path: string, tables: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const database = new DatabaseSync(path, { readOnly: true });
  const rowsOf = (name: string) =>
    database.prepare(`SELECT id, status FROM ${stored({ name })} WHERE deleted_at IS NULL ORDER BY id`).all();
  try {
    return Object.fromEntries(
      tables.map((name) => [name, rowsOf(name).map(({ id, status }) => `${id} ${status ?? ''}`)]),
    );
  } finally {
    database.close();
  }
}

/** The ids and statuses of the rows of a local copy's table that the service still shows. */
export const copied = (path: string, table: string) => allCopied(path, [table])[table];

/** The ids and statuses of the rows that the service has. */
export function shown({ rows }: MovingService, table: string): string[] {
  const { id = '', status } = LISTS[table] ?? {};
  return (rows[table] ?? []).map((row) => `${row[id]} ${status === undefined ? '' : row[status]}`).sort();
}

/** Expects that a local copy has the rows of a service, no more and no less. */
export function expectCopied(
  path: string,
  service: MovingService,
  lists: readonly string[] = Object.keys(LISTS),
): void {
  expect(allCopied(path, lists)).toEqual(Object.fromEntries(lists.map((list) => [list, shown(service, list)])));
}
