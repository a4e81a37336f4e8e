/** How good a state is: work that went well, that failed, or that somebody should look at. */
export type Tone = 'good' | 'bad' | 'open';

const WORDS: Readonly<Record<Tone, readonly string[]>> = {
  good: [
    ...['completed', 'success', 'successful', 'settled', 'active', 'verified', 'delivered', 'confirmed', 'filled'],
    ...['done', 'accepted', 'approved', 'enabled', 'resolved', 'forwarded', 'ok', 'holds'],
  ],
  bad: [
    ...['failed', 'rejected', 'refused', 'expired', 'cancelled', 'canceled', 'error', 'problem', 'dead', 'deleted'],
    ...['does not hold'],
  ],
  open: [
    ...['pending', 'unknown', 'sent', 'prepared', 'processing', 'requested', 'initiated', 'paused', 'inactive'],
    ...['waiting', 'warning', 'skipped'],
  ],
};

/** Titles of the columns and values that are states. */
const TITLES: readonly string[] = ['Status', 'State', 'Result'];

/** Returns the tone of a value under a title; undefined for anything that is not a known state. */
export function toneOf(title: string, text: string): Tone | undefined {
  if (!TITLES.includes(title)) return undefined;
  const word = text.toLowerCase();
  return (['good', 'bad', 'open'] as const).find((tone) => WORDS[tone].includes(word));
}
