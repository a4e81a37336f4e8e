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
  ...['accept', 'cancel', 'clear', 'deactivate', 'disable', 'import', 'migrate-wallets', 'prune', 'remove', 'replace'],
  ...['reset', 'resolve', 'restore', 'rotate', 'set', 'uninstall'],
];

/**
 * Returns the one or two names that a misspelled word stands for. A verb that does harm is only offered for a slip of the finger:
 * `rename` is not far from `remove`, but means something else.
 */
export function spelledLike(text: string, names: readonly string[], most?: number): string[] {
  const typed = text.toLowerCase();
  const near = byDistance(typed, names).filter(({ name, distance }) => {
    const isNear =
      distance <= (most ?? Math.max(2, typed.length / 3)) && distance / Math.max(typed.length, name.length) < 0.6;
    const isBegun = typed.length > 2 && (name.startsWith(typed) || (most === undefined && name.includes(typed)));
    return (isNear || isBegun) && (!HARMFUL.includes(name) || isSlip(typed, name, distance));
  });
  const best = near[0]?.distance;
  return near
    .filter(({ distance }) => distance === best)
    .slice(0, 2)
    .map(({ name }) => name);
}

/** Whether a word can only be meant for this verb: the same letters, its beginning or ending, or one letter off in a long one. */
function isSlip(typed: string, name: string, distance: number): boolean {
  const letters = (text: string) => [...text].toSorted().join('');
  return (
    letters(typed) === letters(name) ||
    (typed.length > 3 && name.startsWith(typed)) ||
    typed === `${name}s` ||
    typed === `${name}d` ||
    (name.length > 4 && distance === 1)
  );
}

function byDistance(typed: string, names: readonly string[]) {
  return names
    .map((name) => ({ name, distance: editDistance(typed, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
}

/** The number of letters to add, remove, change or swap with the next one to make one text from the other. */
function editDistance(from: string, to: string): number {
  const letters = [...from];
  let [earlier, row]: [number[], number[]] = [[], Array.from({ length: to.length + 1 }, (_cell, index) => index)];
  for (const [at, letter] of letters.entries()) {
    const next = [at + 1];
    for (const [index, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[index + 1], row[index], next[index]];
      const isSwapped = letter === to[index - 1] && other === letters[at - 1];
      const swapped = isSwapped ? (earlier[index - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1), swapped));
    }
    [earlier, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
