import { jsonOf } from './entries.ts';
import type { RotationStage } from './rotations.ts';
import { TRIGGERS } from './sqlite/schema.ts';
import type { Queries } from './store.ts';

const [, ENTRY_DELETE = ''] = TRIGGERS;

/** Empties a journal that has no operations, so that an import can begin at the first entry. Only the owner of the tables may. */
export async function withoutEntries(queries: Queries): Promise<void> {
  const isFile = queries.engine === 'sqlite';
  await queries.run(isFile ? 'DROP TRIGGER entry_delete' : 'ALTER TABLE entry DISABLE TRIGGER entry_stays');
  await queries.run('DELETE FROM entry');
  await queries.run(isFile ? ENTRY_DELETE : 'ALTER TABLE entry ENABLE TRIGGER entry_stays');
  await queries.run('DELETE FROM account_name');
  await queries.run(`DELETE FROM setting WHERE name = 'joined'`);
}

const LAST = 'sequence = (SELECT max(sequence) FROM entry WHERE subject = e.subject)';

/** Fills the tables that repeat the last fact about each subject. */
export async function copyFoldedFacts(queries: Queries): Promise<void> {
  await queries.run(
    `INSERT INTO account_name (name, account) SELECT substr(subject, 9), value FROM entry e
     WHERE subject LIKE 'account %' AND value IS NOT NULL AND ${LAST}`,
  );
  await queries.run(
    `INSERT INTO setting (name, value) SELECT 'joined', CAST(min(sequence) AS TEXT) FROM entry WHERE subject = 'joint'`,
  );
  const rotations = await queries.all<{ id: string; value: string }>(
    `SELECT substr(subject, 10) AS id, value FROM entry e WHERE subject LIKE 'rotation %' AND ${LAST}`,
  );
  for (const { id, value } of rotations) {
    const [profile, baseUrl, stage, keyLocation, old, pushes, pushed] = jsonOf(value, 'a rotation') as RotationFact;
    await queries.run(
      `INSERT INTO rotation (operation_id, profile, base_url, stage, key_place, old_fingerprint, pushes, pushed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, profile, baseUrl, stage, keyLocation, old, JSON.stringify(pushes), pushed],
    );
  }
}

type RotationFact = readonly [string, string, RotationStage, string, string, readonly string[], number];
