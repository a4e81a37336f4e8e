import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { fiatrail, Home, Ran } from '../support/built.ts';
import * as here from '../support/in-process.ts';

/**
 * A transcript is a text of blocks:
 *
 *     # a remark
 *     $ fiatrail users list -o json          a command; `< NAME` passes one of INPUTS, a leading `NAME=value` sets a variable
 *     its standard output
 *     2> its standard error
 *     [exit 0]
 *     @U = fiatrail users onboard ... -o json < BVN | userId      stores a printed field as `$U`
 *
 * `$ write PATH TEXT` creates a file, with a line end for each `\n`, and `$ cat PATH` prints one. Write `[exit ?]` below a new command.
 */
type Block =
  | { readonly kind: 'text'; readonly line: string }
  | { readonly kind: 'command'; readonly words: string }
  | { readonly kind: 'capture'; readonly name: string; readonly words: string; readonly path: string };

/** Standard inputs by name, so that transcripts contain no BVN. Users' names depend on the BVN, so each is fixed. */
const INPUTS: Readonly<Record<string, string>> = {
  BVN: '22345678901\n',
  BVN_2: '22345678902\n',
  BVN_3: '22345678903\n',
  BVN_THAT_FAILS: '00000000000\n',
  BVN_UNREACHABLE: '00000000001\n',
  BVN_OF_10_DIGITS: '2234567890\n',
  BVN_OF_12_DIGITS: '223456789012\n',
  BVN_WITH_LETTERS: '2234567890a\n',
  BVN_WITH_BLANKS: '2234 5678 90\n',
  PRIVATE_KEY: '77076d0a7318a57d3c16c17251b26645c6db4ff2a5ef7c1e0aa5a4e6c37ab0fe\n',
  PRIVATE_KEY_OF_63_DIGITS: '77076d0a7318a57d3c16c17251b26645c6db4ff2a5ef7c1e0aa5a4e6c37ab0f\n',
  PRIVATE_KEY_WITH_LETTERS: '77076d0a7318a57d3c16c17251b26645c6db4ff2a5ef7c1e0aa5a4e6c37ab0fg\n',
  VAULT_KEY: 'vault-api-key-4711\n',
  LIVE_KEY: 'live-key-4711\n',
  SANDBOX_KEY: 'sandbox_key-4711\n',
  KEY_OF_TWO_LINES: 'live-key-4711\nlive-key-4711\n',
  NOTHING: '',
  USER_ID_JSON: '{"userId": "nobody"}\n',
  BROKEN_JSON: '{"userId": \n',
};

/** Text that must not appear in a transcript. */
export const SECRETS: readonly RegExp[] = [
  /key-4711/,
  /77076d0a/,
  /sandbox_[0-9a-f]{6}/,
  /2234567890/,
  /\b0{10}[01]\b/,
];

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isOutput = false;
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const capture = /^@(\w+) = (.*) \| ([\w.]+)$/.exec(line);
    if (isOutput) {
      isOutput = !/^\[exit (\d+|\?)\]$/.test(line);
    } else if (line.startsWith('$ ')) {
      blocks.push({ kind: 'command', words: line.slice(2) });
      isOutput = true;
    } else if (capture) {
      const [, name = '', words = '', path = ''] = capture;
      blocks.push({ kind: 'capture', name, words, path });
    } else {
      blocks.push({ kind: 'text', line });
    }
  }
  if (isOutput) throw new Error('the last command has no [exit N]');
  return blocks;
}

/** Splits a command into words, as a shell without expansion does. */
export function wordsOf(text: string): string[] {
  return [...text.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}

/** Runs a fiatrail command. */
export type Run = typeof fiatrail;

/** From a fixed time: the service counts the trades of a day, which may end while a session is replayed. */
const clock = here.clockThatSkips(Date.UTC(2026, 0, 5, 9));

/** Runs commands in this process, also those that bin/fiatrail.js answers by itself: test/package/help.test.ts compares both. */
export const runHere: Run = (home, argv, options = {}) => here.fiatrail(home, argv, { ...options, clock });

/** A run of a transcript: its home and the captured values. */
interface Stage {
  readonly run: Run;
  readonly home: Home;
  readonly variables: Map<string, string>;
}

async function runCommand({ run, home, variables }: Stage, words: string): Promise<Ran> {
  const filled = words.replace(/\$(\w+)/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`$${name} was not captured before: ${words}`);
    return value;
  });
  const [commandWords = '', input = 'NOTHING'] = filled.split(' < ');
  const stdin = INPUTS[input];
  if (stdin === undefined) throw new Error(`no input is called ${input}`);
  const all = wordsOf(commandWords);
  const firstWord = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const env = Object.fromEntries(all.slice(0, firstWord).map((word) => word.split('=') as [string, string]));
  const [program = '', ...argv] = all.slice(firstWord);
  if (program === 'fiatrail') return run(home, argv, { stdin, env });
  return fileCommand(home, program, argv);
}

function fileCommand(home: Home, program: string, [name = '', ...words]: readonly string[]): Ran {
  const path = join(home.path, name);
  if (program === 'cat') return { stdout: readFileSync(path, 'utf8'), stderr: '', code: 0 };
  if (program !== 'write') throw new Error(`a transcript has no command ${program}`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${words.join(' ').replaceAll('\\n', '\n')}\n`);
  return { stdout: '', stderr: '', code: 0 };
}

function fieldOf(json: string, path: string): string {
  const value = path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], JSON.parse(json));
  if (typeof value !== 'string') throw new Error(`no text at ${path} in ${json}`);
  return value;
}

async function capture(stage: Stage, { name, words, path }: Extract<Block, { kind: 'capture' }>): Promise<void> {
  const { stdout, stderr, code } = await runCommand(stage, words);
  if (code !== 0) throw new Error(`@${name}: ${words} ended with ${code}\n${stderr}`);
  stage.variables.set(name, fieldOf(stdout, path));
}

/** Makes carriage returns and a missing final newline visible. */
function shown({ stdout, stderr, code }: Ran): string {
  const visible = (text: string) => text.replaceAll('\r', '␍').replaceAll('\u001b', '␛');
  const ended = stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}␄\n`;
  const errors = stderr === '' ? '' : stderr.replace(/\n$/, '').replace(/^/gm, '2> ').concat('\n');
  return `${visible(ended)}${visible(errors)}[exit ${code}]`;
}

/** The number of programs that a transcript runs. */
export function commandsIn(text: string): number {
  return blocksOf(text).filter(({ kind }) => kind !== 'text').length;
}

/** Runs the commands of a transcript in order, and returns the expected transcript. */
export async function replay(text: string, home: Home, run: Run): Promise<string> {
  const stage: Stage = { run, home, variables: new Map() };
  const normalised = createNormaliser(home);
  const lines: string[] = [];
  for (const block of blocksOf(text)) {
    if (block.kind === 'text') lines.push(block.line);
    else if (block.kind === 'capture') {
      await capture(stage, block);
      lines.push(`@${block.name} = ${block.words} | ${block.path}`);
    } else {
      lines.push(`$ ${block.words}`, normalised(shown(await runCommand(stage, block.words))));
    }
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Patterns of text that differs between runs, in order of precedence, with their placeholders. What must come before a digest is looked for
 * behind it: there, it is tried only where there is a digest.
 */
const PLACEHOLDERS: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/\b[0-9a-f]{12}\.\d{1,15}\.\d{0,15}\.(?:n|[ib][\w-]+)(?:\.\w*-\w*)?/g, 'cursor'],
  [/\bFTW_[0-9a-f-]{36}_\d+\b/g, 'withdrawal'],
  [/\bmigrate_[0-9a-f-]{36}_\d+\b/g, 'migration'],
  [
    /[0-9a-f]{64}\b(?<=(?:(?:Public key|Platform key|Responses sealed to|Data|old key|new key)\s+|"(?:publicKey|platformKey|answersSealedTo|data)": ?").{64})/g,
    'key',
  ],
  [/SHA256:[\w+/]{43}/g, 'platform-fingerprint'],
  [/[\w-]{43}\b(?<=Checkpoint of the journal +.{43})/g, 'checkpoint'],
  [/\[fr-[0-9a-f]{8}\]/g, 'tag'],
  [/[0-9a-f]{12}\b(?<=(?:[Ff]ingerprint +|"(?:oldF|f)ingerprint": "|\bkey +).{12})/g, 'fingerprint'],
  [/\bbridge_quote_\d+_[0-9a-f]{8}\b/g, 'bridge-quote'],
  [/\bBRG-[0-9A-F]{20}\b/g, 'reference'],
  [/(?<![0-9A-Za-z])[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'uuid'],
  [/\b\d{30}\b/g, 'reference'],
  [/\b0x[0-9a-f]{64}\b/g, 'hash'],
  [/\b0x[0-9a-f]{40}\b/g, 'address'],
  [/(?<=(?:\bHash|\bplan) {2,}|\bplan-)[0-9a-f]{64}\b/g, 'plan'],
  [/\b[0-9a-f]{64}\b/g, 'user'],
  [/\bG[A-Z2-7]{55}\b/g, 'bantu'],
  [/\b[1-9A-HJ-NP-Za-km-z]{42,44}\b/g, 'solana'],
  [/\b7\d{9}\b/g, 'account'],
];

/** Who runs the tests, and where. */
/** Digests of rows, which may have ids. */
const ROW_DIGESTS = /(\bDigest {2,}|"digest": ")[\w-]{43}(?![\w-])/g;
const MACHINE = `${userInfo().username} on ${hostname()}`;
const TIMES = /\b\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d\.\d{3}Z| \d\d:\d\d(?::\d\d)?(?:Z| UTC| [+-]\d\d(?::\d\d)?))/g;
/** The month that a report is about, where no month was typed. */
const MONTHS =
  /((?:report (?:accept \w+|close|reopen|books)|see: fiatrail report|\bmonth"?:?|error: |closed month is|\b(?:re)?open|\bclose) +"?|error: )20\d\d-\d\d\b(?!-)/gi;

const MILLISECONDS = /("(?:serviceAtMs|sinceMs)": |(?:Service at|Since) ms {2,})\d{13}/g;
/** A size that depends on the ids in an archive. */
const BYTES = /(\nBytes {2,})\d+(?=\nComplete)/g;
const BLOCKS = /("blockNumber": |Block number {2,})"?\d+"?/g;

/** Replaces varying values by placeholders; within a transcript, equal values get equal placeholders. */
function createNormaliser(home: Home): (output: string) => string {
  const seen = new Map<string, string>();
  const used = new Map<string, number>();
  const nameOf = (value: string, word: string) => {
    const known = seen.get(value);
    if (known) return known;
    const count = (used.get(word) ?? 0) + 1;
    used.set(word, count);
    seen.set(value, `<${word}-${count}>`);
    return `<${word}-${count}>`;
  };
  return (output) =>
    PLACEHOLDERS.reduce(
      (text, [pattern, word]) => text.replace(pattern, (value) => nameOf(value, word)),
      output
        .replaceAll(home.path, '<home>')
        .replaceAll(MACHINE, '<user> on <host>')
        .replaceAll(`"host":"${hostname()}"`, '"host":"<host>"')
        .replaceAll(` · host ${hostname()}`, ' · host <host>')
        .replace(TIMES, '<time>')
        .replace(MONTHS, '$1<month>')
        .replace(MILLISECONDS, '$1<milliseconds>')
        .replace(BYTES, '$1<bytes>')
        .replace(BLOCKS, '$1<block>')
        .replace(ROW_DIGESTS, '$1<digest>'),
    );
}
