import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Home, ROOT } from '../support/built.ts';

/** A row of the table of files in docs/stored-where.md. */
export interface DocumentedPlace {
  readonly place: string;
  readonly mode: string;
  /** The kinds of secrets stored there in plain text. */
  readonly secrets: readonly string[];
}

export function documentedPlaces(): DocumentedPlace[] {
  const page = readFileSync(join(ROOT, 'docs', 'stored-where.md'), 'utf8');
  return [...page.matchAll(/^\| `((?:CONFIG|STATE|CACHE|HERE)\/[^`]*)` \| (\d{3}) \|([^|]*)\|([^|]*)\|/gm)].map(
    ([, place = '', mode = '', , secrets = '']) => ({
      place,
      mode,
      secrets: secrets
        .split(',')
        .map((kind) => kind.trim())
        .filter((kind) => kind !== ''),
    }),
  );
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** Names that vary between runs, and their placeholders in the table. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  // The tour has folders of its own.
  [/^STATE\/tour\/config\//, 'CONFIG/'],
  [/^CACHE\/v[\d.]+-\w+-[0-9a-f]+-\d+\/$/, 'CACHE/NODE/'],
  [/^CACHE\/v[\d.]+-\w+-[0-9a-f]+-\d+\/[0-9a-f]+$/, 'CACHE/NODE/CODE'],
  [/^CACHE\/[0-9a-f]{16}-v[\d.]+-\w+-[\w-]+\.code$/, 'CACHE/BUILD.code'],
  [new RegExp(`^STATE/rotations/${UUID}\\.`), 'STATE/rotations/ID.'],
  [/^CONFIG\/profiles\/[\w.-]+\.json$/, 'CONFIG/profiles/NAME.json'],
  [
    /^CONFIG\/secrets\/[\w-]+\.(api-key|encryption-keys|webhook-secrets|approver-key|recognition-key)$/,
    'CONFIG/secrets/NAME.$1',
  ],
  [/^STATE\/inbox-[\w-]+\.db/, 'STATE/inbox-NAME.db'],
  [/^STATE\/copy-[\w-]+\.db/, 'STATE/copy-NAME.db'],
  [/^HERE\/snapshot\.db$/, 'HERE/SNAPSHOT'],
  [/^HERE\/plan\.json$/, 'HERE/PLAN'],
];

/** Converts a path in a home to its name in the table; folders end with a slash. */
export function placeOf(path: string): string {
  const roots = [
    [/^config(?=\/)/, 'CONFIG'],
    [/^state(?=\/)/, 'STATE'],
    [/^cache\/fiatrail(?=\/)/, 'CACHE'],
    [/^here(?=\/)/, 'HERE'],
  ] as const;
  const rooted = roots.reduce((text, [pattern, name]) => text.replace(pattern, name), path);
  return NAMES.reduce((text, [pattern, name]) => text.replace(pattern, name), rooted);
}

/** The working directory for commands that write files there. */
export const hereOf = ({ path }: Home) => join(path, 'here');
