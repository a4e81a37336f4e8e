import * as z from 'zod/mini';
import { advice } from '../base/advice.ts';
import { CliError } from '../base/errors.ts';
import type { FieldMeta } from '../contract/fields.ts';
import { valuesOf } from '../contract/fields.ts';
import { elementOf, shapeOf, unwrap } from '../contract/rows.ts';
import { annotatedSchema, type JsonSchema } from '../derive/schema.ts';
import { printedFields } from '../engine/evidence/started.ts';
import { DECIMALS, printable } from '../money/amount.ts';
import { withoutPageFields } from '../present/content.ts';
import {
  amountSchema,
  type PrintedResponse,
  type PrintedWork,
  type Prints,
  paginationSchema,
} from '../present/prints.ts';
import { type Command, command, type Group } from '../terminal/command.ts';
import { nearest } from '../terminal/parse/nearest.ts';
import { type Parameter, word } from '../terminal/parse/parameters.ts';

const COLUMNS = [
  { field: 'command', title: 'Command' },
  { field: 'hasSchema', title: 'Schema' },
  { field: 'summary', title: 'Summary' },
] as const;

/** The words of a command, which are optional: without them, the commands are listed. */
const commandWords: Parameter<readonly string[] | undefined> = {
  kind: 'argument',
  name: 'command',
  help: 'words of the command, such as: users list',
  required: false,
  repeats: true,
  // `schema "users list"` quotes the name of a command.
  parse: (text) => (text === undefined ? undefined : word(text).trim().split(/\s+/)),
};

const nameOf = ({ words }: Command) => words.join(' ');

const allOf = async (groups: readonly Group[]) => (await Promise.all(groups.map((group) => group.load()))).flat();

/** Finds a command, loading only its group. Throws CliError usage. */
async function commandNamed(words: readonly string[], catalogue: readonly Group[]): Promise<Command> {
  const name = words.join(' ');
  const inGroup = await allOf(catalogue.filter((group) => group.name === words[0]));
  const found = inGroup.find((each) => nameOf(each) === name);
  if (found) return found;
  const below = inGroup.map(nameOf).filter((each) => each.startsWith(`${name} `));
  if (below.length > 0)
    throw new CliError('usage', `incomplete command: ${name}`, { hint: `expected one of: ${below.join(', ')}` });
  const near = nearest(name, (await allOf(catalogue)).map(nameOf));
  throw new CliError('usage', `unknown command "${printable(name)}"`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : advice`list the commands with: [fiatrail schema]`,
  });
}

/** Returns the JSON Schema of the document that a command prints. Fields that it does not name are allowed. */
export function printedSchema(prints: Prints): JsonSchema {
  if ('either' in prints) return { anyOf: prints.either.map(printedSchema) };
  if (typeof prints === 'function') return jsonOf(prints());
  return jsonOf('start' in prints ? ofWork(prints) : ofResponse(prints));
}

function ofResponse({ response: endpoint, lists = endpoint.lists, isRow, more }: PrintedResponse): z.ZodMiniType {
  if (lists === undefined) return z.object({ ...printedFields(endpoint), ...more?.() });
  const { schema } = unwrap(endpoint.response());
  const { [lists]: list, ...around } = shapeOf(schema) ?? {};
  const row = elementOf(list ? unwrap(list).schema : schema) ?? z.unknown();
  if (isRow) return z.nullable(row);
  // As `listDocument` in present/content.ts: the result of a change is no list, so it has no position.
  if (endpoint.effect !== 'read' && lists === endpoint.lists) return z.object({ ...around, [lists]: z.array(row) });
  return z.object({ [lists]: z.array(row), pagination: paginationSchema(), ...withoutPageFields(around) });
}

/** A field of both endpoints has the form of either, since the value of the start stays until the status has one. */
function ofWork({ start, status, also }: PrintedWork): z.ZodMiniType {
  const added = Object.entries(also ? printedFields(also.endpoint) : {});
  const all = [
    ...Object.entries(printedFields(start)),
    ...added.filter(([name]) => also?.fields.includes(name)),
    ...Object.entries(printedFields(status)),
  ].map(([name, field]) => [name, unwrap(field).schema] as const);
  const fields = [...Map.groupBy(all, ([name]) => name)].map(([name, found]) => {
    const byForm = new Map(found.map(([, schema]) => [JSON.stringify(jsonOf(schema)), schema]));
    const [only = z.unknown(), ...others] = byForm.values();
    return [name, z.nullable(others.length > 0 ? z.union([only, ...others]) : only)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

/** zod's own schema, with the fields of the contract as they are printed. */
export const jsonOf = (schema: z.ZodMiniType): JsonSchema => annotatedSchema(schema, annotate);

function annotate(schema: z.ZodMiniType, draft: Record<string, unknown>): void {
  const printed = ofSchema(schema, draft);
  if (!printed) return;
  for (const name of Object.keys(draft)) delete draft[name];
  Object.assign(draft, printed);
}

/** The form of a time, an amount or another field of the contract; undefined for what zod describes as it is printed. */
function ofSchema(schema: z.ZodMiniType, { enum: values }: JsonSchema): JsonSchema | undefined {
  const { meta } = unwrap(schema);
  const { format } = schema._zod.def as { readonly format?: string };
  if (format === 'datetime') return TYPES['datetime'];
  if (meta?.unit !== undefined && meta.asset !== undefined) return ofMoney(meta);
  if (!meta || elementOf(schema) || shapeOf(schema)) return undefined;
  const known = valuesOf(meta);
  return {
    ...(values || known ? { type: 'string' } : (TYPES[meta.type] ?? { type: meta.type })),
    // The service may add a value, such as a state of its work.
    ...(values ? { enum: values } : known ? { examples: known } : {}),
    ...(meta.rule ? { description: meta.rule } : {}),
  };
}

/** The types of the contract whose JSON type has another name. */
const TYPES: Readonly<Record<string, JsonSchema>> = {
  uuid: { type: 'string' },
  datetime: { type: 'string', format: 'date-time' },
};

/** What the service sends may be in another unit or asset than the documented one, and is then printed as it came. */
function ofMoney({ asset }: FieldMeta): JsonSchema {
  const stated = z.nullable(z.enum(typeof asset === 'string' ? [asset] : Object.keys(DECIMALS)));
  return jsonOf(z.extend(amountSchema(stated, z.string()), { unit: z.optional(z.literal('unknown')) }));
}

/** Returns the schema of what a command prints. Throws CliError usage if that is not described. */
function schemaOf(found: Command): JsonSchema {
  const line = `fiatrail ${nameOf(found)}`;
  if (!found.prints)
    throw new CliError('usage', `there is no schema of what "${line}" prints`, {
      code: 'NO_SCHEMA',
      hint: advice`see which commands have one with: [fiatrail schema]`,
    });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${line} -o json`,
    description: found.summary,
    ...printedSchema(found.prints),
  };
}

/** Returns the commands of this group; they need the catalogue to find the command that is asked about. */
export function commandsOf(catalogue: readonly Group[]): readonly Command[] {
  const schemaCommand = command({
    words: ['schema'],
    summary: 'Print the JSON Schema of what a command prints',
    details:
      'The schema (draft 2020-12) describes the document of -o json. Objects may have more fields than it names, because the service may add some. It does not describe a dry run, a plan, or output with --fields or --query. Without a command, lists the commands and whether each has a schema.',
    examples: [
      'fiatrail schema users list > users-list.schema.json',
      'fiatrail schema onramp create --query required',
      'fiatrail schema -o json --query "commands[?hasSchema].command"',
    ],
    endpoints: [],
    isLocal: true,
    prints: () =>
      z.union([
        z.object({
          commands: z.array(z.object({ command: z.string(), hasSchema: z.boolean(), summary: z.string() })),
          pagination: paginationSchema(),
        }),
        z.object({ $schema: z.string(), title: z.string(), description: z.string() }),
      ]),
    parameters: { words: commandWords },
    run: async (_account, _terminal, { words = [] }) => {
      if (words.length > 0) return { result: { data: schemaOf(await commandNamed(words, catalogue)), always: 'json' } };
      const commands = (await allOf(catalogue)).map((each) => ({
        command: nameOf(each),
        hasSchema: each.prints !== undefined,
        summary: each.summary,
      }));
      return { result: { data: { commands }, lists: 'commands', list: { isWhole: true }, columns: COLUMNS } };
    },
  });
  return [schemaCommand];
}
