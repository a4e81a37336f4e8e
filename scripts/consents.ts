/** Makes docs/reference/consents.md, which lists what fiatrail asks before it sends, from the contract and the commands. */
import { CATALOGUE } from '../src/commands/catalogue.ts';
import type { ConsentKind, ConsentRow, Endpoint } from '../src/contract/endpoint.ts';
import { endpoints } from '../src/contract/endpoints/index.ts';
import type { Command } from '../src/terminal/command.ts';

const KINDS: Readonly<Record<ConsentKind, string>> = {
  destination: 'decides where money or events go',
  price: 'changes a price',
  access: 'lets someone or something act',
};

const INTRODUCTION = `# What fiatrail asks before it sends

[Controls](../controls.md#what-fiatrail-asks) explains these questions. The contract marks the fields, and a command that would send one without asking does not compile, so this is the whole list.

`;

/** The effects of requests that ask whatever their fields are. */
const EFFECTS: Readonly<Partial<Record<string, string>>> = { money: 'moves money', destructive: 'cannot be undone' };

export async function consentsPage(): Promise<string> {
  const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();
  // The order of a module’s exports depends on what loads it.
  const rows = endpoints.flatMap((endpoint) => rowsOf(endpoint, commands)).toSorted();
  const table = [
    '| called by | field of the request | because it | not asked for |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
  return `${INTRODUCTION}${table}\n`;
}

function rowsOf(endpoint: Endpoint, commands: readonly Command[]): string[] {
  const { id, effect, effects, consents = {} } = endpoint;
  const callers = commands
    .filter((command) => command.endpoints.includes(id))
    .map(({ words }) => `\`${words.join(' ')}\``);
  const named = callers.join(', ') || `\`api ${endpoint.method} ${endpoint.path}\``;
  const row = (field: string, why: string, unless = '') => `| ${named} | ${field} | ${why} | ${unless} |`;
  const actions = Object.entries(effects?.of ?? {}).flatMap(([action, each]) => {
    const why = EFFECTS[each];
    return why ? [row(`\`${effects?.field}\`: ${action}`, why)] : [];
  });
  const whole = EFFECTS[effect];
  return [
    ...(whole ? [row('any', whole)] : []),
    ...actions,
    ...Object.entries<ConsentRow>(consents).map(([field, { kind, unless }]) =>
      row(field === '*' ? 'any' : `\`${field}\``, KINDS[kind], unless?.words),
    ),
  ];
}
