import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { fileErrors } from '../../files/file-errors.ts';
import {
  BytesFileError,
  createPrivateBytes,
  type OwnerOnlyFileProblem,
  readOwnerOnlyFile,
} from '../../files/plain-file.ts';
import { replaceFile } from '../../files/private-file.ts';
import { MAX_PLAN_BYTES, parsePlan, planText } from './format.ts';
import type { Plan } from './plan.ts';

const unusable = (path: string, why: string, hint: string) =>
  new CliError('usage', `${path}: ${why}; nothing was sent`, { code: 'UNUSABLE_FILE', hint });

const COPY = 'copy it to a file of your own that only you can write to';

const PROBLEMS: Readonly<Record<OwnerOnlyFileProblem, readonly [why: string, hint: string]>> = {
  missing: ['the file does not exist', 'give a file that a money command wrote with --plan FILE'],
  link: ['it is a symbolic link', 'give the path of the file itself'],
  'not plain': ['it is not a regular file', 'give a file that a money command wrote with --plan FILE'],
  foreign: ['it belongs to another user, who could change it', COPY],
  shared: ['other users can write to it', COPY],
  'too long': ['it is too long for a plan', 'give a file that a money command wrote with --plan FILE'],
  unusable: ['it cannot be read', 'check its permissions'],
};

/** Reads a plan and checks its hash. Throws CliError usage. */
export function readPlan(path: string): Plan {
  const read = readOwnerOnlyFile(path, MAX_PLAN_BYTES);
  if ('problem' in read) throw unusable(path, ...PROBLEMS[read.problem]);
  return parsePlan(textOf(read.bytes), path);
}

/** Text that is not UTF-8 is no plan. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}

/** Creates the file of a plan, which only its owner can read. Throws CliError usage if something is there. */
export function createPlan(path: string, plan: Plan): void {
  const bytes = Buffer.from(planText(plan));
  // A longer file could not be read again.
  if (bytes.length > MAX_PLAN_BYTES) throw unusable(path, 'the plan would be too long', 'send it without --plan');
  try {
    createPrivateBytes(path, bytes);
  } catch (error) {
    if (!(error instanceof BytesFileError)) throw error;
    const hint = 'give the path of a file that does not exist, in a folder that you may write to';
    throw unusable(path, error.problem === 'exists' ? 'it already exists' : 'the file cannot be created', hint);
  }
}

/** Replaces a plan by the same one with more signatures. Throws CliError usage; then the old file is unchanged. */
export function replacePlan(path: string, plan: Plan, { ids }: Pick<World, 'ids'>): void {
  fileErrors('written', path, () => replaceFile(path, planText(plan), ids.uuid()));
}
