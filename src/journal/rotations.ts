import type { Queries, Store } from './store.ts';

/**
 * The stage of an API key rotation. `prepared`: recorded. `sending`: the keeper may have sent the request. `answered`: the new key is
 * on disk. `stored`: it is in the profile's store. `proven`: a read with it succeeded. `done`: every push command has run.
 * `lost`: no usable response arrived. `refused`: the key was not rotated.
 */
export type RotationStage = 'prepared' | 'sending' | 'answered' | 'stored' | 'proven' | 'done' | 'lost' | 'refused';

/** A key rotation. The journal never contains the key; `keyPlace` describes the store that gets it. */
export interface Rotation {
  readonly operationId: string;
  readonly profile: string;
  readonly baseUrl: string;
  readonly stage: RotationStage;
  readonly keyPlace: string;
  /** The fingerprint of the key that is rotated. */
  readonly oldFingerprint: string;
  /** The push commands, which get the new key on standard input, in order. */
  readonly pushes: readonly string[];
  /** The number of push commands that have succeeded. */
  readonly pushed: number;
}

/** The stages of an unfinished rotation. */
const OPEN_STAGES: readonly RotationStage[] = ['prepared', 'sending', 'answered', 'stored', 'proven'];

/** Whether a rotation at this stage is unfinished. */
export const isOpenStage = (stage: RotationStage) => OPEN_STAGES.includes(stage);

export const OPEN_LIST = OPEN_STAGES.map((stage) => `'${stage}'`).join(', ');

/** The unique index allows one open rotation per account. */
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

type Account = Pick<Rotation, 'profile' | 'baseUrl'>;

/** The rotations as the journal's users see them: a rotation is created and moved only together with its operation. */
export interface RotationRecords {
  find(operationId: string): Promise<Rotation | undefined>;
  /** Returns the open rotation of an account; there is at most one. */
  openOf(account: Account): Promise<Rotation | undefined>;
  /** Returns the newest rotation of an account, open or closed. */
  latestOf(account: Account): Promise<Rotation | undefined>;
  /** Records how many push commands have succeeded. */
  pushed(operationId: string, count: number): Promise<void>;
  /** Replaces the push commands that have not succeeded yet. */
  pushInstead(operationId: string, pushes: readonly string[]): Promise<void>;
}

export function recordsOf({ read, write }: Pick<Store, 'read' | 'write'>): RotationRecords {
  return {
    find: (operationId) => read((queries) => findRotation(queries, operationId)),
    openOf: (account) => read((queries) => openRotation(queries, account)),
    latestOf: ({ profile, baseUrl }) =>
      read((queries) => first(queries, 'profile = ? AND base_url = ? ORDER BY operation_id DESC', profile, baseUrl)),
    pushed: (operationId, count) =>
      write(async (queries) => {
        await queries.run('UPDATE rotation SET pushed = ? WHERE operation_id = ?', count, operationId);
      }),
    pushInstead: (operationId, pushes) =>
      write(async (queries) => {
        const { pushes: old, pushed } = (await findRotation(queries, operationId)) ?? { pushes: [], pushed: 0 };
        const all = JSON.stringify([...old.slice(0, pushed), ...pushes]);
        await queries.run('UPDATE rotation SET pushes = ? WHERE operation_id = ?', all, operationId);
      }),
  };
}

async function first(queries: Queries, where: string, ...values: string[]): Promise<Rotation | undefined> {
  const row = await queries.get<RotationRow>(`SELECT * FROM rotation WHERE ${where} LIMIT 1`, ...values);
  return row && fromRow(row);
}

export const findRotation = (queries: Queries, operationId: string) => first(queries, 'operation_id = ?', operationId);

export const openRotation = (queries: Queries, { profile, baseUrl }: Account) =>
  first(queries, `profile = ? AND base_url = ? AND stage IN (${OPEN_LIST})`, profile, baseUrl);

/** Inserts a rotation. Call it in the transaction that writes the operation. */
export async function insertRotation(queries: Queries, rotation: Omit<Rotation, 'stage' | 'pushed'>): Promise<void> {
  const { operationId, profile, baseUrl, keyPlace, oldFingerprint, pushes } = rotation;
  await queries.run(
    `INSERT INTO rotation (operation_id, profile, base_url, stage, key_place, old_fingerprint, pushes)
     VALUES (?, ?, ?, 'prepared', ?, ?, ?)`,
    ...[operationId, profile, baseUrl, keyPlace, oldFingerprint, JSON.stringify(pushes)],
  );
}

/** Returns false if the rotation is no longer at the stage `from`. */
export async function moveRotation(
  queries: Queries,
  operationId: string,
  from: RotationStage,
  to: RotationStage,
): Promise<boolean> {
  const sql = 'UPDATE rotation SET stage = ? WHERE operation_id = ? AND stage = ?';
  return (await queries.run(sql, to, operationId, from)) === 1;
}
