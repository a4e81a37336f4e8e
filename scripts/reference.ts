/**
 * Generates docs/reference/ and docs/openapi.json from the commands and the contract, docs/data.md and docs/reference/views.md from the tables of the local copy, the topics in
 * docs/how-to.md.
 * `npm run reference` writes the files; test/docs/reference.test.ts fails if they are out of date.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SKILL_TEXTS } from '../src/agent/skill/texts.ts';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import type { Endpoint } from '../src/contract/endpoint.ts';
import { aboutField, aboutOperation } from '../src/derive/about.ts';
import {
  describeEndpoint,
  endpointsByGroup,
  type FieldDescription,
  type RequestField,
} from '../src/derive/describe.ts';
import type { Command, Group } from '../src/terminal/command.ts';
import { commandFor } from '../src/terminal/command.ts';
import { aboutOf, formOf, partsOf, usageOf } from '../src/terminal/help/help.ts';
import { mapOf } from '../src/terminal/help/map.ts';
import { GLOBAL_OPTIONS } from '../src/terminal/parse/globals.ts';
import { consentsPage } from './consents.ts';
import { dataPage, viewsPage } from './data.ts';
import { openApiPage } from './openapi.ts';
import { withTopics } from './topics.ts';

export const FOLDER = 'docs/reference';

/** A page that people write, but for a generated part. */
const HOW_TO = 'docs/how-to.md';

/** Returns the content of every generated file by path. */
export async function generated(): Promise<ReadonlyMap<string, string>> {
  const groups = await Promise.all(CATALOGUE.map(async (group) => ({ group, commands: await group.load() })));
  const all = groups.flatMap(({ commands }) => commands);
  const pages = groups.map(
    ({ group, commands }) => [`commands/${group.name}.md`, commandPage(group, commands)] as const,
  );
  const endpoints = endpointsByGroup().map(
    ([name, members]) => [`endpoints/${name}.md`, endpointPage(name, members, (id) => commandFor(id, all))] as const,
  );
  return new Map([
    [`${FOLDER}/README.md`, indexPage()],
    [`${FOLDER}/commands.json`, await mapPage()],
    ...[...pages, ...endpoints].map(([path, text]) => [`${FOLDER}/${path}`, text] as const),
    ['docs/openapi.json', await openApiPage()],
    ['docs/data.md', dataPage()],
    [`${FOLDER}/views.md`, await viewsPage()],
    [HOW_TO, withTopics(await readFile(HOW_TO, 'utf8'))],
    [`${FOLDER}/consents.md`, await consentsPage()],
    // An agent can read the skill in the package, without writing it anywhere.
    ...Object.entries(SKILL_TEXTS).map(([name, text]) => [`${FOLDER}/skill/${name}`, text] as const),
  ]);
}

function indexPage(): string {
  const commands = CATALOGUE.map(({ name, summary }) => [`[${name}](commands/${name}.md)`, summary]);
  const endpoints = endpointsByGroup().map(([name, members]) => [
    `[${name}](endpoints/${name}.md)`,
    members.map(({ id }) => `\`${id}\``).join(', '),
  ]);
  const links = (rows: string[][]) => rows.map(([link, about]) => `- ${link}: ${about}\n`).join('');
  return [
    '# Reference\n',
    'Generated from the commands and the contract by `npm run reference`. For the endpoints as OpenAPI 3.1, see [openapi.json](../openapi.json). For programs, [commands.json](commands.json) has what `fiatrail help commands -o json` prints. Two more pages: [what fiatrail asks before it sends](consents.md), and the [views](views.md) of `fiatrail sql`.\n',
    `## Commands\n\n${links(commands)}`,
    `## Global flags\n\n${optionTable(GLOBAL_OPTIONS)}`,
    `## Endpoints\n\n${links(endpoints)}`,
  ].join('\n');
}

/** Returns what programs need to know of every command, each on a line of its own. */
async function mapPage(): Promise<string> {
  const { commands, ...others } = (await mapOf([], CATALOGUE)) as { readonly commands: readonly object[] };
  const lines = commands.map((each) => JSON.stringify(each)).join(',\n');
  return `{"commands":[\n${lines}\n],${JSON.stringify(others).slice(1)}\n`;
}

function optionTable(rows: readonly (readonly [name: string, help: string])[]): string {
  return markdownTable(
    ['', ''],
    rows.map(([name, help]) => [`\`${name}\``, help]),
  );
}

function commandPage({ name, summary }: Group, commands: readonly Command[]): string {
  const title = summary.startsWith('cNGN') ? summary : summary.charAt(0).toUpperCase() + summary.slice(1);
  return [`# fiatrail ${name}\n`, `${title}.\n`, ...commands.map(commandSection)].join('\n');
}

function commandSection(command: Command): string {
  const { words, parameters, examples, endpoints } = command;
  const rows = Object.values(parameters).map((each): [string, string] => [formOf(each), aboutOf(each)]);
  return [
    `## ${words.join(' ')}\n`,
    `${described(command)}\n`,
    `\`\`\`\n${['fiatrail', ...words, usageOf(command)].join(' ').trim()}\n\`\`\`\n`,
    ...(rows.length > 0 ? [optionTable(rows)] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`,
    ...(endpoints.length > 0 ? [`Calls ${endpoints.map((id) => `\`${id}\``).join(', ')}.\n`] : []),
  ].join('\n');
}

/** The summary of a command and its details; the list at the end of a paragraph is a table. */
function described({ summary, details = '' }: Command): string {
  const [first, ...others] = details.split('\n\n').map((paragraph) => {
    const { lead, rows } = partsOf(paragraph);
    if (rows.length === 0) return asSentence(lead);
    return `${lead}\n\n${markdownTable(
      ['Kind', 'What it does'],
      rows.map(([term, text]) => [`\`${term}\``, text]),
    )}`;
  });
  return [[asSentence(summary), first].filter(Boolean).join(' '), ...others].join('\n\n');
}

const asSentence = (text: string) => text.replace(/[^.:]$/, '$&.');

async function write(): Promise<void> {
  const files = await generated();
  await rm(FOLDER, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Returns a Markdown table. Markdown syntax in cells is escaped, except for backticks. */
function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |\n`;
  return `${line(titles)}|${titles.map(() => '---').join('|')}|\n${rows.map(line).join('')}`;
}

function cellOf(text: string): string {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part.replace(/[<*[\]\\]/g, '\\$&') : part))
    .join('`')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``);
const yesOrNo = (value: boolean) => (value ? 'yes' : 'no');

/** Returns the reference page of a group's endpoints. `commandFor` returns the command that calls an endpoint. */
function endpointPage(group: string, members: readonly Endpoint[], commandFor: (endpointId: string) => string): string {
  return [`# Endpoints: ${group}\n`, ...members.map((endpoint) => sectionOf(endpoint, commandFor(endpoint.id)))].join(
    '\n',
  );
}

function sectionOf(endpoint: Endpoint, command: string): string {
  const { id, summary, method, path, aliases, effectWords, rateLimit, source, request, response, refusals } =
    describeEndpoint(endpoint, aboutField);
  const facts = [
    ['Call', [{ method, path }, ...aliases].map((each) => code(`${each.method} ${each.path}`)).join(', also ')],
    ['Command', code(`fiatrail ${command}`)],
    ['Effect', effectWords],
    ['Rate limit', `${rateLimit.max} requests per ${rateLimit.windowSeconds} seconds`],
    ['Source', source],
  ] as const;
  return [
    `## ${id}\n`,
    `${summary}.\n`,
    `${aboutOperation(id)}\n`,
    markdownTable(['', ''], facts),
    request.length === 0 ? 'The request has no fields.\n' : `Request:\n\n${requestTable(request)}`,
    response.length === 0 ? 'The response has no fields.\n' : `Response (\`data\`):\n\n${responseTable(response)}`,
    `Errors:\n\n${markdownTable(
      ['Code', 'HTTP', 'Name', 'When', 'Remedy', 'Source'],
      refusals.map(({ code: number, http, name, when, remedy, source: from }) => [
        code(number),
        String(http),
        code(name),
        when,
        String(remedy),
        from,
      ]),
    )}`,
  ].join('\n');
}

function requestTable(fields: readonly RequestField[]): string {
  return markdownTable(
    ['Field', 'In', 'Type', 'Required', 'Description', 'Source'],
    fields.map((field) => [
      [field.name, ...field.synonyms].map(code).join(' or '),
      field.in,
      field.type,
      yesOrNo(field.required),
      field.meaning,
      field.source,
    ]),
  );
}

function responseTable(fields: readonly FieldDescription[]): string {
  return markdownTable(
    ['Field', 'Type', 'Always present', 'Description', 'Source'],
    fields.map(({ name, type, required, nullable, meaning, source }) => [
      code(name),
      type,
      required && nullable ? 'yes, may be null' : yesOrNo(required),
      meaning,
      source,
    ]),
  );
}

if (import.meta.main) await write();
