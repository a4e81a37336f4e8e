import { visible } from './text.ts';
import { charactersOf, widthOf, wrap } from './width.ts';

const EVM_ADDRESS = /(?<![\w-])0x[\da-fA-F]{40}(?![\w-])/g;

/** An address of another network: letters of both cases or only large ones, with digits. Ids have small letters only, or a `-` or `_`. */
const OTHER_ADDRESS = /(?<![\w+/-])(?=[A-Za-z\d]*[A-Z])(?=[A-Za-z\d]*\d)[A-Za-z\d]{32,64}(?![\w+/=-])/g;

/** `account 0123456789`, and `0123456789 at a bank`. Other numbers of ten digits are amounts. */
const ACCOUNT_NUMBER = /(?<=\baccount )\d{10}\b|(?<![\d.,])\d{10}(?= at )/g;

/** How many of the last characters of a shortened id are shown. */
const END = 4;

/** A shorter word is not an id. */
const SHORTEST_ID = 16;

/**
 * Writes a text of a question for a terminal: an address and an account number whole, in groups that eyes can compare (two addresses
 * that agree at both ends are a known fraud); an id that is wider than `room` shortened, so that it does not break. What the terminal
 * would hide is escaped.
 */
export function shownText(text: string, room: number): string {
  return visible(text)
    .replace(EVM_ADDRESS, (address) => `0x${inFours(address.slice(2))}`)
    .replace(OTHER_ADDRESS, inFours)
    .replace(ACCOUNT_NUMBER, (digits) => `${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`)
    .split(' ')
    .map((word) => (widthOf(word) > room ? fitted(word, room) : word))
    .join(' ');
}

const inFours = (text: string) => text.match(/.{1,4}/gs)?.join(' ') ?? text;

/** Shortens a word that is an id to `room`, and splits any other one into words. */
function fitted(word: string, room: number): string {
  const [, before = '', id = '', after = ''] = /^([("]*)([\w-]+)([)",.:;?]*)$/.exec(word) ?? [];
  if (id.length < SHORTEST_ID || !/\d/.test(id)) return inPieces(word, room);
  const start = Math.max(END, room - before.length - after.length - END - 1);
  return `${before}${id.slice(0, start)}…${id.slice(-END)}${after}`;
}

function inPieces(word: string, room: number): string {
  let pieces = '';
  let used = 0;
  for (const character of charactersOf(word)) {
    const own = widthOf(character);
    if (used > 0 && used + own > room) {
      pieces += ' ';
      used = 0;
    }
    pieces += character;
    used += own;
  }
  return pieces;
}

/** Wraps a text of a question to lines of at most `width` columns: between words, never inside an id or a group of an address. */
export const shownLines = (text: string, width: number): readonly string[] => wrap(shownText(text, width), width);
