import { sha256Hex } from '../../crypto/digest.ts';
import { visible } from '../../present/text.ts';
import { SKILL_TEXTS } from './texts.ts';

/** Ends a file that fiatrail wrote: the digest of all that is above. */
const END = /^<!-- written by fiatrail, sha256 ([0-9a-f]{64}) -->\n$/;

/** A file of the skill, with its path below the folder of the skill. */
interface SkillFile {
  readonly name: string;
  readonly text: string;
}

/** The files of the skill, as this version writes them. */
export const skillFiles = (): readonly SkillFile[] =>
  Object.entries(SKILL_TEXTS).map(([name, text]) => ({
    name,
    text: `${text}<!-- written by fiatrail, sha256 ${sha256Hex(text)} -->\n`,
  }));

/** What is where a file of the skill belongs. `older`: another version wrote it. `changed`, `foreign`: someone else wrote all or some of it. */
export type FileStatus = 'missing' | 'current' | 'older' | 'changed' | 'foreign';

/** Whether fiatrail wrote a file as it is, in whatever version. */
export const isOurs = (status: FileStatus): boolean => status === 'current' || status === 'older';

/** Compares what is in a file with what this version writes. */
export function statusOf(found: string | undefined, wanted: string): FileStatus {
  if (found === undefined) return 'missing';
  if (found === wanted) return 'current';
  const start = found.lastIndexOf('\n', found.length - 2) + 1;
  const [, digest] = END.exec(found.slice(start)) ?? [];
  if (digest === undefined) return 'foreign';
  return sha256Hex(found.slice(0, start)) === digest ? 'older' : 'changed';
}

/** More lines than this are not compared one by one. */
const MOST_LINES = 400;

/** Returns the lines that are replaced (`- `) and those that replace them (`+ `), in their order. */
export function differenceBetween(before: string, after: string): readonly string[] {
  const [a, b] = [linesIn(before), linesIn(after)];
  const common = a.length > MOST_LINES ? [] : commonLines(a, b);
  const lines: string[] = [];
  let [atA, atB] = [0, 0];
  for (const line of [...common, undefined]) {
    for (; atA < a.length && a[atA] !== line; atA += 1) lines.push(`- ${visible(a[atA] ?? '')}`);
    for (; atB < b.length && b[atB] !== line; atB += 1) lines.push(`+ ${b[atB]}`);
    atA += 1;
    atB += 1;
  }
  return lines;
}

const linesIn = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The longest lines that two texts have in one order. */
function commonLines(a: readonly string[], b: readonly string[]): string[] {
  const longest = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => longest[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = longest[i];
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: string[] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      lines.push(a[i] ?? '');
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return lines;
}
