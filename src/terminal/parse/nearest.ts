import { editDistance } from '../../base/edit-distance.ts';

/** Returns the names most similar to `text`, best first: those that contain it and those within a small edit distance. */
export function nearest(text: string, names: readonly string[], maximum = 3): string[] {
  const typed = text.toLowerCase();
  return byDistance(typed, names)
    .filter(
      ({ name, distance }) => distance <= Math.max(2, typed.length / 3) || (typed.length > 2 && name.includes(typed)),
    )
    .slice(0, maximum)
    .map(({ name }) => name);
}

/** Verbs of commands that take something away, turn it off, or replace what is there. */
export const HARMFUL: readonly string[] = [
  'accept',
  'cancel',
  'clear',
  'deactivate',
  'disable',
  'import',
  'migrate-wallets',
  'prune',
  'remove',
  'replace',
  'reset',
  'resolve',
  'restore',
  'rotate',
  'set',
  'uninstall',
];

/**
 * Returns the one or two names that a misspelled word stands for: those that it begins, or else those a letter or two off. A verb
 * that does harm is only offered for a slip of the finger: `rename` is not far from `remove`, but means something else.
 */
export function spelledLike(text: string, names: readonly string[]): string[] {
  const typed = text.toLowerCase();
  const near = byDistance(typed, names).filter(({ name, distance }) => {
    const isMeant = isBegun(typed, name) || isTypo(typed, name, distance);
    return isMeant && (!HARMFUL.includes(name) || isSlip(typed, name, distance));
  });
  const begun = near.filter(({ name }) => name.startsWith(typed) && typed.length > 2);
  const best = (begun.length > 0 ? begun : near).slice(0, 2);
  return best.filter(({ distance }) => distance === best[0]?.distance).map(({ name }) => name);
}

/** Whether a word begins a name, or a part of one: `onb` and `asset` of `onramp-asset`. */
const isBegun = (typed: string, name: string) =>
  typed.length > 2 && (name.startsWith(typed) || name.split('-').some((part) => part.startsWith(typed)));

/** Whether a word is a letter or two off. Few people mistype the first letter, and short words have many neighbours. */
function isTypo(typed: string, name: string, distance: number): boolean {
  if (hasSameLetters(typed, name)) return distance <= 2;
  const isOtherStart = typed[0] !== name[0] && typed.length === name.length;
  return typed.length > 2 && !isOtherStart && distance <= (typed.length < 7 ? 1 : 2);
}

/** Whether a word can only be meant for this verb: the same letters, nearly all of it, or one letter off in a long one. */
const isSlip = (typed: string, name: string, distance: number) =>
  hasSameLetters(typed, name) ||
  typed === `${name}s` ||
  typed === `${name}d` ||
  (typed.length > 4 && name.startsWith(typed)) ||
  (typed.length > 4 && name.length > 4 && distance === 1);

function hasSameLetters(typed: string, name: string): boolean {
  const letters = (text: string) => [...text].toSorted().join('');
  return letters(typed) === letters(name);
}

function byDistance(typed: string, names: readonly string[]) {
  return names
    .map((name) => ({ name, distance: editDistance(typed, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
}
