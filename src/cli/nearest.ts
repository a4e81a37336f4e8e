/** The names most like `text`, the nearest first: those that hold it, and those a few slips away. */
export function nearest(text: string, names: readonly string[], most = 3): string[] {
  const sought = text.toLowerCase();
  const measured = names.map((name) => ({ name, slips: slipsBetween(sought, name.toLowerCase()) }));
  const near = measured.filter(
    ({ name, slips }) => slips <= Math.max(2, sought.length / 3) || (sought.length > 2 && name.includes(sought)),
  );
  return near
    .toSorted((a, b) => a.slips - b.slips)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Letters to add, drop or change until one text is the other (Levenshtein's distance). */
function slipsBetween(from: string, to: string): number {
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
