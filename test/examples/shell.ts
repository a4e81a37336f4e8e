/** What a line of a shell runs: programs connected by pipes, of which the last one's outcome counts. */
export interface Line {
  readonly programs: readonly (readonly string[])[];
  /** The file that a program of the line reads, if it is redirected: `< key.txt`. */
  readonly input: string | undefined;
}

/** Splits a line as bash does: quotes, variables, pipes, redirections, comments, and `<(...)` as a program of its own. */
export function parseLine(line: string, env: Readonly<Record<string, string>> = {}): Line {
  const programs: string[][] = [[]];
  let input: string | undefined;
  let next: 'word' | 'input' | 'output' = 'word';
  const flat = line.replace(/^source <\((.*)\)$/, '$1');
  for (const [token] of flat.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\|<>])+|[|<>]/g)) {
    if (token.startsWith('#')) break;
    if (token === '|') programs.push([]);
    else if (token === '<') next = 'input';
    else if (token === '>') next = 'output';
    else {
      const word = wordOf(token, env);
      if (next === 'input') input = word;
      else if (next === 'word') programs.at(-1)?.push(word);
      next = 'word';
    }
  }
  return { programs, input };
}

/** Removes the quotes of a word, and fills in variables outside single quotes. An unset variable is empty. */
function wordOf(token: string, env: Readonly<Record<string, string>>): string {
  const parts = token.matchAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)|([^'"\\]+)/g);
  const filled = (text: string) => text.replace(/\$(\w+)/g, (_, name: string) => env[name] ?? '');
  return [...parts]
    .map(([, single, double, escaped, plain]) => {
      if (single !== undefined) return single;
      if (double !== undefined) return filled(double).replace(/\\(["$\\`])/g, '$1');
      return escaped ?? filled(plain ?? '');
    })
    .join('');
}
