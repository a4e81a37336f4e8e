import { cpSync, renameSync, rmSync } from 'node:fs';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { printedSchema } from '../../src/commands/schema.ts';
import type { present } from '../../src/present/present.ts';
import type { Prints } from '../../src/present/prints.ts';
import type { Format } from '../../src/present/result.ts';
import type { Command } from '../../src/terminal/command.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { closed, violations } from '../support/json-schema.ts';
import type { Run } from './session.ts';

const TERMINAL = {
  env: {},
  stdout: { isTerminal: false, columns: undefined, write: async () => {} },
  ownFile: (name: string) => name,
};

/** Options whose output is another document: what they choose, a request that is not sent, or a plan. */
export const OTHERWISE = /^(--query|--fields|--dry-run|--plan)(=|$)/;

export async function commandOf(argv: readonly string[]): Promise<Command | undefined> {
  const parsed = await parse(argv, CATALOGUE, TERMINAL);
  return parsed.kind === 'command' ? parsed.command : undefined;
}

type Present = typeof present;

/** The results that the running command has printed: in which format, and as -o json prints them. */
let printed: { readonly format: Format; readonly json: string }[] = [];

/** Prints a result in its format, and keeps what -o json would have printed. */
export const keeping =
  (real: Present): Present =>
  async (result, options, out) => {
    const pages: (readonly unknown[])[] = [];
    // Pages can be read once only.
    async function* read() {
      for await (const page of result.more ?? []) {
        pages.push(page);
        yield page;
      }
    }
    async function* readAgain() {
      yield* pages;
    }
    const hasFound = await real(result.more ? { ...result, more: read() } : result, options, out);
    if (result.sink || (result.always ?? 'json') !== 'json') return hasFound;
    let text = '';
    const write = async (part: string) => {
      text += part;
    };
    const again = result.more ? { ...result, more: readAgain() } : result;
    await real(again, { format: 'json', color: false }, { isTerminal: false, columns: undefined, write });
    printed.push({ format: options.format, json: text });
    return hasFound;
  };

/** Documents with fields that their schema leaves open: filters repeat what was asked for, an export has every setting, a query names its columns. */
const OPEN = ['bulk report', 'history ', 'profiles export', 'schema', 'sql'];

/** Whether a command has another result for a table: started work without its start, balances without empty networks, a drawn book. */
const hasBriefTable = ({ words, prints }: Command) =>
  (prints && ('start' in prints || 'either' in prints)) || words[0] === 'balances' || words.join(' ') === 'fx book';

/** What the commands of all sessions printed, by their words. */
export const documents = new Map<string, object[]>();

type Schema = Parameters<typeof violations>[0];

/** The schemas of the commands so far, by their words: making one takes longer than using it. */
const schemas = new Map<string, Schema>();

function schemaOf(words: string, prints: Prints): Schema {
  const schema = printedSchema(prints);
  return OPEN.some((start) => words.startsWith(start)) ? schema : closed(schema);
}

interface Watched {
  readonly run: Run;
  /** Where documents differ from their schemas. */
  readonly differences: string[];
}

/** Puts a folder where another one is while `work` runs. Its path stays the same, because files name it. */
async function inPlaceOf(folder: string, other: string, work: () => Promise<unknown>): Promise<void> {
  const away = `${folder}-away`;
  renameSync(folder, away);
  renameSync(other, folder);
  try {
    await work();
  } finally {
    rmSync(folder, { recursive: true });
    renameSync(away, folder);
  }
}

/**
 * Returns a function that runs commands, and what it found out about the documents that they print. A command that prints a table, and
 * nothing more, of a document with more runs again with `inJson`, with what the home had before.
 */
export function watched(run: Run, inJson?: Run): Watched {
  const differences: string[] = [];
  return {
    differences,
    run: async (home, argv, options) => {
      const isPlain = !argv.some((word) => OTHERWISE.test(word));
      const command = isPlain ? await commandOf(argv).catch(() => undefined) : undefined;
      const before = inJson && command && hasBriefTable(command) ? `${home.path}-before` : undefined;
      if (before) cpSync(home.path, before, { recursive: true });
      printed = [];
      const ran = await run(home, argv, options);
      const isBrief = command?.prints && check(command, command.prints, argv, differences);
      if (isBrief && inJson && before) {
        printed = [];
        await inPlaceOf(home.path, before, () => inJson(home, argv, options));
        if (printed.length === 0 || check(command, command.prints, argv, differences))
          differences.push(`${argv.join(' ')}: no document`);
      } else if (before) rmSync(before, { recursive: true });
      return ran;
    },
  };
}

/** Returns whether a table was all that the command printed of a document with more. */
function check(command: Command, prints: Prints, argv: readonly string[], differences: string[]): boolean {
  let isBrief = false;
  const words = command.words.join(' ');
  const schema = schemas.get(words) ?? schemaOf(words, prints);
  schemas.set(words, schema);
  for (const { format, json } of printed) {
    if (format === 'table' && hasBriefTable(command)) {
      isBrief = true;
      continue;
    }
    const document = JSON.parse(json);
    const problems = violations(schema, document);
    differences.push(...problems.map((problem) => `${argv.join(' ')}: ${problem}`));
    documents.set(words, [...(documents.get(words) ?? []), document]);
  }
  return isBrief;
}
