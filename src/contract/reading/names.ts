import type * as z from 'zod/mini';
import { PLATFORM } from '../paths.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type Shape = Readonly<Record<string, z.ZodMiniType>>;

export const isMissing = (value: unknown) => value === undefined || value === null;

/** A name without case and separators, so that `request_id` and `RequestId` are `requestId`. */
export const bareName = (name: string) => name.replace(/[_\-\s]/g, '').toLowerCase();

/** Words that stand in front of fees of somebody else, so that they cannot be the service's name. */
const OTHER_FEES =
  /^(fintech|gateway|processing|total|network|gas|bank|stamp|transfer|swap|bridge|user|base|net|final|onramp|offramp)$/;

/** Whether other fees are named after this word, so that those of a service of this name could not be distinguished from them. */
export const isOtherFee = (word: string) => OTHER_FEES.test(bareName(word));

/** Whether a bare name has the service's own name in place of `platform`: `acmefee` for `platformFee`. */
function isServiceNamed(bare: string, known: string): boolean {
  if (!known.startsWith(PLATFORM)) return false;
  const rest = bareName(known.slice(PLATFORM.length));
  if (rest === '' || bare.length <= rest.length || !bare.endsWith(rest)) return false;
  return !OTHER_FEES.test(bare.slice(0, -rest.length));
}

/**
 * Returns the contract's name of a field: its own name, or the known one that is spelled otherwise, or `platformFee` for
 * `acmeFee`. The service's name is known only to the service, so any word counts that is no other kind of fee.
 */
export function knownName(name: string, shape: Shape): string | undefined {
  if (Object.hasOwn(shape, name)) return name;
  const bare = bareName(name);
  const names = Object.keys(shape);
  return names.find((known) => bareName(known) === bare) ?? names.find((known) => isServiceNamed(bare, known));
}

/** Gives each field its name in the contract. The contract's own spelling wins if a field is there twice. */
export function withKnownNames(shape: Shape, data: Fields): Fields {
  const names = Object.keys(data);
  if (names.every((name) => Object.hasOwn(shape, name))) return data;
  // A map, because a name may be `__proto__`.
  const read = new Map<string, unknown>();
  for (const name of names) {
    const known = knownName(name, shape);
    const isFree = known !== undefined && isMissing(data[known]) && isMissing(read.get(known));
    read.set(isFree ? known : name, data[name]);
  }
  return Object.fromEntries(read);
}
