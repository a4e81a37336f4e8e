import type { Plain } from './plain.ts';
import { hasControls, jsonText } from './text.ts';

/**
 * Formats a document as YAML that YAML 1.1 and 1.2 parsers read identically. Long numbers keep every digit, and text with
 * control characters is quoted as in JSON, whose escapes are also those of YAML.
 */
export async function yamlText(document: Plain): Promise<string> {
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
  return stringify(document, {
    compat: 'yaml-1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags) => [longNumber, controlText, ...tags],
  });
}
