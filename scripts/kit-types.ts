import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVENT_PAYLOADS } from '../src/contract/event-payloads.ts';
import { eventOf } from '../src/contract/events.ts';
import { type JsonSchema, jsonSchema } from '../src/derive/schema.ts';

const OPTIONS = [
  ...[
    '--ignoreConfig',
    '--declaration',
    '--emitDeclarationOnly',
    '--allowImportingTsExtensions',
    '--skipLibCheck',
    '--strict',
  ],
  ...['--module', 'nodenext', '--target', 'es2024', '--types', 'node'],
];

/** What the package declares: the types of the kit, without those of the modules behind it. */
const FILES = ['kit', 'verify', 'event', 'error'];

/**
 * Returns the type declarations of the package's entry `fiatrail/webhooks`, by file name. As the code is CommonJS, so are they: the
 * compiler would not let a CommonJS project require anything else.
 */
export function kitTypes(root: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-types-'));
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const sources = [join('src', 'webhooks', 'kit.ts'), join('src', 'base', 'json.d.ts')];
    execFileSync(process.execPath, [compiler, ...sources, ...OPTIONS, '--outDir', folder], {
      cwd: root,
      stdio: 'inherit',
    });
    return new Map([
      ['event-data.d.cts', eventDataText()],
      ...FILES.map((name) => {
        const text = readFileSync(join(folder, 'webhooks', `${name}.d.ts`), 'utf8');
        return [`${name}.d.cts`, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.cjs'")] as const;
      }),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes out the data of every event, with its alternative names. */
function eventDataText(): string {
  const events = Object.entries(EVENT_PAYLOADS).flatMap(([name, payload]) => {
    const { otherName, means } = eventOf(name) ?? {};
    const type = typeText(jsonSchema(payload()), '    ');
    const row = (each: string) => `${commentText(means, '    ')}    readonly '${each}': ${type};\n`;
    return otherName === undefined ? [row(name)] : [row(name), row(otherName)];
  });
  return `/** The data of each documented event, by its name. */\nexport interface EventData {\n${events.join('')}}\n`;
}

const commentText = (text: unknown, indent: string) => (text === undefined ? '' : `${indent}/** ${text} */\n`);

/** Returns a JSON Schema of the contract as a TypeScript type. Throws for one that the contract does not use yet. */
function typeText(schema: JsonSchema, indent: string): string {
  if (schema['enum']) return (schema['enum'] as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  const types = [schema['type']].flat();
  return types.map((type) => oneTypeText(type, schema, indent)).join(' | ');
}

function oneTypeText(type: unknown, schema: JsonSchema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') return `readonly (${typeText(schema['items'] as JsonSchema, indent)})[]`;
  if (type !== 'object') throw new Error(`no TypeScript type is known for ${JSON.stringify(schema)}`);
  const properties = Object.entries(schema['properties'] as Readonly<Record<string, JsonSchema>>);
  if (properties.length === 0) return 'Readonly<Record<string, unknown>>';
  const required = (schema['required'] ?? []) as readonly string[];
  const inner = `${indent}    `;
  const rows = properties.map(
    ([name, each]) =>
      `${commentText(each['description'], inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeText(each, inner)};\n`,
  );
  return `{\n${rows.join('')}${indent}}`;
}
