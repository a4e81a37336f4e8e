import { typedAs } from '../copy/questions/typed.ts';
import type { Amount } from '../money/amount.ts';

/** The sums that a text may be, in any of the spellings that people use, with those that are worth as much. */
export function typedSums(text: string): readonly Amount[] {
  try {
    const { sums, equalSums } = typedAs({ text, isPhone: false });
    return [...sums, ...equalSums];
  } catch {
    return [];
  }
}
