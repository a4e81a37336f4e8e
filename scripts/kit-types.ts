import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { jsonOf } from '../src/commands/schema.ts';
import { controls } from '../src/contract/control.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { endpoints } from '../src/contract/endpoints/index.ts';
import { EVENT_PAYLOADS } from '../src/contract/event-payloads.ts';
import { eventOf } from '../src/contract/events.ts';
import { unwrap } from '../src/contract/rows.ts';
import { describedSchema } from '../src/derive/about.ts';
import { annotatedSchema, type JsonSchema, jsonSchema } from '../src/derive/schema.ts';
import { printedFields } from '../src/engine/evidence/started.ts';
import { controlName } from '../src/kits/types.ts';
import { DECIMALS } from '../src/money/amount.ts';
import { amountSchema } from '../src/present/prints.ts';

const OPTIONS = [
  '--ignoreConfig',
  '--declaration',
  '--emitDeclarationOnly',
  '--allowImportingTsExtensions',
  '--skipLibCheck',
  '--strict',
  '--module',
  'nodenext',
  '--target',
  'es2024',
  '--types',
  'node',
];

/** What the package declares: the types of the kits, without those of the modules behind them. */
const FILES = [
  'webhooks/kit',
  'webhooks/verify',
  'webhooks/event',
  'webhooks/error',
  'kits/client',
  'kits/sandbox',
  'kits/types',
  'base/errors',
];

/**
 * Returns the type declarations of the package's entries for programs, by file name. As the code is CommonJS, so are they: the
 * compiler would not let a CommonJS project require anything else.
 */
export function kitTypes(root: string): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'fiatrail-types-'));
  try {
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const entries = ['webhooks/kit.ts', 'kits/client.ts', 'kits/sandbox.ts', 'base/json.d.ts'];
    const sources = entries.map((entry) => join('src', entry));
    execFileSync(process.execPath, [compiler, ...sources, ...OPTIONS, '--outDir', folder], {
      cwd: root,
      stdio: 'inherit',
    });
    return new Map([
      ['webhooks/event-data.d.cts', eventDataText()],
      ['kits/operations.d.cts', operationsText()],
      ...FILES.map((name) => {
        const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8');
        return [`${name}.d.cts`, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.cjs'")] as const;
      }),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes out what every operation takes and returns, with the unit of every amount. */
function operationsText(): string {
  const rows = [...endpoints, ...controls].map((endpoint) => {
    const types = [`readonly input: ${inputText(endpoint)};`, `readonly output: ${outputText(endpoint)};`];
    return `${commentText(endpoint.summary, '    ')}    readonly '${endpoint.id}': {\n        ${types.join('\n        ')}\n    };\n`;
  });
  const methods = controls.map((endpoint) => {
    const { id, summary } = endpoint;
    const isOptional = (inputOf(endpoint)['required'] ?? []).length === 0;
    const operation = `Operations['${id}']`;
    return `${commentText(summary, '    ')}    ${controlName(id)}(input${isOptional ? '?' : ''}: ${operation}['input']): Promise<${operation}['output']>;\n`;
  });
  const amount = `    readonly value: string;\n    readonly asset: ${Object.keys(DECIMALS)
    .map((each) => `'${each}'`)
    .join(' | ')};\n`;
  return [
    `/** An exact amount in whole Naira or tokens. */\nexport interface Amount {\n${amount}}\n`,
    `/** What each operation takes and returns, by its id. */\nexport interface Operations {\n${rows.join('')}}\n`,
    `/** The sandbox's controls. */\nexport interface Controls {\n${methods.join('')}}\n`,
  ].join('\n');
}

const inputOf = ({ request }: Endpoint) =>
  annotatedSchema(request(), (schema, draft) => {
    const { unit, asset } = unwrap(schema).meta ?? {};
    if (unit === undefined || unit === 'percent') return;
    for (const name of Object.keys(draft)) delete draft[name as keyof typeof draft];
    const assets = typeof asset === 'string' ? [asset] : Object.keys(DECIMALS);
    Object.assign(draft, jsonOf(amountSchema(z.enum(assets), z.string())));
  }) as JsonSchema & { readonly required?: readonly string[] };

const inputText = (endpoint: Endpoint) => typeText(inputOf(endpoint), '        ');

function outputText(endpoint: Endpoint): string {
  const { schema } = unwrap(endpoint.response());
  const printed = endpoint.nests === undefined ? schema : z.object(printedFields(endpoint));
  return typeText(jsonOf(printed), '        ');
}

/** Writes out the data of every event, with its alternative names. */
function eventDataText(): string {
  const events = Object.entries(EVENT_PAYLOADS).flatMap(([name, payload]) => {
    const { otherName, means } = eventOf(name) ?? {};
    const type = typeText(describedSchema(jsonSchema(payload()), { id: name }), '    ');
    const row = (each: string) => `${commentText(means, '    ')}    readonly '${each}': ${type};\n`;
    return otherName === undefined ? [row(name)] : [row(name), row(otherName)];
  });
  return `/** The data of each documented event, by its name. */\nexport interface EventData {\n${events.join('')}}\n`;
}

const commentText = (text: unknown, indent: string) => (text === undefined ? '' : `${indent}/** ${text} */\n`);

/** Returns a JSON Schema of the contract as a TypeScript type. Throws for one that the contract does not use yet. */
function typeText(schema: JsonSchema, indent: string): string {
  if (schema['anyOf']) return (schema['anyOf'] as JsonSchema[]).map((each) => typeText(each, indent)).join(' | ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (schema['type'] === undefined) return 'unknown';
  if (schema['enum']) return (schema['enum'] as unknown[]).map((value) => JSON.stringify(value)).join(' | ');
  const types = [schema['type']].flat();
  return types.map((type) => oneTypeText(type, schema, indent)).join(' | ');
}

function oneTypeText(type: unknown, schema: JsonSchema, indent: string): string {
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type;
  if (type === 'array') return `readonly (${typeText(schema['items'] as JsonSchema, indent)})[]`;
  if (type !== 'object') throw new Error(`no TypeScript type is known for ${JSON.stringify(schema)}`);
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>);
  if (properties.length === 0) return 'Readonly<Record<string, unknown>>';
  const required = (schema['required'] ?? []) as readonly string[];
  const inner = `${indent}    `;
  const rows = properties.map(
    ([name, each]) =>
      `${commentText(each['description'], inner)}${inner}readonly ${name}${required.includes(name) ? '' : '?'}: ${typeText(each, inner)};\n`,
  );
  return `{\n${rows.join('')}${indent}}`;
}
