/** What a line of a shell runs: programs separated by pipes and other operators; the last one's outcome counts. */
export interface Line {
  readonly programs: readonly (readonly string[])[];
  /** The file that a program of the line reads, if it is redirected: `< key.txt`. */
  readonly input: string | undefined;
}

/** A redirection with a number, a word, an operator or a plain redirection. */
const TOKEN = /\d?>&\d|(?<=\s)\d>|(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\|<>;&])+|[|;&]+|[<>]/g;

/**
 * Splits a line as bash does: quotes, variables, pipes and other operators, redirections, comments, and `<(...)` as a
 * program of its own.
 */
export function parseLine(line: string, env: Readonly<Record<string, string>> = {}): Line {
  const programs: string[][] = [[]];
  let input: string | undefined;
  let next: 'word' | 'input' | 'output' = 'word';
  const flat = line.replace(/^source <\((.*)\)$/, '$1');
  for (const [token] of flat.matchAll(TOKEN)) {
    if (token.startsWith('#')) break;
    if (/^[|;&]+$/.test(token)) programs.push([]);
    else if (token === '<') next = 'input';
    else if (/^\d?>$/.test(token)) next = 'output';
    else if (/^\d?>&/.test(token)) continue;
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
