import type { Zone } from '../../base/zone.ts';
import type { Account } from '../../engine/account.ts';
import { amountWords, isPlainAmount } from '../../present/plain.ts';
import { plainLine } from '../../present/text.ts';
import { timeText } from '../../present/times.ts';
import type { Choose } from './find.ts';
import type { FindMatch } from './look.ts';
import { amountIn, textIn } from './typed.ts';

/** What a list of matches shows of one. */
export function matchRow({ kind, id, matchedBy, found, operations, at }: FindMatch) {
  const row = found?.row ?? {};
  const status = textIn(row, ['status']) ?? operations[0]?.state ?? null;
  const amount = amountIn(row, kind.amount) ?? operations[0]?.moves ?? null;
  return { kind: kind.name, id, status, amount, who: textIn(row, kind.who) ?? null, at, matchedBy };
}

/** Lets a person pick one of several matches on a terminal; anywhere else nobody chooses. */
export const chooser =
  (account: Account, zone: Zone): Choose =>
  async (matches) => {
    if (!account.notices.isInteractive || account.globals.present.format !== 'table') return undefined;
    const choices = matches.map((match) => {
      const { kind, id, status, amount, who, at } = matchRow(match);
      const sum = isPlainAmount(amount) ? amountWords(amount) : undefined;
      const parts = [kind, sum, who, status, at && timeText(at, { zone }, true), id];
      return { value: match, name: plainLine(parts.filter(Boolean).join(' · ')) };
    });
    return (await account.world.prompter()).search('Which one? Type part of it:', async (typed) => {
      const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
      return choices.filter(({ name }) => words.every((each) => name.toLowerCase().includes(each)));
    });
  };
