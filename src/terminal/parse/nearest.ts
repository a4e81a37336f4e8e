/** Returns the names most similar to `text`, best first: those that contain it and those within a small edit distance. */
export function nearest(text: string, names: readonly string[], maximum = 3): string[] {
  const typed = text.toLowerCase();
  const measured = names.map((name) => ({ name, distance: editDistance(typed, name.toLowerCase()) }));
  const near = measured.filter(
    ({ name, distance }) => distance <= Math.max(2, typed.length / 3) || (typed.length > 2 && name.includes(typed)),
  );
  return near
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, maximum)
    .map(({ name }) => name);
}

/** The Levenshtein distance of two texts. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_cell, index) => index);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [index, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[index + 1], row[index], next[index]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
