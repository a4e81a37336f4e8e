import { hasControls } from '../present/text.ts';

/** Why a cell cannot be read: what is wrong, and what to do. */
export interface CellProblem {
  readonly problem: string;
  readonly hint?: string | undefined;
}

const AS_TEXT = 'make the column text before the numbers are typed or pasted, then export again';

const SHORTENED = /^[+-]?\d+(?:[.,]\d+)?e[+-]?\d+$/i;

/** As a spreadsheet reads it. A sign before a number is none. */
const FORMULA = /^\s*(?:[=@\uff0b\uff1d\uff20]|[+-](?![\d.,\s]*$))/;

const PRINTED_ERROR = /^#(?:REF|N\/A|VALUE|NAME|DIV\/0|NUM|NULL|SPILL)[!?]?$/i;

/** Nearly every cell: nothing in it may be one of the problems below. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{N} .,:/_&'()₦-]*$/u;

/** Returns what is wrong with a cell whatever its column is; undefined if nothing is. */
export function problemOfCell(text: string): CellProblem | undefined {
  if (SHORTENED.test(text)) return shortened(text);
  if (PLAIN.test(text)) return undefined;
  if (text.includes('\0')) return { problem: 'has a NUL character', hint: 'export the sheet again, as CSV in UTF-8' };
  if (text.includes('\u{FFFD}'))
    return { problem: 'has characters that were lost', hint: 'export the sheet again, as CSV in UTF-8' };
  if (PRINTED_ERROR.test(text)) return { problem: 'is an error of the spreadsheet', hint: 'correct its formula' };
  if (FORMULA.test(text)) return { problem: 'is a formula', hint: 'paste its value in its place' };
  if (hasControls(text)) return { problem: 'has a control or invisible character', hint: 'type it again without it' };
  return undefined;
}

const shortened = (text: string): CellProblem => ({
  problem: `was shortened to ${text} by a spreadsheet, and its digits are lost`,
  hint: AS_TEXT,
});

/** Returns what is wrong with the digits of an account number, if a spreadsheet has changed them. */
export function problemOfDigits(text: string, count: number): CellProblem | undefined {
  const digits = text.replaceAll(' ', '');
  if (/^\d+[.,]0+$/.test(digits)) return { problem: 'has decimals: a spreadsheet took it for a number', hint: AS_TEXT };
  if (!/^\d+$/.test(digits) || digits.length >= count) return undefined;
  return {
    problem: `has ${digits.length} digits, and not ${count}: a spreadsheet removes a 0 at the start of a number`,
    hint: AS_TEXT,
  };
}

/** Nearly every amount: it can be read in one way only. */
const UNAMBIGUOUS = /^\d+(?:\.\d\d?)?$/;

const ENGLISH = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;

const WRITE_PLAIN = 'write 1234.56, without separators of thousands';

/**
 * Returns an amount as a sheet has it in the form that commands take, or what is wrong with it. A semicolon or a tab between the cells says that a comma may be
 * the decimal one (`mayHaveDecimalComma`); then three digits after a separator could be thousands or decimals.
 */
export function amountText(text: string, mayHaveDecimalComma: boolean): string | CellProblem {
  if (UNAMBIGUOUS.test(text)) return text;
  const figure = text.replace(/^(?:NGN|₦|N)\s?(?=\d)/, '₦');
  const digits = figure.replace('₦', '');
  if (/^-|^\(.*\)$/.test(digits)) return { problem: 'is negative', hint: 'only amounts above 0 can be sent' };
  if (!/[.,]/.test(digits)) return figure;
  if (/^\d{1,3}[.,]\d{3}$/.test(digits) && mayHaveDecimalComma)
    return { problem: 'could be in thousands, or have three decimals', hint: WRITE_PLAIN };
  if (ENGLISH.test(digits)) return figure;
  if (mayHaveDecimalComma && /^\d+,\d{1,2}$/.test(digits)) return figure.replace(',', '.');
  if (/^\d+,\d+$/.test(digits)) return { problem: 'could have a decimal comma', hint: WRITE_PLAIN };
  return /[.,].*[.,]/.test(digits) ? { problem: 'has two separators', hint: WRITE_PLAIN } : figure;
}
