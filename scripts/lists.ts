/**
 * `npm run lists`: writes the files that name what the folders of src/ have, so that a new record, machine or operation is added in a file
 * of its own and nowhere else, and the manual pages in package.json. A test compares them with the folders.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');

/** What a file exports, and where it is: `banks/operation.ts`. */
interface Named {
  readonly path: string;
  readonly name: string;
}

interface ListFile {
  readonly path: string;
  text(): Promise<string>;
}

/** The files of a folder of src/, those in folders below it too. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort();

/** What each file of a folder matches. The files are read and not imported, because they may import the list that is to be written. */
const declared = (folder: string, pattern: RegExp) =>
  filesIn(folder).flatMap((path) =>
    [...readFileSync(join(ROOT, folder, path), 'utf8').matchAll(pattern)].map(([, name = '', ...more]) => ({
      path,
      name,
      more,
    })),
  );

const importLines = (named: readonly Named[]) =>
  [...Map.groupBy(named, ({ path }) => path)].map(
    ([path, all]) =>
      `import { ${all
        .map(({ name }) => name)
        .sort()
        .join(', ')} } from './${path}';`,
  );

const listed = (named: readonly Named[]) => `[\n${named.map(({ name }) => `  ${name},\n`).join('')}]`;

const WRITTEN = '// Written by `npm run lists`.';

async function machines(): Promise<string> {
  const all = declared('src/service', /^export const (\w+): Machine</gm);
  return `${WRITTEN}
${importLines(all).join('\n')}
import type { Machine } from './machine.ts';

/** Every state machine. */
export const MACHINES = ${listed(all)} as unknown as readonly Machine<never>[];
`;
}

async function operations(): Promise<string> {
  const all = declared(
    'src/service',
    /^export const (\w+Operations) = \{[\s\S]*?\} satisfies OperationsOf<([^>]+)>;$/gm,
  );
  const rows = all.flatMap(({ path, name, more: [groups = ''] }) =>
    groups.split(' | ').map((group) => `  ${group}: async () => (await import('./${path}')).${name},\n`),
  );
  return `${WRITTEN}
import type { EndpointGroup } from '../contract/endpoints/index.ts';
import type { OperationsOf } from './context.ts';

/** Loads the operations of one group of endpoints. A group without operations does not compile. */
export const loadOperations: { readonly [G in EndpointGroup]: () => Promise<OperationsOf<G>> } = {
${rows.sort().join('')}};
`;
}

const startedIn = (record: object) => ('starts' in record ? (record.starts as readonly { readonly id: string }[]) : []);

/** The records of things and lists that a file of src/things exports; none for a file that is about records. */
async function recordsOf(path: string): Promise<readonly (Named & { readonly record: object })[]> {
  const text = readFileSync(join(ROOT, 'src/things', path), 'utf8');
  if (!/^export const \w+ = (?:thing|listedBy)\(/m.test(text) || path === 'index.ts') return [];
  const module = (await import(pathToFileURL(join(ROOT, 'src/things', path)).href)) as Readonly<Record<string, object>>;
  return Object.entries(module)
    .filter(([, record]) => 'facts' in record)
    .map(([name, record]) => ({ path, name, record }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const allRecords = async () => (await Promise.all(filesIn('src/things').map(recordsOf))).flat();

async function records(): Promise<string> {
  const all = await allRecords();
  const [things, lists] = [true, false].map((isThing) => all.filter(({ record }) => 'starts' in record === isThing));
  return `${WRITTEN}
${importLines(all).join('\n')}
import type { ServiceList } from './thing.ts';

/** Every kind of thing that a list or an endpoint of the service has. */
export const RECORDS = ${listed(things ?? [])} as const;

/** Every list of the service. */
export const LIST_RECORDS = ${listed(lists ?? [])} as unknown as readonly ServiceList[];
`;
}

async function byStart(): Promise<string> {
  const started = (await allRecords()).flatMap(({ path, name, record }) =>
    startedIn(record).map(({ id }) => `  '${id}': async () => (await import('./${path}')).${name},\n`),
  );
  return `${WRITTEN}
import type { Thing } from './thing.ts';

/** Loads the record of the thing that an endpoint starts, and no other, by the id of the endpoint. */
export const LOAD_BY_START: Readonly<Record<string, () => Promise<Thing>>> = {
${started.sort().join('')}};
`;
}

/** package.json, with the manual page of each group of commands. */
async function manual(): Promise<string> {
  const { CATALOGUE } = await import('../src/commands/catalogue.ts');
  const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as object;
  const pages = ['fiatrail', ...CATALOGUE.map(({ name }) => `fiatrail-${name}`)];
  return `${JSON.stringify({ ...about, man: pages.map((page) => `dist/man/${page}.1`) }, null, 2)}\n`;
}

/** Every list, as the folders have it now. */
export const LIST_FILES: readonly ListFile[] = [
  { path: 'src/service/machines.ts', text: machines },
  { path: 'src/service/operations.ts', text: operations },
  { path: 'src/things/records.ts', text: records },
  { path: 'src/things/by-start.ts', text: byStart },
  { path: 'package.json', text: manual },
];

if (import.meta.main) for (const { path, text } of LIST_FILES) writeFileSync(join(ROOT, path), await text());
