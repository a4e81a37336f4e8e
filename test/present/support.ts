import type { OutputStream } from '../../src/base/world.ts';
import { present } from '../../src/present/present.ts';
import type { PresentOptions, Result } from '../../src/present/result.ts';

/** An OutputStream that keeps every write, and tells `onWrite` when one has ended. */
export function sink(
  onWrite: (text: string) => void | Promise<void> = () => {},
  terminal?: { columns: number },
): OutputStream & { readonly writes: string[] } {
  const writes: string[] = [];
  return {
    isTerminal: terminal !== undefined,
    columns: terminal?.columns,
    writes,
    async write(text) {
      await onWrite(text);
      writes.push(text);
    },
  };
}

/** What present writes, as one text. Default format: json. */
export async function printed(result: Result, options: Partial<PresentOptions> = {}): Promise<string> {
  const out = sink();
  await present(result, { format: 'json', color: false, ...options }, out);
  return out.writes.join('');
}

export async function* pagesOf(...pages: readonly (readonly unknown[])[]): AsyncGenerator<readonly unknown[]> {
  yield* pages;
}

/** 64 hexadecimal digits, as user ids of the service have them. */
export function hexId(seed: number): string {
  return Array.from({ length: 64 }, (_digit, index) => ((index * 7 + seed * 13) % 16).toString(16)).join('');
}

/** Lines as a terminal counts their columns: wide characters take two. */
export function columnsOf(line: string): number {
  return [...line].reduce(
    (sum, character) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/.test(character) ? 2 : 1),
    0,
  );
}
