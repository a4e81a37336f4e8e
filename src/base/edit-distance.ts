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

/** Whether one letter more, one less, another one, or two that changed places make one text of the other; or they are equal. */
export function isOneEditApart(from: string, to: string): boolean {
  if (Math.abs(from.length - to.length) > 1) return false;
  let at = 0;
  while (at < from.length && from[at] === to[at]) at += 1;
  const rest = (text: string, after: number) => text.slice(at + after);
  if (rest(from, 0) === rest(to, 1) || rest(from, 1) === rest(to, 0) || rest(from, 1) === rest(to, 1)) return true;
  return from[at] === to[at + 1] && from[at + 1] === to[at] && rest(from, 2) === rest(to, 2);
}
