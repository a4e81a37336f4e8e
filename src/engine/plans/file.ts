import * as z from 'zod/mini';
import { advice, type Hint } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { fileErrors } from '../../files/inspect.ts';
import {
  BytesFileError,
  createPrivateBytes,
  type OwnerOnlyFileProblem,
  readOwnerOnlyFile,
} from '../../files/plain-file.ts';
import { replaceFile } from '../../files/private-file.ts';
import { TOKENS } from '../../money/amount.ts';
import { isJsonObject, parseExactJson } from '../../money/decimal.ts';
import { excessIn } from '../../money/json-text.ts';
import { hashOf, type Plan, type PlanContent, type TypedInput } from './plan.ts';

/** Far more than any request has. */
export const MAX_PLAN_BYTES = 256 * 1024;

const VERSION = 1;

const isText = (value: unknown) => typeof value === 'string';

function isTypedInput(value: unknown): boolean {
  const isTyped = (each: unknown) => isText(each) || each === true || (Array.isArray(each) && each.every(isText));
  return isJsonObject(value) && Object.values(value).every(isTyped);
}

/** Built on first use: only plans need it. Uses nothing of zod that other schemas do not, because every command loads zod. */
const shapes = () => {
  const text = z.string();
  const hex = (digits: number) => z.string().check(z.regex(new RegExp(`^[0-9a-f]{${digits}}$`)));
  const time = z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/));
  const minor = z.string().check(z.regex(/^-?(0|[1-9]\d{0,60})$/));
  const asset = z.enum(['NGN', ...TOKENS]);
  const lines = z.array(z.array(text).check(z.minLength(2), z.maxLength(2)));
  const request = z.custom<Readonly<Record<string, unknown>>>(isJsonObject);
  const approver = z.strictObject({ name: text, publicKey: hex(64) });
  const content = z.strictObject({
    id: text,
    createdAt: time,
    expiresAt: time,
    author: z.strictObject({ user: text, host: text, approver: z.nullable(approver), agent: z.optional(text) }),
    account: z.strictObject({ profile: text, mode: text, baseUrl: text, keyFingerprint: text }),
    words: z.array(text).check(z.minLength(1)),
    input: z.custom<TypedInput>(isTypedInput),
    commandLine: text,
    summary: text,
    endpoint: text,
    method: text,
    path: text,
    request,
    tag: z.nullable(text),
    amounts: z.array(z.strictObject({ field: text, asset, value: text, minor })),
    count: z.int().check(z.positive()),
    lines,
    previews: lines,
    balance: z.nullable(z.strictObject({ text, asset, beforeMinor: minor, afterMinor: z.nullable(minor) })),
    rules: z.array(text),
  });
  const signature = z.strictObject({
    role: z.enum(['author', 'signer']),
    approver: text,
    publicKey: hex(64),
    signedAt: time,
    signature: hex(128),
  });
  return z.strictObject({
    fiatrail: z.literal('plan'),
    version: z.literal(VERSION),
    plan: content,
    hash: hex(64),
    signatures: z.array(signature).check(z.maxLength(20)),
  });
};

/** Writes a plan. The text of a plan is exactly this: a plan with other spaces was changed. */
export function planText({ content, hash, signatures }: Plan): string {
  return `${JSON.stringify({ fiatrail: 'plan', version: VERSION, plan: content, hash, signatures }, undefined, 2)}\n`;
}

/** Parses a plan and checks that no byte of what its hash covers was changed. Throws CliError usage. */
export function parsePlan(text: string, from: string): Plan {
  const json = jsonOf(text);
  if (!isJsonObject(json) || json['fiatrail'] !== 'plan') throw notAPlan(from);
  if (typeof json['version'] === 'number' && json['version'] > VERSION)
    throw new CliError('usage', `${from} is a plan of a newer version of fiatrail; nothing was sent`, {
      code: 'NOT_A_PLAN',
      hint: 'update fiatrail',
    });
  const { success, data } = shapes().safeParse(json);
  if (!success) throw altered(from);
  const { plan: content, hash, signatures } = data;
  const plan: Plan = { content: content as unknown as PlanContent, hash, signatures };
  if (hashOf(plan.content) !== hash || planText(plan) !== text) throw altered(from);
  return plan;
}

function jsonOf(text: string): unknown {
  if (excessIn(text) !== undefined) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

function notAPlan(from: string): CliError {
  return new CliError('usage', `${from} is not a plan, or is incomplete; nothing was sent`, {
    code: 'NOT_A_PLAN',
    hint: 'give a file that a money command wrote with --plan FILE',
  });
}

function altered(from: string): CliError {
  return new CliError('usage', `${from} was changed after it was written: its hash does not match; nothing was sent`, {
    code: 'PLAN_ALTERED',
    hint: 'get the file again from the person who wrote or approved it, or write a new plan with --plan',
  });
}

const unusable = (path: string, why: string, hint: Hint) =>
  new CliError('usage', `${path}: ${why}; nothing was sent`, { code: 'UNUSABLE_FILE', hint });

const COPY = 'copy it to a file of your own that only you can write to';

const PROBLEMS: Readonly<Record<OwnerOnlyFileProblem, readonly [why: string, hint: Hint]>> = {
  missing: [
    'the file does not exist',
    advice`give the id of a plan from: [fiatrail plans list]; or a file that a money command wrote with --plan FILE`,
  ],
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
    throw unusable(path, error.problem === 'exists' ? 'the file already exists' : 'the file cannot be created', hint);
  }
}

/** Replaces a plan by the same one with more signatures. Throws CliError usage; then the old file is unchanged. */
export function replacePlan(path: string, plan: Plan, { ids }: Pick<World, 'ids'>): void {
  fileErrors('written', path, () => replaceFile(path, planText(plan), ids.uuid()));
}
