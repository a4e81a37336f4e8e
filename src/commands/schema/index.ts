import { CliError } from '../../base/errors.ts';
import { RENAMED } from '../../contract/renamed.ts';
import type { JsonSchema } from '../../derive/schema.ts';
import { printable } from '../../money/amount.ts';
import { type Command, command, type Group } from '../../terminal/command.ts';
import { nearest } from '../../terminal/parse/nearest.ts';
import { type Parameter, word } from '../../terminal/parse/parameters.ts';
import { printedSchema } from './printed-schema.ts';

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
  const now = RENAMED.get(name);
  if (now !== undefined)
    throw new CliError('usage', `fiatrail ${name} has another name now: fiatrail ${now}`, {
      hint: `type: fiatrail schema ${now}`,
    });
  const below = inGroup.map(nameOf).filter((each) => each.startsWith(`${name} `));
  if (below.length > 0)
    throw new CliError('usage', `incomplete command: ${name}`, { hint: `expected one of: ${below.join(', ')}` });
  const near = nearest(name, (await allOf(catalogue)).map(nameOf));
  throw new CliError('usage', `unknown command "${printable(name)}"`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'list the commands with: fiatrail schema',
  });
}

/** Returns the schema of what a command prints. Throws CliError usage if that is not described. */
function schemaOf(found: Command): JsonSchema {
  const line = `fiatrail ${nameOf(found)}`;
  if (!found.prints)
    throw new CliError('usage', `there is no schema of what "${line}" prints`, {
      code: 'NO_SCHEMA',
      hint: 'see which commands have one with: fiatrail schema',
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
      'fiatrail schema onramp start --query required',
      'fiatrail schema -o json --query "commands[?hasSchema].command"',
    ],
    endpoints: [],
    isLocal: true,
    prints: {
      either: [
        {
          form: {
            commands: ['list of', { command: 'text', hasSchema: 'flag', summary: 'text' }],
            pagination: 'pagination',
          },
        },
        { form: { $schema: 'text', title: 'text', description: 'text' } },
      ],
    },
    parameters: { words: commandWords },
    run: async (_session, { words = [] }) => {
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
