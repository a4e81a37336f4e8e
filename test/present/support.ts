import type { OutputStream } from '../../src/base/world.ts';
import { present } from '../../src/present/present.ts';
import type { PresentOptions, Result } from '../../src/present/result.ts';

/** An OutputStream that records every write after awaiting `onWrite`. */
export function sink(
  onWrite: (text: string) => void | Promise<void> = () => {},
  terminal?: { columns: number },
): OutputStream & { readonly writes: string[] } {
  const writes: string[] = [];
  return {
    isTerminal: terminal !== undefined,
    columns: terminal?.columns,
    writes,
    async write(text: string) {
      await onWrite(text);
      writes.push(text);
    },
  };
}

/** Returns the output of `present` as one text. The default format is json. */
export async function printed(result: Result, options: Partial<PresentOptions> = {}): Promise<string> {
  const out = sink();
  await present(result, { format: 'json', color: false, ...options }, out);
  return out.writes.join('');
}

export async function* pagesOf(...pages: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* pages;
}

/** Returns 64 hexadecimal digits, like a user id of the service. */
export function hexId(seed: number): string {
  return Array.from({ length: 64 }, (_digit, index) => ((index * 7 + seed * 13) % 16).toString(16)).join('');
}

/** Returns the width of a line on a terminal, where wide characters take two columns. */
export function columnsOf(line: string): number {
  return [...line].reduce(
    (sum, character) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/.test(character) ? 2 : 1),
    0,
  );
}
