import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
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
  const operator = z.strictObject({ name: text, publicKey: hex(64) });
  const content = z.strictObject({
    id: text,
    createdAt: time,
    expiresAt: time,
    author: z.strictObject({ user: text, host: text, operator: z.nullable(operator) }),
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
    lines,
    previews: lines,
    balance: z.nullable(z.strictObject({ text, asset, beforeMinor: minor, afterMinor: z.nullable(minor) })),
    rules: z.array(text),
  });
  const signature = z.strictObject({
    role: z.enum(['author', 'signer']),
    operator: text,
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
    hint: 'get the file again from whoever wrote or signed it, or write a new plan with --plan FILE',
  });
}
