import { DEFAULT_ZONE, type Zone } from '../../base/zone.ts';
import { FORMATS, type PresentOptions } from '../../present/result.ts';

/** When output has color: always, never, or on a terminal that shows it. */
export const WHEN = ['auto', 'always', 'never'] as const;

export type When = (typeof WHEN)[number];

/** The global flags. */
export interface Globals {
  readonly profile: string | undefined;
  /** The agent that runs the command; undefined for a person or a job. */
  readonly agent: string | undefined;
  readonly present: PresentOptions;
  /** What --color says; `present.color` is what follows from it for standard output. */
  readonly color: When;
  /** Whether a flag or the environment sets the output format; otherwise the profile may. */
  readonly isFormatChosen: boolean;
  /** The zone of times that people read and of dates that they type. */
  readonly zone: Zone;
  /** Whether --tz sets the zone; otherwise the profile may. */
  readonly isZoneChosen: boolean;
  /** Whether --mask or --no-mask is given; otherwise the profile decides. */
  readonly isMasked: boolean | undefined;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly noInput: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** For a dry run that `profiles rules test` makes: it ends with what the rules say, instead of with the request. */
  readonly testsRules?: boolean;
  /** The limit for all attempts of a request together. */
  readonly timeoutMs: number;
}

/** The syntax and help text of the global flags, for help and completion. */
export const GLOBAL_OPTIONS: readonly (readonly [flags: string, help: string])[] = [
  [
    '--profile <name>',
    'profile to use (default: FIATRAIL_PROFILE, then the folder’s profile, then the default profile)',
  ],
  ['-o, --output <format>', `${FORMATS.join(', ')} (default: FIATRAIL_OUTPUT, the profile’s format, or table)`],
  ['--json', 'shorthand for -o json'],
  ['--fields <a,b>', 'fields to print, comma-separated'],
  ['--query <JMESPath>', 'filter the output with a JMESPath expression'],
  ['--query-required', 'exit with 9 if --query finds nothing; for commands that only read'],
  ['--csv-raw', 'with -o csv: do not mark text that a spreadsheet may run as a formula'],
  [
    '--tz <zone>',
    `time zone of tables and of dates on the command line, or UTC (default: the profile’s zone, or ${DEFAULT_ZONE})`,
  ],
  [
    '--mask',
    'replace names, numbers and addresses by handles such as name-3; amounts and states stay (default: the profile’s setting)',
  ],
  ['--no-mask', 'mask nothing'],
  ['-q, --quiet', 'suppress notices on stderr'],
  ['-v, --verbose', 'print requests and responses to stderr, with secrets redacted'],
  ['--color <when>', 'auto, always or never; auto has color on a terminal, unless NO_COLOR is set (default auto)'],
  ['--no-color', 'shorthand for --color never'],
  ['--no-input', 'never prompt for input'],
  [
    '--agent <name>',
    'an agent runs this: JSON, no prompts, and nothing is changed without a plan that a person approved (default: AI_AGENT)',
  ],
  ['-y, --yes', 'skip confirmation prompts'],
  ['--dry-run', 'print the request without sending it, or show what would change on this machine'],
  ['--timeout <duration>', 'time limit for a request, including retries (default 60s)'],
];
