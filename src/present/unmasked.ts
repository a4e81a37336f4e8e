import { CliError } from '../base/errors.ts';
import type { PresentOptions } from './result.ts';

/** Throws CliError usage if what is printed is masked: `what` would say all of it, or be of no use to a program without it. */
export function requireUnmasked({ mask }: PresentOptions, what: string): void {
  if (!mask) return;
  throw new CliError('usage', `${what} what --mask hides`, { hint: 'leave it out, or add --no-mask' });
}
