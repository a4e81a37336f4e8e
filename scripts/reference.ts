/**
 * Generates docs/reference/ and docs/openapi.json from the commands and the contract, and the topics in docs/troubleshooting.md.
 * `npm run reference` writes the files; test/docs/reference.test.ts fails if they are out of date.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { commandFor } from '../src/commands/endpoints.ts';
import { endpointsByGroup } from '../src/derive/describe.ts';
import { openApi } from '../src/derive/openapi.ts';
import { endpointPage, markdownTable } from '../src/derive/reference.ts';
import type { Command, Group } from '../src/terminal/command.ts';
import { formOf, usageOf } from '../src/terminal/help/help.ts';
import { GLOBAL_OPTIONS } from '../src/terminal/parse/globals.ts';
import { withTopics } from './topics.ts';

export const FOLDER = 'docs/reference';

/** A page that people write, but for the topics in it. */
const TROUBLESHOOTING = 'docs/troubleshooting.md';

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
    ...[...pages, ...endpoints].map(([path, text]) => [`${FOLDER}/${path}`, text] as const),
    ['docs/openapi.json', `${JSON.stringify(openApi(), null, 2)}\n`],
    [TROUBLESHOOTING, withTopics(await readFile(TROUBLESHOOTING, 'utf8'))],
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
    'Generated from the commands and the contract by `npm run reference`. For the endpoints as OpenAPI 3.1, see [openapi.json](../openapi.json).\n',
    `## Commands\n\n${links(commands)}`,
    `## Global flags\n\n${optionTable(GLOBAL_OPTIONS)}`,
    `## Endpoints\n\n${links(endpoints)}`,
  ].join('\n');
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
  const { words, summary, details, parameters, examples, endpoints } = command;
  const rows = Object.values(parameters).map((each): [string, string] => [
    formOf(each),
    [each.help, each.required ? 'required' : '', each.repeats ? 'may be repeated' : ''].filter(Boolean).join('; '),
  ]);
  return [
    `## ${words.join(' ')}\n`,
    [summary, details]
      .map((text) => text?.replace(/[^.]$/, '$&.'))
      .filter(Boolean)
      .join(' ')
      .concat('\n'),
    `\`\`\`\n${['fiatrail', ...words, usageOf(command)].join(' ').trim()}\n\`\`\`\n`,
    ...(rows.length > 0 ? [optionTable(rows)] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`,
    ...(endpoints.length > 0 ? [`Calls ${endpoints.map((id) => `\`${id}\``).join(', ')}.\n`] : []),
  ].join('\n');
}

async function write(): Promise<void> {
  const files = await generated();
  await rm(FOLDER, { recursive: true, force: true });
  for (const [path, text] of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

if (import.meta.main) await write();
