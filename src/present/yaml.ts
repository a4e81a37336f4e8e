import { isPlainObject, type Plain } from './plain.ts';
import { hasControls, jsonText } from './text.ts';

/**
 * Formats a document as YAML that YAML 1.1 and 1.2 parsers read identically. Long numbers keep every digit, and text with
 * control characters is quoted as in JSON, whose escapes are also those of YAML.
 */
export async function yamlText(document: Plain): Promise<string> {
  const text = await yamlOf();
  if (!isPlainObject(document)) return text(document);
  const fields = Object.entries(document);
  if (!fields.some(([, value]) => isLong(value))) return text(document);
  return fields
    .map(([name, value]) => (isLong(value) ? longList(name, value, text) : text({ [name]: value })))
    .join('');
}

/** Returns a function that formats a part of a document. */
export async function yamlOf(): Promise<(part: Plain) => string> {
  const { stringify } = await import('yaml');
  const longNumber = {
    identify: (value: unknown) => JSON.isRawJSON(value),
    default: true,
    tag: 'tag:yaml.org,2002:float',
    resolve: (text: string) => text,
    stringify: ({ value }: { value?: unknown }) => (JSON.isRawJSON(value) ? value.rawJSON : String(value)),
  };
  const controlText = {
    identify: (value: unknown) => typeof value === 'string' && hasControls(value),
    default: true,
    tag: 'tag:yaml.org,2002:str',
    resolve: (text: string) => text,
    stringify: ({ value }: { value?: unknown }) => jsonText(value),
  };
  return (part) =>
    stringify(part, {
      compat: 'yaml-1.1',
      lineWidth: 0,
      aliasDuplicateObjects: false,
      customTags: (tags) => [longNumber, controlText, ...tags],
    });
}

/** The package needs thirty times the memory of the text, so it gets a long list in parts. */
const PART = 100;

const isLong = (value: Plain | undefined): value is Plain[] => Array.isArray(value) && value.length > PART;

function longList(name: string, items: readonly Plain[], text: (part: Plain) => string): string {
  const parts = [text({ [name]: items.slice(0, PART) })];
  for (let start = PART; start < items.length; start += PART)
    parts.push(text(items.slice(start, start + PART)).replace(/^(?=.)/gm, '  '));
  return parts.join('');
}
