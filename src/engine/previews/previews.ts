import { unread } from '../../base/errors.ts';
import { type Amount, amountForPeople, type MoneyUnit, minorForPeople, wireForPeople } from '../../money/amount.ts';
import type { ShownLine } from '../plans/line.ts';

/** A user is waiting for the prompt, so a preview that takes longer is left out. */
export const PREVIEW_READ = { totalMs: 5_000 } as const;

/** Reads previews, none longer than `PREVIEW_READ` from now. A preview that cannot be read is left out. Throws CliError interrupted. */
export async function readPreviews(
  ...reads: readonly (() => Promise<readonly ShownLine[]>)[]
): Promise<readonly ShownLine[]> {
  return (await Promise.all(reads.map((read) => read().catch((error: unknown) => unread(error) ?? [])))).flat();
}

/** The amount in both units and in its wire unit: `₦5,000.00 (500,000 kobo), sent as 5000 naira`. */
export function amountLine(value: Amount, unit: MoneyUnit, more = ''): ShownLine {
  return [
    'amount',
    `${amountForPeople(value)} (${minorForPeople(value)}), sent as ${wireForPeople(value, unit)}${more && `; ${more}`}`,
  ];
}
