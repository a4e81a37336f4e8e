import { CliError } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { FORMATS, type Format } from '../present/result.ts';
import type { Globals } from './globals.ts';
import { duration } from './parameters.ts';

/** The parts of the World that the global flags depend on. */
export type Terminal = Pick<World, 'env' | 'stdout'>;

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 86_400_000;

/** Reads the global flags, and the environment where a flag is omitted. Throws CliError usage. */
export function readGlobals(options: Record<string, unknown>, { env, stdout }: Terminal): Globals {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined);
  const timeout = text('timeout');
  const flag = chosenFormat(options['json'] === true, text('output'));
  const format = flag ?? (env['FIATRAIL_OUTPUT'] || undefined);
  return {
    profile: text('profile'),
    isFormatChosen: format !== undefined,
    present: {
      format: formatOf(format ?? 'table', flag === undefined ? 'FIATRAIL_OUTPUT' : '--output'),
      fields: text('fields')
        ?.split(',')
        .map((field) => field.trim()),
      query: text('query'),
      isCsvRaw: options['csvRaw'] === true,
      color: stdout.isTerminal && options['color'] !== false && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
      isPlain: env['TERM'] === 'dumb',
    },
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    noInput: options['input'] === false,
    yes: options['yes'] === true,
    dryRun: options['dryRun'] === true,
    timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : timeoutOf(timeout),
  };
}

function timeoutOf(text: string): number {
  try {
    return Math.min(duration(text), LONGEST_TIMEOUT_MS);
  } catch (error) {
    throw error instanceof CliError
      ? new CliError('usage', `--timeout: ${error.message}`, { hint: error.hint })
      : error;
  }
}

function chosenFormat(isJson: boolean, output: string | undefined): string | undefined {
  if (!isJson || output === undefined || output === 'json') return isJson ? 'json' : output;
  throw new CliError('usage', `--json and --output ${output.slice(0, 30)} cannot be combined`, {
    hint: 'use only one of them',
  });
}

function formatOf(text: string, from: string): Format {
  const found = FORMATS.find((format) => format === text);
  if (found) return found;
  throw new CliError('usage', `${from}: invalid output format "${text.slice(0, 30)}"`, {
    hint: `expected one of ${FORMATS.join(', ')}`,
  });
}
