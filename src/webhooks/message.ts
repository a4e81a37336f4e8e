/** A saved HTTP request. */
export interface SavedMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Reads a saved HTTP request: a request line, which may be missing, header lines, an empty line, and the body. Undefined if it is none. */
export function messageFrom(text: string): SavedMessage | undefined {
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const lines = text.slice(0, end.index).split(/\r?\n/);
  const [first = ''] = lines;
  const headerLines = /^[A-Z]+ \S+( HTTP\/[\d.]+)?$/.test(first) ? lines.slice(1) : lines;
  const headers = headerLines.map((line) => /^([\w-]+):\s*(.*)$/.exec(line));
  if (headers.length === 0 || headers.includes(null)) return undefined;
  return {
    headers: headers.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])),
    body: text.slice(end.index + end[0].length),
  };
}
