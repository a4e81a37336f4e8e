import type { Plain } from './plain.ts';

/** A document as YAML that readers of YAML 1.1 and 1.2 agree on; long numbers keep every digit. */
export async function yamlText(document: Plain): Promise<string> {
  const { stringify } = await import('yaml');
  const longNumber = {
    identify: (value: unknown) => JSON.isRawJSON(value),
    default: true,
    tag: 'tag:yaml.org,2002:float',
    resolve: (text: string) => text,
    stringify: ({ value }: { value?: unknown }) => (JSON.isRawJSON(value) ? value.rawJSON : String(value)),
  };
  return stringify(document, {
    compat: 'yaml-1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
    customTags: (tags) => [longNumber, ...tags],
  });
}
