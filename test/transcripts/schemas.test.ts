import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { printedSchema } from '../../src/commands/schema/printed-schema.ts';
import type { Command } from '../../src/terminal/command.ts';
import { parse } from '../../src/terminal/parse/program.ts';
import { newHome, ROOT, requireBuilt } from '../support/built.ts';
import { closed, violations } from '../support/json-schema.ts';
import { quickRun, replay, wordsOf } from './session.ts';

/** Every document that a transcript shows, or would show with -o json, has the form that `fiatrail schema` says. */
const FOLDER = join(ROOT, 'test', 'transcripts');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
const TERMINAL = { env: {}, stdout: { isTerminal: false, columns: undefined, write: async () => {} } };

/** Options whose output is another document: what they choose, a request that is not sent, or a plan. */
const OTHERWISE = /^(--query|--fields|--dry-run|--plan)(=|$)/;

beforeAll(requireBuilt);

async function commandOf(argv: readonly string[]): Promise<Command | undefined> {
  const parsed = await parse(argv, CATALOGUE, TERMINAL);
  return parsed.kind === 'command' ? parsed.command : undefined;
}

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
      expect(['api', 'completion bash', 'ops apply']).toContain(command?.words.join(' '));
      return;
    }
    expect(violations(printedSchema(command.prints), JSON.parse(text))).toEqual([]);
  });
});

/** Whether a command prints its whole document, as JSON if nothing says otherwise. */
const isPlain = (argv: readonly string[]) =>
  !argv.some((word) => OTHERWISE.test(word) || /^(-o|--output)/.test(word) || ['--help', '-h'].includes(word));

/** Documents with fields that their schema leaves open: filters repeat what was asked for, an export has every setting. */
const OPEN = ['history ', 'profiles export', 'schema'];

/** Commands that no transcript runs to the end. */
const OTHERS = `
$ fiatrail webhooks set https://inbox.fiatrail.invalid/ --yes
@U = fiatrail users onboarding start --bvn-stdin -o json < BVN | requestId
$ fiatrail sandbox settle
$ fiatrail users onboarding status $U
$ fiatrail whoami
$ fiatrail explain
$ fiatrail doctor
$ fiatrail schema
$ fiatrail schema users list
$ fiatrail openapi
$ fiatrail profiles journal show
$ fiatrail profiles use sandbox --here
$ fiatrail profiles trust --here
$ fiatrail profiles export
$ write profiles.json '{"version": 2, "profiles": [{"name": "box", "mode": "sandbox", "baseUrl": "https://box.example/v1", "store": {"kind": "file"}}]}'
$ fiatrail profiles import profiles.json
$ fiatrail fx book token
$ fiatrail fx auto-signing stats
$ fiatrail ops verify
$ fiatrail ops reconcile
$ fiatrail ops backup journal-copy.db
$ fiatrail sandbox events list
@E = fiatrail sandbox events list -o json | events.0.eventId
$ fiatrail sandbox events show $E
$ fiatrail sandbox events resend $E
$ fiatrail keys encryption enable
$ fiatrail keys encryption rotate
@I = fiatrail users list -o json | users.0.userId
$ fiatrail users activate $I
$ fiatrail sandbox snapshot before.db
$ fiatrail sandbox restore before.db --yes
$ fiatrail webhooks inbox export
$ write body.json '{"event": "user.onboarded", "eventId": "1", "version": "1.0.0", "data": {"userId": "u"}}'
$ fiatrail webhooks open --body body.json
$ fiatrail completion install zsh
$ fiatrail completion uninstall zsh
$ fiatrail completion cache show
$ fiatrail completion cache set on
$ fiatrail completion cache set off
`;

describe('a document that differs', () => {
  const schema = printedSchema({ form: { id: 'text', total: 'amount', 'note?': ['null or', 'text'] } });
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

/** Commands that need another host, somebody else’s signature, a captured delivery or an unknown outcome. `offramp status` is shown above. */
const UNSEEN = [
  ...[
    'profiles journal set',
    'profiles operators remove',
    'profiles operators cancel',
    'keys sandbox add',
    'offramp status',
    'webhooks inbox replay',
    'webhooks verify',
  ],
  ...['ops resolve', 'ops head', 'ops import', 'ops sign'],
];

describe('with -o json', () => {
  const run = quickRun;
  const seen = new Set<string>();
  const shownBy: Record<string, object[]> = {};

  /** Replays a session with JSON as the default format, and tells where its documents differ from their schemas. */
  async function compared(session: string): Promise<{ differences: string[]; played: string }> {
    const differences: string[] = [];
    const played = await replay(session, newHome(onTestFinished), async (home, argv, options = {}) => {
      const ran = await run(home, argv, { ...options, env: { FIATRAIL_OUTPUT: 'json', ...options.env } });
      const command = ran.stdout === '' || !isPlain(argv) ? undefined : await commandOf(argv).catch(() => undefined);
      if (!command?.prints) return ran;
      const words = command.words.join(' ');
      const schema = printedSchema(command.prints);
      const isOpen = OPEN.some((start) => words.startsWith(start));
      const found = violations(isOpen ? schema : closed(schema), JSON.parse(ran.stdout));
      differences.push(...found.map((problem) => `${argv.join(' ')}: ${problem}`));
      seen.add(words);
      const { [words]: documents = [] } = shownBy;
      shownBy[words] = [...documents, JSON.parse(ran.stdout)];
      return ran;
    });
    return { differences, played };
  }

  test.each(names)('every command of %s prints what its schema says', async (name) => {
    const { differences } = await compared(readFileSync(join(FOLDER, name), 'utf8'));
    expect(differences).toEqual([]);
  });

  test('so do commands that no transcript runs', async () => {
    const { differences, played } = await compared(OTHERS.trim().replace(/^\$ .*$/gm, '$&\n[exit ?]'));
    expect(differences).toEqual([]);
    expect(played.match(/^\[exit [^0].*$/gm)).toBe(null);
  });

  test('every other command with a schema is seen', async () => {
    const all = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const unseen = all.filter(({ words, prints }) => prints && !seen.has(words.join(' ')));
    expect(unseen.map(({ words }) => words.join(' '))).toEqual(UNSEEN);
  });

  test('a field that may be missing is missing somewhere', async () => {
    const all = (await Promise.all(CATALOGUE.map((group) => group.load()))).flat();
    const always = all.flatMap(({ words, prints }) => {
      const documents = shownBy[words.join(' ')] ?? [];
      if (!prints || !('form' in prints) || documents.length === 0) return [];
      const { properties = {}, required = [] } = printedSchema(prints) as { properties?: object; required?: string[] };
      return Object.keys(properties)
        .filter((name) => !required.includes(name) && documents.every((document) => Object.hasOwn(document, name)))
        .map((name) => `${words.join(' ')}: ${name}`);
    });
    expect(always).toEqual([]);
  });
});
