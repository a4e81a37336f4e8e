/** The number of letters to add, remove, change or swap with the next one to make one text from the other. */
export function editDistance(from: string, to: string): number {
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
