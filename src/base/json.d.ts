/** The JSON.parse source text access proposal: in Node since 21, not yet in TypeScript's library. */
interface JSON {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown,
  ): unknown;
}
