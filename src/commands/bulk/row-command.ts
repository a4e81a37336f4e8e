import { CliError } from '../../base/errors.ts';
import type { RowColumn, RowCommand } from '../../bulk/columns.ts';
import type { Command, Group, RowsOfCommand } from '../../terminal/command.ts';
import type { Parameter } from '../../terminal/parse/parameters.ts';
import { MONEY_OPTIONS } from '../../terminal/parse/parameters.ts';

/** A command with what makes its requests of rows. */
export type CommandWithRows = Command & { readonly rows: RowsOfCommand };

const hasRows = (command: Command): command is CommandWithRows => command.rows !== undefined;

/** Returns the command that `--as` names, with spaces or, as completion writes it, with hyphens. Throws CliError usage, with those that there are. */
export async function commandAs(catalogue: readonly Group[], typed: string): Promise<CommandWithRows> {
  const words = typed
    .replace(/^fiatrail /, '')
    .trim()
    .replace(/\s+/g, ' ');
  const isMeant = (name: string) => words === name || words.startsWith(`${name} `) || words.startsWith(`${name}-`);
  const groups = await Promise.all(catalogue.filter(({ name }) => isMeant(name)).map(({ load }) => load()));
  const found = groups.flat().find((each) => [each.words.join(' '), each.words.join('-')].includes(words));
  if (found && hasRows(found)) return found;
  const names = (await Promise.all(catalogue.map(({ load }) => load())))
    .flat()
    .filter(hasRows)
    .map((each) => `"${each.words.join(' ')}"`);
  throw new CliError('usage', `--as: fiatrail cannot run "${words.slice(0, 60)}" for each row of a file`, {
    hint: `expected one of ${names.join(', ')}`,
  });
}

/** Parameters that are about one run of a command. */
const OF_A_RUN: ReadonlySet<string> = new Set([...Object.keys(MONEY_OPTIONS), 'wait']);

const flagOf = ({ name }: Pick<Parameter<unknown>, 'name'>) => /^--([\w-]+)/.exec(name)?.[1] ?? name;

/** Returns a command as rows need it: its parameters are the columns. */
export function rowCommandOf({ words, parameters, rows, fields = {} }: CommandWithRows): RowCommand {
  const { endpoint, leavesOut = [], needs = [], others = {} } = rows;
  const columnOf = (key: string, parameter: Parameter<unknown>): RowColumn => {
    const { help, required, picks, parse } = parameter;
    const title = flagOf(parameter).replaceAll('-', ' ');
    const isRequired = required || needs.includes(key);
    return { key, title, help, isRequired, isSecret: key === 'bvn', names: picks, parse };
  };
  const own = Object.entries(parameters).filter(([key]) => !OF_A_RUN.has(key) && !leavesOut.includes(key));
  const columns = [
    ...own.map(([key, parameter]) => columnOf(key, parameter)),
    ...Object.entries(others).map(([key, parameter]) => ({ ...columnOf(key, parameter), isOther: true })),
  ];
  return {
    words: words.join(' '),
    endpoint,
    columns,
    requestOf: (values) => rows.request(values as never),
    titleOf: (field) => columns.find(({ key }) => key === (fields[field] ?? field))?.title ?? field,
  };
}
