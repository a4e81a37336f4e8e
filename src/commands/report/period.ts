import * as z from 'zod/mini';
import { CliError } from '../../base/errors.ts';
import { monthNamed } from '../../engine/questions/report/periods.ts';
import { optionalArgument, word } from '../../terminal/parse/parameters.ts';
import { type TypedPeriod, timesOf } from '../../terminal/parse/period.ts';
import type { Session } from '../../terminal/session.ts';

export interface Period {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export const periodArgument = optionalArgument(
  'period',
  '"this month" (default), "last month" or a month such as 2026-11',
  word,
);

/** Returns the period that was typed: a month by its name, or from --since to --until; now at the latest. Throws CliError usage. */
export function periodIn(session: Session, name: string | undefined, typed: TypedPeriod): Period {
  const nowMs = session.world.clock.now();
  const isTyped = typed.since !== undefined || typed.until !== undefined;
  if (name !== undefined && isTyped)
    throw new CliError('usage', 'a month and --since or --until cannot be combined', { hint: 'give one of them' });
  const zone = session.globals.zone;
  const month = monthNamed(name ?? 'this month', zone, nowMs);
  if (!month)
    throw new CliError('usage', `"${name}" is no period`, {
      hint: 'write "this month", "last month", 2026-11, or --since and --until',
    });
  const { sinceMs = month.sinceMs, untilMs = month.untilMs } = isTyped ? timesOf(typed, session) : month;
  return { sinceMs, untilMs: Math.max(sinceMs + 1, untilMs) };
}

export const iso = (ms: number) => new Date(ms).toISOString();
export const spanIn = ({ sinceMs, untilMs }: Period) => ({ since: iso(sinceMs), until: iso(untilMs - 1) });

export const periodSchema = () => ({ since: z.iso.datetime(), until: z.iso.datetime() });
