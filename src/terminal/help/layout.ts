/** A row of help: what is typed, and what it does. */
export type HelpRow = readonly [term: string, text: string];

/** Below this width, a text goes on lines of its own. */
const LEAST_TEXT_COLUMNS = 24;

/** Breaks a paragraph into lines; a word that is longer than a line stays whole. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Breaks each paragraph of a text, with an empty line between them. */
export function paragraphs(text: string, columns: number): string[] {
  return text.split('\n\n').flatMap((each, at) => [...(at > 0 ? [''] : []), ...wrapped(each, columns)]);
}

/** Lays rows out in two columns. The first one is as wide as `termColumns` says. */
export function table(rows: readonly HelpRow[], columns: number, termColumns: number, indent = '  '): string[] {
  const left = indent.length + termColumns + 2;
  if (columns - left < LEAST_TEXT_COLUMNS)
    return rows.flatMap(([term, text]) => [
      indent + term,
      ...wrapped(text, columns - 6).map((line) => `      ${line}`),
    ]);
  return rows.flatMap(([term, text]) => {
    const [first = '', ...rest] = wrapped(text, columns - left);
    return [`${indent}${term.padEnd(termColumns)}  ${first}`.trimEnd(), ...rest.map((line) => ' '.repeat(left) + line)];
  });
}

export const widest = (rows: readonly HelpRow[]): number => Math.max(0, ...rows.map(([term]) => term.length));
