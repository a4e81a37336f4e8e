/** Makes docs/openapi.json: the contract, the examples of the sandbox, and what `fiatrail --help` says of the commands. */
import { CATALOGUE } from '../src/commands/catalogue.ts';
import { endpointsByGroup } from '../src/derive/describe.ts';
import { type Extras, type Listed, openApi } from '../src/derive/openapi.ts';
import { openApiText } from '../src/derive/openapi-text.ts';
import { share } from '../src/derive/share.ts';
import { commandFor } from '../src/terminal/command.ts';
import { recordExamples } from './examples/index.ts';

/** What the document has besides the contract. */
export async function openApiExtras(): Promise<Extras> {
  const groups = await Promise.all(CATALOGUE.map(async (group) => ({ group, commands: await group.load() })));
  const commands = groups.flatMap((each) => each.commands);
  const names = commands.map(({ words }) => words.join(' '));
  const listed = endpointsByGroup().flatMap(([, members]) => {
    const found = members.map((endpoint) => {
      const name = commandFor(endpoint.id, commands);
      const example = commands[names.indexOf(name)]?.examples.find((each) =>
        `${each} `.startsWith(`fiatrail ${name} `),
      );
      return { endpoint, name, commandLine: example ?? `fiatrail ${name}` };
    });
    // An endpoint without a command of its own stands with those of its group.
    const own = found.find(({ name }) => name !== 'api')?.name ?? 'api';
    return found.map(({ endpoint, name, commandLine }) => {
      const isOther = name === 'api';
      const line = isOther ? `fiatrail api ${endpoint.method} ${endpoint.path}` : commandLine;
      return {
        endpoint,
        tag: (isOther ? own : name).split(' ')[0] ?? '',
        commandLine: line,
        place: names.indexOf(isOther ? own : name),
      };
    });
  });
  const inOrder: readonly Listed[] = listed.toSorted((a, b) => a.place - b.place).map(({ place: _, ...each }) => each);
  const used = new Set(inOrder.map(({ tag }) => tag));
  return {
    tags: groups
      .filter(({ group }) => used.has(group.name))
      .map(({ group: { name, summary, section } }) => ({ name, description: summary, section })),
    listed: inOrder,
    examples: await recordExamples(),
  };
}

/** Returns the content of docs/openapi.json. */
export async function openApiPage(): Promise<string> {
  return openApiText(share(openApi(await openApiExtras())));
}
