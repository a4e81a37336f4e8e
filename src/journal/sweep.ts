import * as z from 'zod/mini';
import { type Amount, amount, isAsset } from '../money/amount.ts';
import { changed, factAbout, jsonOf, subjects } from './facts.ts';
import type { Queries } from './store.ts';

/** What several operations under one idempotency key move together, as the user agreed to it. */
export interface Sweep {
  readonly total: Amount;
  /** How many operations they are. */
  readonly count: number;
}

const schema = () =>
  z.strictObject({
    asset: z.string().check(z.refine(isAsset)),
    minor: z.string().check(z.regex(/^\d{1,30}$/)),
    count: z.int().check(z.positive()),
  });

/** The fact that says what an operation is a part of. */
export const sweepFact = (operationId: string, { total: { asset, minor }, count }: Sweep) => ({
  subject: subjects.sweep(operationId),
  value: JSON.stringify({ asset, minor: String(minor), count }),
});

/** Returns what an operation is a part of; undefined if it stands alone. Throws CliError usage for a fact that says something else. */
export async function sweepOf(queries: Queries, operationId: string): Promise<Sweep | undefined> {
  const text = (await factAbout(queries, subjects.sweep(operationId))) ?? undefined;
  if (text === undefined) return undefined;
  const what = `what operation ${operationId} is a part of`;
  const { data } = schema().safeParse(jsonOf(text, what));
  if (!data || !isAsset(data.asset)) throw changed(what);
  return { total: amount(data.asset, BigInt(data.minor)), count: data.count };
}
