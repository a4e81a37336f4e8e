/** Parts of the document that have a line of their own: each component, and each part of an operation. */
const DEPTH: Readonly<Record<string, number>> = { info: 2, tags: 2, paths: 4, webhooks: 4, components: 3 };

/** Returns an OpenAPI document as JSON with few line breaks. Indented throughout, it would be twice as long. */
export function openApiText(document: object): string {
  const parts = Object.entries(document).map(
    ([name, value]) => `${JSON.stringify(name)}:${text(value, DEPTH[name] ?? 1, ' ')}`,
  );
  return `{\n${parts.join(',\n')}\n}\n`;
}

function text(value: unknown, depth: number, indent: string): string {
  if (depth <= 1 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, each]) => `${indent}${isList ? '' : `${JSON.stringify(name)}:`}${text(each, depth - 1, `${indent} `)}`,
  );
  const end = indent.slice(1);
  return isList ? `[\n${parts.join(',\n')}\n${end}]` : `{\n${parts.join(',\n')}\n${end}}`;
}
