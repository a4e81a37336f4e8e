import * as z from 'zod/mini';
import { absolutePath } from '../../account/paths.ts';
import { CliError } from '../../base/errors.ts';
import type { LocalCopy } from '../../copy/database.ts';
import { readKnownUntil } from '../../copy/list-state.ts';
import { withCopy } from '../../copy/open.ts';
import { lastCheckAt } from '../../copy/questions/report/checks.ts';
import { monthName, monthNamed } from '../../copy/questions/report/periods.ts';
import type { Account } from '../../engine/account.ts';
import { fileErrors } from '../../files/inspect.ts';
import { replaceFile } from '../../files/private-file.ts';
import type { Queries } from '../../journal/store.ts';
import { printable } from '../../money/amount.ts';
import { type Figure, figureForPeople } from '../../money/figure.ts';
import type { Point } from '../../present/result.ts';
import { barsSvg } from '../../present/svg.ts';
import { option, plainText, someArguments, switchOn, word } from '../../terminal/parse/parameters.ts';
import { type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export interface ReportPeriod {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The month that it is, such as `2026-11`; undefined if it was typed as dates. */
  readonly month: string | undefined;
  /** Whether all of it is past. */
  readonly isOver: boolean;
  /** The same period as someone types it on another day: `2026-11`, or its --since and --until. */
  readonly typed: string;
}

/** Several words, since nobody quotes `last month`. */
export const periodArgument = {
  ...someArguments(
    'period',
    'this month, last month, october or a month such as 2026-11 (default this month)',
    word,
    'Period:',
  ),
  required: false,
};

/**
 * Returns the period that was typed: a month by its name, or from --since (default: the start of the month) to --until; now at the latest, or what the last sync saw of it.
 * Rejects with CliError usage, also for one that has not begun.
 */
export async function periodIn(
  account: Account,
  terminal: Terminal,
  queries: Queries,
  words: readonly string[] | undefined,
  typed: TypedPeriod,
): Promise<ReportPeriod> {
  // By the service's clock, which may be ahead of this one.
  const looked = await lastCheckAt(queries);
  const nowMs = Math.max(account.world.clock.now(), looked ? Date.parse(looked) : 0);
  const { month, times, isTyped } = monthTyped(words, typed, terminal, nowMs);
  const sinceMs = times.sinceMs ?? month.sinceMs;
  if (sinceMs > nowMs)
    throw new CliError('usage', 'the period is in the future', { hint: 'use this month for the days until now' });
  const endMs = times.untilMs ?? month.untilMs;
  const isOver = endMs <= nowMs;
  // Of a period that goes on, it is what the last sync saw.
  const known = Date.parse((await readKnownUntil(queries)) ?? '');
  const knownMs = known >= sinceMs ? known : nowMs;
  const untilMs = Math.max(sinceMs + 1, isOver ? endMs : knownMs + 1);
  if (isTyped)
    return { sinceMs, untilMs, isOver, month: undefined, typed: `--since ${iso(sinceMs)} --until ${iso(untilMs)}` };
  const named = monthName(sinceMs, terminal.globals.zone);
  return { sinceMs, untilMs, isOver, month: named, typed: named };
}

/** The month that words name, such as `2026-11`. Throws CliError usage. */
export function monthWritten(words: readonly string[], terminal: Terminal, nowMs: number): string {
  const { month } = monthTyped(words, { since: undefined, until: undefined }, terminal, nowMs);
  return monthName(month.sinceMs, terminal.globals.zone);
}

/** Returns the month that was typed, and the times if dates were. Throws CliError usage. */
function monthTyped(words: readonly string[] | undefined, typed: TypedPeriod, terminal: Terminal, nowMs: number) {
  const name = words?.length ? words.join(' ') : undefined;
  const isTyped = typed.since !== undefined || typed.until !== undefined;
  if (name !== undefined && isTyped)
    throw new CliError('usage', 'a month and --since or --until cannot be combined', { hint: 'give one of them' });
  const times = timesOf(typed, terminal);
  // An end alone is the end of a part of its month.
  const inMonthMs = Math.min(nowMs, (times.untilMs ?? nowMs + 1) - 1);
  const month = monthNamed(name ?? 'this month', terminal.globals.zone, inMonthMs);
  if (month) return { month, times, isTyped };
  throw new CliError('usage', `invalid period "${printable(name ?? '')}"`, {
    hint: 'use this month, last month, october, 2026-11, or --since and --until; see: fiatrail report --help',
  });
}

/**
 * Opens the local copy for a report of a period. A period that cannot be read is reported first, because a sync does not help.
 * Rejects with CliError usage.
 */
export async function withCopyFor<T>(
  account: Account,
  terminal: Terminal,
  words: readonly string[] | undefined,
  typed: TypedPeriod,
  use: (copy: LocalCopy) => Promise<T>,
): Promise<T> {
  monthTyped(words, typed, terminal, account.world.clock.now());
  return withCopy(account, use);
}

/** The error of a question about balances that no sync has read yet. */
export const neverLooked = () =>
  new CliError('usage', 'the balances of this account have not been copied to this machine yet', {
    code: 'NO_COPY',
    hint: 'run: fiatrail sync',
  });

export const chartOption = switchOn('--chart', 'draw bars instead of the table');

/** A figure as a bar. */
export const pointOf = (label: string, figure: Figure): Point => ({
  ...{ label, size: figure.minor, text: figureForPeople(figure) },
  isBound: figure.minor !== null && figure.known !== undefined,
});

export const svgOption = option('--svg <file>', 'also draw a bar chart to this SVG file', plainText);

/** Writes a chart to the file of --svg, replacing it. Throws CliError. */
export async function writeChart(account: Account, file: string, ...chart: Parameters<typeof barsSvg>): Promise<void> {
  const path = absolutePath(file);
  fileErrors('written', path, () => replaceFile(path, barsSvg(...chart), account.world.ids.uuid()));
  await account.notices.note(`wrote ${path}`);
}

export const iso = (ms: number) => new Date(ms).toISOString();
export const spanIn = ({ sinceMs, untilMs }: ReportPeriod) => ({ since: iso(sinceMs), until: iso(untilMs - 1) });

export const periodSchema = () => ({ since: z.iso.datetime(), until: z.iso.datetime() });
