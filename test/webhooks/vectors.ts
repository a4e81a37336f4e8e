import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** A documented delivery (test/witness/answers/README.md). */
export interface DocumentedDelivery {
  readonly id: string;
  readonly request: { readonly secret: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: Readonly<Record<string, unknown>>;
}

const FILE = new URL('../witness/answers/webhooks.yaml', import.meta.url);

/** Every documented delivery, from a service of this name. */
export function documentedDeliveries(service: string): readonly DocumentedDelivery[] {
  const all = parse(readFileSync(FILE, 'utf8')) as DocumentedDelivery[];
  return all.map((each) => ({
    ...each,
    headers: Object.fromEntries(
      Object.entries(each.headers).map(([name, value]) => [name.replace('{service}', service), value]),
    ),
  }));
}

/** The worked example of the contract. */
export const EXAMPLE = {
  secret: 'test-secret',
  timestamp: '2026-01-02T03:04:05.678Z',
  body: '{"event":"user.onboarded","data":{"firstName":"Ada"}}',
  signature: 'bfc8f7245fe336c19a9ab780362b8a49f481195636177b98daa9439804b71b26',
} as const;

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
