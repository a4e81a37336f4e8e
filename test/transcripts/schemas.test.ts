import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { printedSchema } from '../../src/commands/schema.ts';
import { amountSchema } from '../../src/present/prints.ts';
import { ROOT } from '../support/built.ts';
import { violations } from '../support/json-schema.ts';
import { commandOf, OTHERWISE } from './documents.ts';
import { wordsOf } from './session.ts';

/** Every document that a transcript shows has the form that `fiatrail schema` says; transcripts.test.ts checks those that it would show with -o json. */
const FOLDER = join(ROOT, 'test', 'transcripts');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));

interface Shown {
  readonly argv: readonly string[];
  readonly text: string;
}

/** The documents that a transcript shows of commands that succeed. */
function shownIn(transcript: string): Shown[] {
  const blocks = transcript.matchAll(/^\$ (?:[A-Z_]+=\S* )*fiatrail (.*)\n([\s\S]*?)^\[exit (\d+)\]$/gm);
  return [...blocks].flatMap(([, line = '', output = '', code]) => {
    const [words = ''] = line.split(' < ');
    const argv = wordsOf(words);
    const isHelp = argv.includes('-h');
    const isJson = argv.includes('--json') || argv.some((word, at) => word === 'json' && argv[at - 1] === '-o');
    // The placeholder of a number is the only one outside a text.
    const text = output
      .replace(/^2> .*\n/gm, '')
      .replaceAll(': <block>', ': "<block>"')
      .replaceAll(': <milliseconds>', ': 0');
    return code === '0' && isJson && !isHelp && !argv.some((word) => OTHERWISE.test(word)) ? [{ argv, text }] : [];
  });
}

// While transcripts are written, one may still be without its output.
describe.skipIf(process.env['UPDATE_TRANSCRIPTS'])('the transcripts', () => {
  const shown = names.flatMap((name) =>
    shownIn(readFileSync(join(FOLDER, name), 'utf8')).map((each) => ({ name, ...each })),
  );

  test('show many documents', () => {
    expect(shown.length).toBeGreaterThan(25);
  });

  test.each(shown)('$name: $argv', async ({ argv, text }) => {
    const command = await commandOf(argv);
    if (!command?.prints) {
      expect(['api', 'completion bash', 'plans apply']).toContain(command?.words.join(' '));
      return;
    }
    expect(violations(printedSchema(command.prints), JSON.parse(text))).toEqual([]);
  });
});

describe('a document that differs', () => {
  const schema = printedSchema(() =>
    z.object({ id: z.string(), total: amountSchema(), note: z.optional(z.nullable(z.string())) }),
  );
  const document = { id: '1', total: { value: '1.00', asset: 'NGN' } };

  test.each([
    ['is right', document, []],
    ['may have more fields', { ...document, more: 1 }, []],
    ['lacks a field', { id: '1' }, ['$ lacks total']],
    ['has a field of another type', { ...document, id: 1 }, ['$.id is number, not string']],
    ['has null', { ...document, id: null, note: null }, ['$.id is null, not string']],
    [
      'has an unknown asset',
      { ...document, total: { value: '1', asset: 'BTC' } },
      ['$.total.asset is BTC, none of NGN,CNGN,USDC,USDT'],
    ],
    [
      'has an amount in words',
      { ...document, total: { value: '₦1', asset: 'NGN' } },
      [expect.stringContaining('$.total.value is "₦1"')],
    ],
  ])('%s', (_, given, expected) => {
    expect(violations(schema, given)).toEqual(expected);
  });
});
