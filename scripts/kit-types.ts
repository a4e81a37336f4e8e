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
import { controlName } from '../src/kits/operations.ts';
import { DECIMALS } from '../src/money/amount.ts';
import { amountSchema } from '../src/present/prints.ts';

const AMOUNT_EXAMPLE = `
import assert from 'node:assert/strict';
import type { Amount } from 'fiatrail/client';
import { startSandbox } from 'fiatrail/sandbox';

await using sandbox = await startSandbox();
const cngnAmount: Amount & { asset: 'CNGN' } = { value: '250000.00', asset: 'CNGN' };
const quote = await sandbox.client.call('fx.quote', { pair: 'CNGN-USDC', side: 'buy', cngnAmount });
assert.equal(quote.pair, 'CNGN-USDC');`;

const OPERATIONS_EXAMPLE = `
import assert from 'node:assert/strict';
import type { Operations } from 'fiatrail/client';
import { startSandbox } from 'fiatrail/sandbox';

const input: Operations['users.onboard']['input'] = { bvn: '22222222222' };
await using sandbox = await startSandbox();
const onboarding: Operations['users.onboard']['output'] = await sandbox.client.call('users.onboard', input);
assert.equal(onboarding.requestId.length > 0, true);`;

const CONTROLS_EXAMPLE = `
import assert from 'node:assert/strict';
import { type Controls, startSandbox } from 'fiatrail/sandbox';

// The next request is made, and its response is lost.
const loseNext = (control: Controls) => control.faultAdd({ endpoint: 'fx.quote', kind: 'lost-response' });

await using sandbox = await startSandbox();
await loseNext(sandbox.control);
assert.equal((await sandbox.control.faultList()).faults.length, 1);`;

const EVENT_DATA_EXAMPLE = `
import assert from 'node:assert/strict';
import type { EventData } from 'fiatrail/webhooks';

const textOf = ({ error }: Pick<EventData['swap.failed'], 'error'>) => \`the swap failed: \${error.message}\`;
assert.equal(textOf({ error: { code: 'INSUFFICIENT_LIQUIDITY', message: 'no liquidity' } }), 'the swap failed: no liquidity');`;

const FENCE = '```';

/** A comment with an example that the tests run. */
function documented(summary: string, example: string): string {
  const lines = [summary, '', '@example', `${FENCE}ts`, ...example.trim().split('\n'), FENCE];
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}

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
  'base/advice',
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
  const amount = `    /** A decimal number, such as 5000.00, without separators. */\n    readonly value: string;\n    /** What it is an amount of. */\n    readonly asset: ${Object.keys(
    DECIMALS,
  )
    .map((each) => `'${each}'`)
    .join(' | ')};\n`;
  return [
    `${documented('An exact amount in whole Naira or whole tokens.', AMOUNT_EXAMPLE)}export interface Amount {\n${amount}}\n`,
    `${documented('What each operation takes and returns, by its id. `fiatrail endpoints` lists the ids.', OPERATIONS_EXAMPLE)}export interface Operations {\n${rows.join('')}}\n`,
    `${documented('The controls of a sandbox: they move its clock, pay as a customer of a bank, make requests fail, and show what happened.', CONTROLS_EXAMPLE)}export interface Controls {\n${methods.join('')}}\n`,
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

/** What an event is that no webhook can subscribe to. */
const TO_CALLBACK = 'sent to the callbackUrl of a bridge transaction, never to the webhook';

/** Writes out the data of every event, with its alternative names. */
function eventDataText(): string {
  const events = Object.entries(EVENT_PAYLOADS).flatMap(([name, payload]) => {
    const { otherName, means = TO_CALLBACK } = eventOf(name) ?? {};
    const type = typeText(describedSchema(jsonSchema(payload()), { id: name }), '    ');
    const row = (each: string) => `${commentText(means, '    ')}    readonly '${each}': ${type};\n`;
    return otherName === undefined ? [row(name)] : [row(name), row(otherName)];
  });
  return `${documented('The data of each documented event, by its name.', EVENT_DATA_EXAMPLE)}export interface EventData {\n${events.join('')}}\n`;
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
