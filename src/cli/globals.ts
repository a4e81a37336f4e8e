import { FORMATS, type PresentOptions } from '../present/result.ts';

/** The flags every command takes. */
export interface Globals {
  readonly profile: string | undefined;
  readonly present: PresentOptions;
  /** Whether a flag or the environment says how the output is to look; the profile may, otherwise. */
  readonly isFormatChosen: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** For all tries of one request together. */
  readonly timeoutMs: number;
}

/** The flags every command takes, for help and completion. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, help: string])[] = [
  ['--profile <name>', 'account to use (default: FIATRAIL_PROFILE, else the embedded sandbox)'],
  ['-o, --output <format>', `${FORMATS.join(', ')} (default: FIATRAIL_OUTPUT, else table)`],
  ['--json', 'the same as -o json'],
  ['--fields <a,b>', 'print only these fields'],
  ['--query <JMESPath>', 'print what a JMESPath expression finds'],
  ['-q, --quiet', 'no notices on stderr'],
  ['-v, --verbose', 'requests and answers on stderr, secrets hidden'],
  ['--no-color', 'no colour'],
  ['--no-input', 'never ask'],
  ['-y, --yes', 'go ahead without asking'],
  ['--dry-run', 'show what would be sent, and send nothing'],
  ['--timeout <duration>', 'for all tries of a request together (default 60s)'],
];
