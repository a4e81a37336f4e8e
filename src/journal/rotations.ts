import { insertion, type NewRow, type RowOf, replacing } from '../store/table.ts';
import { type Append, appendFacts, changed, factAbout, type Recording, subjects } from './entries.ts';
import type { Queries, Store } from './store.ts';
import { ROTATION } from './tables.ts';

/**
 * The stage of an API key rotation. `prepared`: recorded. `sending`: the rotation process may have sent the request. `answered`: the new key is
 * on disk. `stored`: it is in the profile's store. `proven`: a read with it succeeded. `done`: every push command has run.
 * `lost`: no usable response arrived. `refused`: the key was not rotated.
 */
export const ROTATION_STAGES = [
  'prepared',
  'sending',
  'answered',
  'stored',
  'proven',
  'done',
  'lost',
  'rejected',
] as const;

export type RotationStage = (typeof ROTATION_STAGES)[number];

/** A key rotation. The journal never contains the key; `keyLocation` describes the store that gets it. */
export interface Rotation {
  readonly operationId: string;
  readonly profile: string;
  readonly baseUrl: string;
  readonly stage: RotationStage;
  readonly keyLocation: string;
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

/** The same in SQL. */
export const OPEN_LIST = OPEN_STAGES.map((stage) => `'${stage}'`).join(', ');

const fromRow = (row: RowOf<typeof ROTATION>): Rotation => ({
  operationId: row.operation_id,
  profile: row.profile,
  baseUrl: row.base_url,
  stage: row.stage as RotationStage,
  keyLocation: row.key_place,
  oldFingerprint: row.old_fingerprint,
  pushes: JSON.parse(row.pushes) as string[],
  pushed: Number(row.pushed),
});

export const rowOfRotation = (rotation: Rotation): NewRow<typeof ROTATION> => ({
  operation_id: rotation.operationId,
  profile: rotation.profile,
  base_url: rotation.baseUrl,
  stage: rotation.stage,
  key_place: rotation.keyLocation,
  old_fingerprint: rotation.oldFingerprint,
  pushes: JSON.stringify(rotation.pushes),
  pushed: rotation.pushed,
});

type RotationOwner = Pick<Rotation, 'profile' | 'baseUrl'>;

/** The rotations as the journal's users see them: a rotation is created and moved only together with its operation. */
export interface RotationRecords {
  find(operationId: string): Promise<Rotation | undefined>;
  /** Returns the open rotation of an account; there is at most one. */
  openOf(account: RotationOwner): Promise<Rotation | undefined>;
  /** Returns the newest rotation of an account, open or closed. */
  latestOf(account: RotationOwner): Promise<Rotation | undefined>;
  /** Records how many push commands have succeeded. */
  pushed(operationId: string, count: number): Promise<void>;
  /** Replaces the push commands that have not succeeded yet. */
  pushInstead(operationId: string, pushes: readonly string[]): Promise<void>;
}

export function recordsOf({ read }: Pick<Store, 'read'>, append: Append): RotationRecords {
  const change = (operationId: string, changed: (rotation: Rotation) => Partial<Rotation>) =>
    append(async (recording) => {
      const rotation = await findRotation(recording.queries, operationId);
      if (rotation) await recordRotation(recording, { ...rotation, ...changed(rotation) });
    });
  return {
    find: (operationId) => read((queries) => findRotation(queries, operationId)),
    openOf: (account) => read((queries) => openRotation(queries, account)),
    latestOf: ({ profile, baseUrl }) =>
      read((queries) => first(queries, 'profile = ? AND base_url = ? ORDER BY operation_id DESC', profile, baseUrl)),
    pushed: (operationId, count) => change(operationId, () => ({ pushed: count })),
    pushInstead: (operationId, pushes) =>
      change(operationId, (before) => ({ pushes: [...before.pushes.slice(0, before.pushed), ...pushes] })),
  };
}

async function first(queries: Queries, where: string, ...values: string[]): Promise<Rotation | undefined> {
  const row = await queries.get<RowOf<typeof ROTATION>>(`SELECT * FROM rotation WHERE ${where} LIMIT 1`, ...values);
  if (!row) return undefined;
  const rotation = fromRow(row);
  const { subject, value } = rotationFact(rotation);
  if ((await factAbout(queries, subject)) !== value) throw changed(`rotation ${rotation.operationId}`);
  return rotation;
}

/** Returns every rotation as its row says. */
export const allRotations = async (queries: Queries): Promise<readonly Rotation[]> =>
  (await queries.all<RowOf<typeof ROTATION>>('SELECT * FROM rotation ORDER BY operation_id')).map(fromRow);

export const findRotation = (queries: Queries, operationId: string) => first(queries, 'operation_id = ?', operationId);

export const openRotation = (queries: Queries, { profile, baseUrl }: RotationOwner) =>
  first(queries, `profile = ? AND base_url = ? AND stage IN (${OPEN_LIST})`, profile, baseUrl);

/** What the fact of a rotation says, as JSON. */
type RotationFact = readonly [
  profile: string,
  baseUrl: string,
  stage: RotationStage,
  keyLocation: string,
  oldFingerprint: string,
  pushes: readonly string[],
  pushed: number,
];

/** The fact that says everything of a rotation. */
export function rotationFact({ operationId, ...rotation }: Rotation) {
  const { profile, baseUrl, stage, keyLocation, oldFingerprint, pushes, pushed } = rotation;
  const fact: RotationFact = [profile, baseUrl, stage, keyLocation, oldFingerprint, pushes, pushed];
  return { subject: subjects.rotation(operationId), value: JSON.stringify(fact) };
}

/** The rotation of which a fact says everything. */
export function rotationOf(operationId: string, fact: RotationFact): Rotation {
  const [profile, baseUrl, stage, keyLocation, oldFingerprint, pushes, pushed] = fact;
  return { operationId, profile, baseUrl, stage, keyLocation, oldFingerprint, pushes, pushed };
}

/** Writes how far a rotation is. Call it in a transaction, after the one that writes its operation. */
export async function recordRotation(recording: Recording, rotation: Rotation): Promise<void> {
  await appendFacts(recording, [rotationFact(rotation)]);
  const again = replacing(ROTATION, ['stage', 'pushes', 'pushed']);
  await recording.queries.run(...insertion(ROTATION, [rowOfRotation(rotation)], again));
}

/** Returns false if the rotation is no longer at the stage `from`. Call it in a transaction. */
export async function moveRotation(
  recording: Recording,
  operationId: string,
  from: RotationStage,
  to: RotationStage,
): Promise<boolean> {
  const rotation = await findRotation(recording.queries, operationId);
  if (rotation?.stage !== from) return false;
  await recordRotation(recording, { ...rotation, stage: to });
  return true;
}
