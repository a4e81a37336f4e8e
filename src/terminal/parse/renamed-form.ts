import { CliError } from '../../base/errors.ts';
import { RENAMED } from '../../contract/renamed.ts';
import { shellWord } from '../../present/text.ts';

/** Returns the error for a command line with a command's former name; undefined for any other. The hint is what to type instead. */
export function renamedForm(words: readonly string[], rest: readonly string[]): CliError | undefined {
  for (let count = words.length; count > 0; count -= 1) {
    const before = words.slice(0, count).join(' ');
    const now = RENAMED[before];
    if (now === undefined) continue;
    const given = [...words.slice(count), ...rest]
      .map((word, at, all) => (isBareNumber(word, all[at - 1]) ? 'BVN' : withoutSecret(word)))
      .join(' ');
    return new CliError('usage', `fiatrail ${before} has another name now: fiatrail ${now}`, {
      code: 'USAGE',
      hint: `type: fiatrail ${now}${given === '' ? '' : ` ${given}`}`,
    });
  }
  return undefined;
}

/** A number that no flag takes may be a part of a BVN. */
const isBareNumber = (word: string, before = '') => /^\d+$/.test(word) && !before.startsWith('-');

/** A typed word for a message: BVNs, and long words that may be keys, become placeholders. */
function withoutSecret(word: string): string {
  const [, flag = '', value = ''] = /^(--?[\w-]+=)?(.*)$/s.exec(word) ?? [];
  if (/^\d{11}$/.test(value.replace(/[\s-]/g, ''))) return `${flag}BVN`;
  const isKnownForm =
    value.length < 20 || /^0x[\da-f]{40}$/i.test(value) || /\s/.test(value) || /^[\w{}]+(-[\w{}]+)+$/.test(value);
  return isKnownForm ? flag + shellWord(value) : `${flag}…`;
}
