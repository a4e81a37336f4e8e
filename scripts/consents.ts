/** Writes what fiatrail asks before it sends into docs/security.md, from the contract and the commands. */
import { CATALOGUE } from '../src/commands/catalogue.ts';
import type { ConsentKind, ConsentRow, Endpoint } from '../src/contract/endpoint.ts';
import { endpoints } from '../src/contract/endpoints/index.ts';
import type { Command } from '../src/terminal/command.ts';
import { withBlock } from './topics.ts';

const KINDS: Readonly<Record<ConsentKind, string>> = {
  destination: 'decides where money or events go',
  price: 'changes a price',
  access: 'lets somebody or something act',
};

/** The effects of requests that ask whatever their fields are. */
const EFFECTS: Readonly<Partial<Record<string, string>>> = { money: 'moves money', destructive: 'cannot be undone' };

/** Returns a page with the table of today between its marks. */
export async function withConsents(page: string): Promise<string> {
  const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat();
  // The order of a module’s exports depends on what loads it.
  const rows = endpoints.flatMap((endpoint) => rowsOf(endpoint, commands)).toSorted();
  const table = [
    '| called by | field of the request | because it | not asked for |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
  return withBlock(page, 'consents, from the contract', `\n${table}\n\n`);
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
