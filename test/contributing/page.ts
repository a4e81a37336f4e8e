import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/built.ts';

/** An edit of one file. `anchor` is part of the line that the text goes before or after, or what it replaces. */
export interface Edit {
  readonly kind: 'create' | 'append' | 'before' | 'after' | 'replace';
  readonly path: string;
  readonly anchor: string;
  readonly text: string;
}

/** One step of a contributing page. */
export type Step = Edit | { readonly kind: 'run'; readonly commands: readonly string[] };

const FOLDER = join(ROOT, 'docs', 'contributing');

/** The pages that have no steps, each with the test that reads it. */
export const READ_ELSEWHERE: Readonly<Record<string, string>> = {
  approvals: 'test/plans/attacks.test.ts',
  architecture: 'test/house.test.ts',
  glossary: 'test/docs/glossary.test.ts',
  inferred: 'test/docs/fidelity.test.ts',
  naming: 'test/docs/naming.test.ts',
  'other-systems': 'test/system/other-systems.test.ts',
  release: 'test/package/release.test.ts',
  'simulated-activity': 'test/service/simulation/simulate.test.ts',
  'unknown-outcomes': 'test/journal/states-page.test.ts',
};

/** Every page that is followed word for word: all but those that another test reads. */
export const PAGES = readdirSync(FOLDER)
  .map((file) => file.replace(/\.md$/, ''))
  .filter((page) => !Object.hasOwn(READ_ELSEWHERE, page));

const FENCE = /^```\w*\n([\s\S]*?)^```$/m;
const CREATE = /Create `([^`]+)`:$/;
const APPEND = /Append to `([^`]+)`:$/;
const INSERT = /In `([^`]+)`, add (before|after) `([^`]+)`:$/;
const REPLACE = /^(?:- )?In `([^`]+)`, replace `([^`]+)` with `([^`]+)`\.$/;
const RUN = /Run:$/;

/**
 * Reads the steps of a page in docs/contributing/. A code block is a step when the line above it says what to do with it:
 * "Create `path`:", "Append to `path`:", "In `path`, add before `line`:" or "Run:". So is a line
 * "In `path`, replace `a` with `b`."
 */
export function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(join(FOLDER, `${page}.md`), 'utf8');
  const steps: Step[] = [];
  let rest = text;
  for (let fence = FENCE.exec(rest); ; fence = FENCE.exec(rest)) {
    const prose = (fence ? rest.slice(0, fence.index) : rest).split('\n').filter((line) => line !== '');
    steps.push(...prose.flatMap(replacementIn));
    if (!fence) return steps;
    steps.push(stepFor(prose.at(-1) ?? '', fence[1] ?? ''));
    rest = rest.slice(fence.index + fence[0].length);
  }
}

function replacementIn(line: string): Step[] {
  const [, path, anchor, text] = REPLACE.exec(line) ?? [];
  return path && anchor && text ? [{ kind: 'replace', path, anchor, text }] : [];
}

function stepFor(line: string, text: string): Step {
  const [, created] = CREATE.exec(line) ?? [];
  if (created) return { kind: 'create', path: created, anchor: '', text };
  const [, appended] = APPEND.exec(line) ?? [];
  if (appended) return { kind: 'append', path: appended, anchor: '', text };
  const [, path, place, anchor] = INSERT.exec(line) ?? [];
  if (path && anchor) return { kind: place === 'before' ? 'before' : 'after', path, anchor, text };
  if (RUN.test(line)) return { kind: 'run', commands: text.split('\n').filter((command) => command !== '') };
  throw new Error(`no instruction above a code block: ${line}`);
}

/** Makes the edit of a step in a file's text. Throws when the file does not have the anchor exactly once. */
export function edited(step: Edit, text: string): string {
  if (step.kind === 'create') return step.text;
  if (step.kind === 'append') return `${text.trimEnd()}\n${step.text.startsWith(' ') ? '' : '\n'}${step.text}`;
  const places = text.split(step.anchor).length - 1;
  if (places !== 1) throw new Error(`${step.path} has "${step.anchor}" ${places} times, expected once`);
  // A function as the replacement: no character of the text has a meaning.
  if (step.kind === 'replace') return text.replace(step.anchor, () => step.text);
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes(step.anchor)) + (step.kind === 'after' ? 1 : 0);
  return [...lines.slice(0, at), ...step.text.trimEnd().split('\n'), ...lines.slice(at)].join('\n');
}
