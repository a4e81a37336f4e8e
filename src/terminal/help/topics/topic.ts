/** A numbered step: what to do, and the commands that do it. */
interface TopicStep {
  readonly step: string;
  readonly run?: readonly string[];
}

/** A paragraph, command lines, a numbered step, or a table of two columns. Code is between backticks. */
export type TopicBlock =
  | string
  | { readonly run: readonly string[] }
  | TopicStep
  | { readonly rows: readonly (readonly [what: string, how: string])[] };

/** A page that `fiatrail help NAME` prints; docs/how-to.md has its text as well. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly blocks: readonly TopicBlock[];
  /** The page below docs/ that says more. */
  readonly more: string;
}
