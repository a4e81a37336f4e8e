import { CliError } from '../../base/errors.ts';
import type { OutputStream, World } from '../../base/world.ts';
import { DEFAULT_ZONE, zoneName, zoneNamed } from '../../base/zone.ts';
import { hasLinks } from '../../present/links.ts';
import { FORMATS, type Format } from '../../present/result.ts';
import { type Globals, WHEN, type When } from './globals.ts';
import { duration } from './parameters.ts';

/** The parts of the World that the global flags depend on. */
export type Terminal = Pick<World, 'env' | 'stdout'>;

const DEFAULT_TIMEOUT_MS = 60_000;
const LONGEST_TIMEOUT_MS = 86_400_000;

/** Reads the global flags, and the environment where a flag is omitted. Throws CliError usage. */
export function readGlobals(options: Record<string, unknown>, { env, stdout }: Terminal): Globals {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined);
  const timeout = text('timeout');
  const zone = text('tz');
  const color = options['color'] === undefined ? 'auto' : whenOf(options['color']);
  const flag = options['json'] === true ? jsonWith(text('output')) : text('output');
  const given = flag ?? (env['FIATRAIL_OUTPUT'] || undefined);
  const format = given === undefined ? 'table' : formatOf(given, flag === undefined ? 'FIATRAIL_OUTPUT' : '--output');
  const isQueryRequired = options['queryRequired'] === true;
  if (isQueryRequired && options['query'] === undefined)
    throw new CliError('usage', '--query-required needs --query', { hint: 'add --query EXPRESSION' });
  return {
    profile: text('profile'),
    color,
    isFormatChosen: given !== undefined,
    present: {
      format,
      fields: text('fields')
        ?.split(',')
        .map((field) => field.trim()),
      query: text('query'),
      isCsvRaw: options['csvRaw'] === true,
      isQueryRequired,
      color: hasColor(color, stdout, env),
      hasLinks: hasLinks(stdout, env),
      isPlain: env['TERM'] === 'dumb',
      isPiped: !stdout.isTerminal,
      isQuiet: options['quiet'] === true && !stdout.isTerminal,
      width: stdout.isTerminal ? undefined : columnsIn(env),
    },
    zone: zoneNamed(zone === undefined ? DEFAULT_ZONE : named('--tz', () => zoneName(zone))),
    isZoneChosen: zone !== undefined,
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    noInput: options['input'] === false,
    yes: options['yes'] === true,
    dryRun: options['dryRun'] === true,
    timeoutMs: timeout === undefined ? DEFAULT_TIMEOUT_MS : named('--timeout', () => timeoutOf(timeout)),
  };
}

/** Reads --color; Commander gives false for --no-color. Throws CliError usage. */
function whenOf(text: unknown): When {
  if (text === false) return 'never';
  const found = WHEN.find((each) => each === text);
  if (found) return found;
  throw new CliError('usage', `--color: invalid value "${String(text).slice(0, 30)}"`, {
    hint: `expected one of ${WHEN.join(', ')}`,
  });
}

/** Whether output to a stream has color. NO_COLOR holds if it is not empty (no-color.org). */
export function hasColor(when: When, { isTerminal }: Pick<OutputStream, 'isTerminal'>, env: World['env']): boolean {
  return when === 'auto' ? isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb' : when === 'always';
}

/** Shells set COLUMNS to the width of their terminal; a value that is no width counts as none. */
function columnsIn({ COLUMNS = '' }: World['env']): number | undefined {
  return /^[1-9]\d{0,4}$/.test(COLUMNS) ? Number(COLUMNS) : undefined;
}

const timeoutOf = (text: string) => Math.min(duration(text), LONGEST_TIMEOUT_MS);

/** Names the flag in an error about its value. */
function named<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CliError ? new CliError('usage', `${flag}: ${error.message}`, { hint: error.hint }) : error;
  }
}

/** Returns the format of --json, with which `output` may agree. */
function jsonWith(output: string | undefined): string {
  if (output === undefined || output === 'json') return 'json';
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
