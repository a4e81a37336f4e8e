import type { Database } from '../sqlite/database.ts';

/**
 * How far the replacement of an API key has come. prepared: written down. sending: the keeper has it, and may have sent it.
 * answered: the new key is on the disk. stored: where its profile keeps it. proven: a read went through with it. done: pushed
 * everywhere. lost: no answer came. refused: nothing was replaced.
 */
export type RotationStage = 'prepared' | 'sending' | 'answered' | 'stored' | 'proven' | 'done' | 'lost' | 'refused';

/** The replacement of a key. The key itself stands in no journal: `keyPlace` says which store gets it. */
export interface Rotation {
  readonly operationId: string;
  readonly profile: string;
  readonly baseUrl: string;
  readonly stage: RotationStage;
  readonly keyPlace: string;
  /** Of the key that is replaced. */
  readonly oldFingerprint: string;
  /** Commands that get the new key on their standard input, in order. */
  readonly pushes: readonly string[];
  /** How many of them have it. */
  readonly pushed: number;
}

/** Stages in which something is still to be done. */
const OPEN: readonly RotationStage[] = ['prepared', 'sending', 'answered', 'stored', 'proven'];

/** Whether something is still to be done. */
export const isOpenStage = (stage: RotationStage) => OPEN.includes(stage);

const OPEN_LIST = OPEN.map((stage) => `'${stage}'`).join(', ');

/** One account has one replacement at a time: the index refuses another. */
export const ROTATION_SCHEMA = `
CREATE TABLE rotation (
  operation_id TEXT PRIMARY KEY REFERENCES operation, profile TEXT NOT NULL, base_url TEXT NOT NULL, stage TEXT NOT NULL,
  key_place TEXT NOT NULL, old_fingerprint TEXT NOT NULL, pushes TEXT NOT NULL, pushed INTEGER NOT NULL DEFAULT 0)
  STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX open_rotation ON rotation (profile, base_url) WHERE stage IN (${OPEN_LIST});
`;

interface RotationRow {
  readonly operation_id: string;
  readonly profile: string;
  readonly base_url: string;
  readonly stage: RotationStage;
  readonly key_place: string;
  readonly old_fingerprint: string;
  readonly pushes: string;
  readonly pushed: bigint;
}

const fromRow = (row: RotationRow): Rotation => ({
  operationId: row.operation_id,
  profile: row.profile,
  baseUrl: row.base_url,
  stage: row.stage,
  keyPlace: row.key_place,
  oldFingerprint: row.old_fingerprint,
  pushes: JSON.parse(row.pushes) as string[],
  pushed: Number(row.pushed),
});

/** The replacements of keys, each beside its operation. */
export interface Rotations {
  /** Within the transaction that writes the operation. */
  insert(rotation: Omit<Rotation, 'stage' | 'pushed'>): void;
  find(operationId: string): Rotation | undefined;
  /** Those of an account that are not at an end; at most one. */
  openOf(account: Pick<Rotation, 'profile' | 'baseUrl'>): Rotation | undefined;
  /** The newest one of an account, at an end or not. */
  latestOf(account: Pick<Rotation, 'profile' | 'baseUrl'>): Rotation | undefined;
  /** False when it is not at the stage `from` any more. */
  move(operationId: string, from: RotationStage, to: RotationStage): boolean;
  pushed(operationId: string, count: number): void;
  /** Others take the place of the push commands that have not got the key yet. */
  pushInstead(operationId: string, pushes: readonly string[]): void;
}

export function rotationsIn(store: Database): Rotations {
  const first = (where: string, ...values: string[]) => {
    const row = store.get<RotationRow>(`SELECT * FROM rotation WHERE ${where} LIMIT 1`, ...values);
    return row && fromRow(row);
  };
  return {
    insert: ({ operationId, profile, baseUrl, keyPlace, oldFingerprint, pushes }) => {
      store.run(
        `INSERT INTO rotation (operation_id, profile, base_url, stage, key_place, old_fingerprint, pushes)
         VALUES (?, ?, ?, 'prepared', ?, ?, ?)`,
        operationId,
        profile,
        baseUrl,
        keyPlace,
        oldFingerprint,
        JSON.stringify(pushes),
      );
    },
    find: (operationId) => first('operation_id = ?', operationId),
    openOf: ({ profile, baseUrl }) =>
      first(`profile = ? AND base_url = ? AND stage IN (${OPEN_LIST})`, profile, baseUrl),
    latestOf: ({ profile, baseUrl }) =>
      first('profile = ? AND base_url = ? ORDER BY operation_id DESC', profile, baseUrl),
    move: (operationId, from, to) =>
      store.run('UPDATE rotation SET stage = ? WHERE operation_id = ? AND stage = ?', to, operationId, from) === 1,
    pushInstead: (operationId, pushes) => {
      const { pushes: old, pushed } = first('operation_id = ?', operationId) ?? { pushes: [], pushed: 0 };
      const all = JSON.stringify([...old.slice(0, pushed), ...pushes]);
      store.run('UPDATE rotation SET pushes = ? WHERE operation_id = ?', all, operationId);
    },
    pushed: (operationId, count) => {
      store.run('UPDATE rotation SET pushed = ? WHERE operation_id = ?', count, operationId);
    },
  };
}
