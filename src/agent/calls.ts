import { CliError } from '../base/errors.ts';
import { type Answer, answerOf, answerOfError, type Cut, cursorText, positionOf } from './answer.ts';
import { type CommandRecord, fieldOf, lineOf, nameOf, offered, type RunCommand, takes } from './commands.ts';
import { commandsOf, type Tool } from './tools.ts';
import type { Turns } from './turns.ts';

/** What the calls of a server are made with. */
export interface Calling {
  readonly tools: readonly Tool[];
  readonly commands: readonly CommandRecord[];
  readonly run: RunCommand;
  readonly turns: Turns;
  /** Flags of every command: the profile, JSON, masking. */
  readonly globals: readonly string[];
  /** Whether what tells about someone is masked, and left out of what a query can compute with. */
  readonly isMasked: boolean;
}

type Given = Readonly<Record<string, unknown>>;

const ROWS = 20;
const MOST_ROWS = 100;

const invalid = (message: string, hint: string) => new CliError('usage', message, { code: 'INVALID_ARGUMENTS', hint });

/** Reads how a list is cut. Throws CliError usage. */
function cutOf(tool: Tool, { limit = ROWS, cursor }: Given): Cut {
  if (!tool.isList) return { limit: MOST_ROWS, position: {} };
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > MOST_ROWS)
    throw invalid(`limit: expected a whole number from 1 to ${MOST_ROWS}`, `omit it for ${ROWS} rows`);
  if (cursor !== undefined && typeof cursor !== 'string')
    throw invalid('cursor: expected a text', 'give the cursor of the answer before');
  return { limit: limit as number, position: cursor === undefined || cursor === '' ? {} : positionOf(cursor) };
}

/** What a call says of the tool itself, rather than of its command. */
const ownFields = ({ answers, isList }: Tool): readonly string[] => [
  ...(answers.kind === 'commands' ? ['command', 'arguments'] : []),
  ...(answers.kind === 'description' ? ['command'] : []),
  ...(isList ? ['limit', 'cursor'] : []),
];

/** Splits what a call gives into what the tool takes and the arguments of its command. Throws CliError usage. */
function argumentsIn(tool: Tool, given: Given): Given {
  const own = ownFields(tool);
  const others = Object.fromEntries(Object.entries(given).filter(([name]) => !own.includes(name)));
  if (tool.answers.kind === 'command') return others;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw invalid(
      `unknown field "${unknown.slice(0, 60)}"`,
      own.length === 0 ? 'the tool takes none' : `expected some of: ${own.join(', ')}`,
    );
  const { arguments: inner = {} } = given;
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
    throw invalid('arguments: expected an object', 'give each argument by its name');
  return inner as Given;
}

/** Returns the command that a call names. Throws CliError usage. */
function commandNamed(tool: Tool, { command }: Given, all: readonly CommandRecord[]): CommandRecord {
  const found = commandsOf(tool, all);
  const name = typeof command === 'string' ? command.trim().replace(/^fiatrail\s+/, '') : '';
  const [first] = found;
  if (tool.answers.kind === 'command' && first) return first;
  const named = found.find((each) => nameOf(each) === name);
  if (named) return named;
  throw invalid(
    typeof command === 'string' ? `${tool.name} does not run "${command.slice(0, 60)}"` : 'command: expected a text',
    `see what it runs with the tool commands; it has ${found.length}`,
  );
}

/** The tools that run a command, by name. */
const runBy = (tools: readonly Tool[], all: readonly CommandRecord[], command: CommandRecord): readonly string[] =>
  tools
    .filter((tool) => tool.answers.kind === 'commands' && commandsOf(tool, all).includes(command))
    .map(({ name }) => name);

/** Returns what `commands` lists. */
function listed({ tools, commands }: Calling, cut: Cut): Answer {
  const rows = commands.flatMap((each) => {
    const by = runBy(tools, commands, each);
    return by.length === 0 ? [] : [{ command: nameOf(each), summary: each.summary, tools: by.join(', ') }];
  });
  const start = cut.position.skip ?? 0;
  const end = start + cut.limit;
  return {
    data: { commands: rows.slice(start, end), total: rows.length },
    ...(end < rows.length && { cursor: cursorText({ skip: end }) }),
  };
}

/** Returns what `describe` says of a command. Throws CliError usage. */
function described({ tools, commands }: Calling, { command: given }: Given): Answer {
  const name = typeof given === 'string' ? given.trim().replace(/^fiatrail\s+/, '') : '';
  const found = commands.find((each) => nameOf(each) === name);
  const by = found ? runBy(tools, commands, found) : [];
  if (!found || by.length === 0)
    throw invalid(
      typeof given === 'string' ? `no tool runs "${given.slice(0, 60)}"` : 'command: expected a text',
      'list the commands with the tool commands',
    );
  const { summary, details, effect } = found;
  const parameters = offered(found).map((each) => {
    const { kind: _, ...rest } = each;
    return { ...rest, name: fieldOf(each) };
  });
  return { data: { command: name, tools: by, summary, details, effect, arguments: parameters } };
}

/** The id of a plan, whole or its beginning. */
const ID = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/;

/** Returns the command line of a call. Throws CliError usage. */
function lineFor(calling: Calling, tool: Tool, given: Given, { limit, position }: Cut): readonly string[] {
  const { commands, globals, isMasked } = calling;
  const command = commandNamed(tool, given, commands);
  const { answers } = tool;
  const fixed = answers.kind === 'command' || answers.kind === 'commands' ? (answers.fixed ?? []) : [];
  if (answers.kind === 'command' && answers.onlyIds)
    for (const [name, value] of Object.entries(given))
      if (typeof value !== 'string' || !ID.test(value))
        throw invalid(`${name}: expected an id`, 'copy it from an answer');
  const isPaged = tool.isList && takes(command, '--after');
  return lineOf(command, argumentsIn(tool, given), [
    ...(isPaged ? [`--limit=${limit}`] : []),
    ...(isPaged && position.after !== undefined ? [`--after=${position.after}`] : []),
    ...(isMasked && takes(command, '--without-personal-data') && answers.kind === 'command'
      ? ['--without-personal-data']
      : []),
    ...fixed,
    ...globals,
  ]);
}

/** Runs a command line, and answers with what it prints, or with what another command shows of what it made. */
async function answerOfLine(
  { run, commands, globals }: Calling,
  { answers }: Tool,
  line: readonly string[],
  { cut, signal }: { readonly cut: Cut; readonly signal: AbortSignal },
): Promise<Answer> {
  const answer = answerOf(await run(line, signal), cut);
  const shows = answers.kind === 'commands' ? answers.shows : undefined;
  const showing = commands.find((each) => nameOf(each) === shows?.command);
  if (!shows || !showing || answer.error) return answer;
  const id = (answer.data as Given)[shows.id];
  const shown = answerOf(await run(lineOf(showing, { [shows.id]: id }, globals), signal), cut);
  // What was made is there, also if it cannot be shown.
  return shown.error ? answer : shown;
}

/** Answers a call. Never rejects for what a call gives or how its command ends. */
export async function answerCall(calling: Calling, tool: Tool, given: unknown, signal: AbortSignal): Promise<Answer> {
  try {
    const fields = given ?? {};
    if (typeof fields !== 'object' || Array.isArray(fields))
      throw invalid('expected an object', 'give each argument by its name');
    const cut = cutOf(tool, fields as Given);
    const { kind } = tool.answers;
    if (kind === 'list' || kind === 'description') argumentsIn(tool, fields as Given);
    if (kind === 'list') return listed(calling, cut);
    if (kind === 'description') return described(calling, fields as Given);
    const line = lineFor(calling, tool, fields as Given, cut);
    return await calling.turns.take(signal, () => answerOfLine(calling, tool, line, { cut, signal }));
  } catch (error) {
    if (error instanceof CliError) return answerOfError(error);
    throw error;
  }
}
