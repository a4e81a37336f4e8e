import {
  type CommandRecord,
  fieldOf,
  isPlanned,
  isRead,
  isReport,
  nameOf,
  offered,
  type ParameterRecord,
} from './commands.ts';

/** What the owner of the account may let an agent do, by name. */
export const PERMISSIONS = ['read', 'plan', 'apply', 'sandbox'] as const;

export type Permission = (typeof PERMISSIONS)[number];

/** What a tool answers. */
type Answers =
  /** What one command prints. `fixed` are words that the call does not choose. */
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly fixed?: readonly string[];
      /** Its values are ids: a path of a file would be read. */
      readonly onlyIds?: true;
    }
  /** What one of several commands prints, which the call names. */
  | {
      readonly kind: 'commands';
      readonly among: readonly string[] | ((command: CommandRecord) => boolean);
      readonly fixed?: readonly string[];
      /** The command whose answer is given instead, and the field of the first one that names what it shows. */
      readonly shows?: { readonly command: string; readonly id: string };
    }
  /** The commands that the other tools run, or one of them. */
  | { readonly kind: 'list' }
  | { readonly kind: 'description' };

/** A tool of the server. */
export interface Tool {
  readonly name: string;
  readonly allow: Permission;
  /** One sentence for the model that chooses a tool. */
  readonly about: string;
  readonly answers: Answers;
  /** Whether its answer is a list that is cut, with a cursor for what follows. */
  readonly isList?: true;
  /** Whether the account, or the sandbox, is different afterwards. */
  readonly changes?: 'plan' | 'money' | 'sandbox';
}

/** The tools, in the order in which they are listed. None of them names an endpoint: what they run are records of commands. */
const TOOLS: readonly Tool[] = [
  {
    name: 'status',
    allow: 'read',
    about: 'Balances, fees, open work and unknown outcomes of the account.',
    answers: { kind: 'command', command: 'status' },
  },
  {
    name: 'find',
    allow: 'read',
    about: 'Find anything by id, hash, amount or name.',
    answers: { kind: 'command', command: 'find' },
    isList: true,
  },
  {
    name: 'report',
    allow: 'read',
    about: 'Sums of what came in and went out. Reads the local copy: sync it first with read.',
    answers: {
      kind: 'commands',
      among: isReport,
    },
    isList: true,
  },
  {
    name: 'query',
    allow: 'read',
    about: 'One SELECT on the local copy; without a query, set views to list the views and columns.',
    answers: { kind: 'command', command: 'sql' },
    isList: true,
  },
  {
    name: 'commands',
    allow: 'read',
    about: 'List the commands that report, read, operations, inbox, plan and fault take.',
    answers: { kind: 'list' },
    isList: true,
  },
  {
    name: 'describe',
    allow: 'read',
    about: 'Describe a command: its arguments with form, unit and default.',
    answers: { kind: 'description' },
  },
  {
    name: 'read',
    allow: 'read',
    about: 'Run a command that only reads, such as "payout list" or "users show".',
    answers: { kind: 'commands', among: isRead },
    isList: true,
  },
  {
    name: 'operations',
    allow: 'read',
    about:
      'What was sent from here and how it ended, and plans; ops reconcile finds out how an unknown outcome ended and sends nothing again.',
    answers: { kind: 'commands', among: ['ops list', 'ops show', 'ops reconcile', 'plans list'] },
    isList: true,
  },
  {
    name: 'inbox',
    allow: 'read',
    about: 'Webhook events that arrived, and those that are missing.',
    answers: {
      kind: 'commands',
      among: ['webhooks inbox list', 'webhooks inbox show', 'webhooks inbox gaps'],
    },
    isList: true,
  },
  {
    name: 'plan',
    allow: 'plan',
    about:
      'Write down a payment, and send nothing: a person approves it. Answers with amounts, fees, holder and balance after.',
    answers: { kind: 'commands', among: isPlanned, fixed: ['--plan'], shows: { command: 'plans show', id: 'plan' } },
    changes: 'plan',
  },
  {
    name: 'plan_show',
    allow: 'plan',
    about: 'What a plan would do now, and who approved it.',
    answers: { kind: 'command', command: 'plans show', onlyIds: true },
  },
  {
    name: 'plan_apply',
    allow: 'apply',
    about:
      'Send what a plan says, once, if a person approved it or the allowance covers it. Applying it again sends nothing.',
    answers: { kind: 'command', command: 'plans apply', fixed: ['--yes'], onlyIds: true },
    changes: 'money',
  },
  {
    name: 'pay',
    allow: 'sandbox',
    about: 'Pay Naira into a sandbox account, or tokens into a wallet.',
    answers: { kind: 'command', command: 'sandbox pay' },
    changes: 'sandbox',
  },
  {
    name: 'advance',
    allow: 'sandbox',
    about: 'Move the time of the sandbox forward.',
    answers: { kind: 'command', command: 'sandbox advance' },
    changes: 'sandbox',
  },
  {
    name: 'fault',
    allow: 'sandbox',
    about: 'Make requests to the sandbox fail, list such faults, or end them.',
    answers: {
      kind: 'commands',
      among: ['sandbox fault add', 'sandbox fault list', 'sandbox fault clear'],
    },
    isList: true,
    changes: 'sandbox',
  },
  {
    name: 'reset',
    allow: 'sandbox',
    about: 'Delete everything in the sandbox and start it anew.',
    answers: { kind: 'command', command: 'sandbox reset', fixed: ['--yes'] },
    changes: 'sandbox',
  },
];

/** The tools that some permissions give. */
export const toolsFor = (allowed: readonly Permission[]): readonly Tool[] =>
  TOOLS.filter(({ allow }) => allowed.includes(allow));

/** The commands among which a call of a tool chooses. */
export function commandsOf({ answers }: Tool, all: readonly CommandRecord[]): readonly CommandRecord[] {
  if (answers.kind === 'commands') {
    const { among } = answers;
    return all.filter(typeof among === 'function' ? among : (each) => among.includes(nameOf(each)));
  }
  if (answers.kind === 'command') return all.filter((each) => nameOf(each) === answers.command);
  return [];
}

/** A longer list of names costs more than it helps; `commands` has them. */
const MOST_NAMES = 8;

const property = ({ help, type, values, isRepeatable = false }: ParameterRecord) => {
  const one = { type, ...(values && values.length <= MOST_NAMES ? { enum: values } : {}) };
  return { ...(isRepeatable ? { type: 'array', items: one } : one), description: help };
};

const LIMIT = { type: 'integer', minimum: 1, maximum: 100, description: 'rows (default 20)' };
const CURSOR = { type: 'string', description: 'cursor of the answer before' };

/** Returns the JSON Schema of what a call gives. */
export function inputSchema(tool: Tool, all: readonly CommandRecord[]): object {
  const { answers, isList } = tool;
  const found = commandsOf(tool, all);
  const names = found.map(nameOf);
  const command = { type: 'string', ...(names.length > 0 && names.length <= MOST_NAMES ? { enum: names } : {}) };
  const parameters = answers.kind === 'command' ? found.flatMap(offered) : [];
  const properties = {
    ...(answers.kind === 'commands' && {
      command,
      arguments: { type: 'object', description: 'by name, as describe says' },
    }),
    ...(answers.kind === 'description' && { command: { type: 'string' } }),
    ...Object.fromEntries(parameters.map((each) => [fieldOf(each), property(each)])),
    ...(isList && { limit: LIMIT, cursor: CURSOR }),
  };
  const required = [
    ...(answers.kind === 'commands' || answers.kind === 'description' ? ['command'] : []),
    ...parameters.filter((each) => each.isRequired).map(fieldOf),
  ];
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
}
