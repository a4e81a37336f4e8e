import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATEGORIES } from '../src/base/errors.ts';
import soak from '../vitest.soak.config.ts';
import { ROOT } from './support/built.ts';
import { ROOT_ENTRIES, strayInRoot } from './support/root.ts';
import {
  callsAtImport,
  exportsOf,
  functionsOf,
  type Import,
  importedNames,
  readSources,
  roomOf,
  type Source,
  statementsOf,
} from './support/source.ts';

/**
 * The rules of the house that can be executed: who may import whom, one door per package, no state, no time and no
 * chance but the World's, sizes, dead files. A rule that the code breaks on purpose has its exception here, with the reason.
 */
const sources = readSources();
const byPath = new Map(sources.map((source) => [source.path, source]));

/** Fails for violations without an exception, and for exceptions that are no longer needed. */
function expectOnly(found: readonly string[], exceptions: Readonly<Record<string, string>>): void {
  expect([...new Set(found)].sort()).toEqual(Object.keys(exceptions).sort());
}

describe('the source reader', () => {
  test.each([
    ['const a = f(1);', ['f']],
    ['export const a = { b: [g.h(2)] };', ['g.h']],
    ['const a = new Thing();', ['new Thing']],
    ['const a = [1].map(String).join();', ['.map', '.join']],
    ['const a = { ...f(1) };', ['f']],
    ['f();', ['f']],
    ['const a = (b: string) => f(b);', []],
    ['const a = { b: () => f(1), c: g(2) };', ['g']],
    ['const a = { b: () => {\n  f(1);\n} };', []],
    ['export async function a() {\n  f();\n}', []],
    ['class A {\n  b = f();\n  c() {\n    g();\n  }\n}', []],
    ['class A {\n  static b = f();\n}', ['f']],
  ])('%s calls %j', (statement, calls) => {
    expect(callsAtImport(statement)).toEqual(calls);
  });
});

// Rule 1: direction.

/** The cells of the rows of a table of a page, without its head. */
function tableOf(page: string, head: string): string[][] {
  const [, , ...rows] = page.slice(page.indexOf(head)).split('\n');
  const end = rows.findIndex((row) => !row.startsWith('|'));
  return rows.slice(0, end).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const ARCHITECTURE = readFileSync(join(ROOT, 'docs/contributing/architecture.md'), 'utf8');

/** `a/` and `b.ts` of "`a/`, `b.ts`", as rooms; anything else in the cell is kept, so that it is found. */
const roomsIn = (cell: string): string[] =>
  cell === ''
    ? []
    : cell
        .split(', ')
        .map((each) => /^`([a-z]+(?:\/[a-z]+)?)\/?`$/.exec(each)?.[1] ?? /^`([a-z]+\.ts)`$/.exec(each)?.[1] ?? each);

/** Each room with the rooms that it imports besides `base` and itself, as docs/contributing/architecture.md says. */
const ROOMS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  tableOf(ARCHITECTURE, '| room | what belongs there | imports |').map(([name = '', , imports = '']) => [
    roomsIn(name)[0] ?? name,
    roomsIn(imports),
  ]),
);

/** The imports that the table does not have, with the reason of each. */
const DIRECTION_EXCEPTIONS: Readonly<Record<string, string>> = Object.fromEntries(
  tableOf(ARCHITECTURE, '| exception | why |').map(([what = '', why = '']) => [
    what.replaceAll('`', '').replace('→', '->'),
    why,
  ]),
);

/** Room to room, where the direction table does not have it. */
function wrongWays({ path, imports }: Source): string[] {
  const room = roomOf(path);
  const allowed = new Set([room, 'base', ...(ROOMS[room] ?? [])]);
  return imports
    .filter(({ isOwn, target }) => isOwn && !allowed.has(roomOf(target)))
    .map(({ target }) => `${path} -> ${target}`);
}

/** Import cycles among edges, each written from its first file on. */
function cyclesOf(isEdge: (edge: Import) => boolean): string[] {
  const found = new Set<string>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    const at = trail.indexOf(path);
    if (at !== -1) found.add(inOrder(trail.slice(at)));
    if (at !== -1 || done.has(path)) return;
    for (const edge of byPath.get(path)?.imports ?? [])
      if (edge.isOwn && isEdge(edge)) visit(edge.target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return [...found];
}

function inOrder(cycle: readonly string[]): string {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '');
  return [...cycle.slice(first), ...cycle.slice(0, first)].join(' -> ');
}

/** The noun a command file belongs to: its folder, or the file itself. */
const nounOf = (path: string) => path.split('/')[1] ?? '';

describe('rule 1: direction', () => {
  test('every file is in a listed room, and every listed room exists', () => {
    expect([...new Set(sources.map(({ path }) => roomOf(path)))].sort()).toEqual(Object.keys(ROOMS).sort());
  });

  test('a room imports all that its row says', () => {
    const imported = (room: string) =>
      new Set(
        sources
          .filter(({ path }) => roomOf(path) === room)
          .flatMap(({ path, imports }) =>
            imports
              .filter(({ isOwn, target }) => isOwn && !(`${path} -> ${target}` in DIRECTION_EXCEPTIONS))
              .map(({ target }) => roomOf(target)),
          ),
      );
    const said = Object.entries(ROOMS).map(([room, rooms]) => [room, [...rooms].sort()]);
    const done = Object.keys(ROOMS).map((room) => [
      room,
      [...imported(room)].filter((each) => each !== room && each !== 'base').sort(),
    ]);
    expect(said).toEqual(done);
  });

  test('a room stands below those that import it', () => {
    const order = Object.keys(ROOMS);
    const upward = Object.entries(ROOMS).flatMap(([room, rooms]) =>
      rooms.filter((each) => order.indexOf(each) > order.indexOf(room)).map((each) => `${room} -> ${each}`),
    );
    expect(upward).toEqual([]);
  });

  test('nothing imports upward', () => {
    expectOnly(sources.flatMap(wrongWays), DIRECTION_EXCEPTIONS);
  });

  test('no noun of commands/ imports another', () => {
    const commands = sources.filter(({ path }) => path.startsWith('commands/') && path !== 'commands/catalogue.ts');
    const across = commands.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target.startsWith('commands/') && nounOf(target) !== nounOf(path))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(commands.length).toBeGreaterThan(50);
    expect(across).toEqual([]);
  });

  test('client and service do not import each other', () => {
    const between = (from: string, to: string) =>
      sources
        .filter(({ path }) => roomOf(path) === from)
        .flatMap(({ imports }) => imports.filter(({ target }) => roomOf(target) === to));
    expect([between('client', 'service'), between('service', 'client'), between('client', 'sandbox')]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test('there are no import cycles, not even of types', () => {
    expect(cyclesOf(() => true)).toEqual([]);
  });

  test('a folder has at most one index, which nothing inside it imports', () => {
    const inside = sources.flatMap(({ path, imports }) =>
      imports
        .filter(
          ({ target }) =>
            posix.basename(target) === 'index.ts' &&
            roomOf(path) === roomOf(target) &&
            posix.dirname(path) === posix.dirname(target),
        )
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(inside).toEqual([]);
  });

  test('every import names an existing file', () => {
    const missing = sources.flatMap(({ path, imports }) =>
      imports.filter(({ isOwn, target }) => isOwn && !byPath.has(target)).map(({ target }) => `${path} -> ${target}`),
    );
    expect(missing).toEqual([]);
  });
});

// Rule 2: one door per package.

/** Where a package may be imported: a folder, or files. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  commander: ['terminal/parse/program.ts'],
  ky: ['client/'],
  '@inquirer/prompts': ['system/prompts.ts'],
  'csv-parse': ['bulk/csv.ts'],
  yaml: ['present/yaml.ts'],
  chalk: ['present/style.ts'],
  'cli-table3': ['present/draw.ts'],
  'fast-string-width': ['present/width.ts'],
  '@jmespath-community/jmespath': ['present/present.ts'],
  conf: ['files/'],
  'libsodium-wrappers': ['crypto/'],
  '@noble/hashes/hmac.js': ['crypto/'],
  '@noble/hashes/sha2.js': ['crypto/'],
  '@noble/hashes/sha3.js': ['crypto/'],
  'zod/mini': [
    'contract/',
    'account/stored-profile.ts',
    'account/rules.ts',
    'derive/',
    'present/',
    'commands/',
    'copy/closes.ts',
    'journal/intent.ts',
    'journal/merge.ts',
    'journal/import.ts',
    'engine/plans/file.ts',
    'engine/plans/acts.ts',
    'engine/plans/checkpoint.ts',
    'engine/plans/approver-list.ts',
  ],
  '@modelcontextprotocol/server': ['agent/'],
  '@modelcontextprotocol/server/stdio': ['agent/'],
  'prom-client': ['webhooks/listen/metrics.ts'],
  pg: ['journal/postgres/connection.ts'],
  'pg/lib/client.js': ['journal/postgres/connection.ts'],
  fflate: ['files/zip.ts'],
  'node:sqlite': ['sqlite/'],
  'node:http': ['agent/listen.ts', 'client/network.ts', 'inspector/', 'sandbox/', 'webhooks/listen/'],
  'node:buffer': ['bulk/csv.ts', 'sandbox/', 'webhooks/inbox/'],
  'node:stream': ['sandbox/serve.ts', 'webhooks/kit.ts'],
  'node:stream/web': ['webhooks/kit.ts'],
  'node:zlib': ['contract/state-content.ts'],
  'node:https': ['client/network.ts', 'webhooks/listen/'],
  'node:dns': ['client/network.ts'],
  'node:dns/promises': ['client/network.ts'],
  'node:tls': ['client/network.ts'],
  'node:net': [
    'agent/listen.ts',
    'client/network.ts',
    'inspector/server.ts',
    'journal/postgres/server-address.ts',
    'sandbox/',
    'system/world.ts',
    'webhooks/listen/',
  ],
  'node:tty': ['system/'],
  'node:fs': ['system/', 'files/', 'sqlite/'],
  'node:path': ['system/', 'files/', 'sqlite/', 'account/', 'engine/rotation/'],
  'node:os': ['system/'],
  'node:v8': ['system/'],
  'node:crypto': ['system/', 'crypto/'],
  'node:worker_threads': ['system/processes.ts'],
  'node:child_process': ['system/processes.ts', 'bundle/late-child-process.ts'],
  'string-argv': ['account/', 'engine/rotation/'],
  '@napi-rs/keyring': ['account/'],
  'package.json': ['commands/version.ts'],
  'docs/openapi.json': ['commands/openapi.ts'],
};

/** Packages whose types may go where their code may not. */
const TYPES_GO_ANYWHERE = ['zod/mini'];

describe('rule 2: one door per package', () => {
  const packages = sources.flatMap(({ path, imports }) =>
    imports.filter(({ isOwn }) => !isOwn).map((each) => ({ path, ...each })),
  );

  test('each package has a door', () => {
    expect(
      packages.filter(({ target }) => !(target in DOORS)).map(({ path, target }) => `${path} -> ${target}`),
    ).toEqual([]);
  });

  test('no other file imports the package', () => {
    const elsewhere = packages.filter(
      ({ path, target, isTypeOnly }) =>
        !(DOORS[target] ?? []).some((door) => path === door || (door.endsWith('/') && path.startsWith(door))) &&
        !(isTypeOnly && TYPES_GO_ANYWHERE.includes(target)),
    );
    expect(elsewhere.map(({ path, target }) => `${path} -> ${target}`)).toEqual([]);
  });

  test('heavy packages are loaded only when used', () => {
    const heavy = [
      '@inquirer/prompts',
      'chalk',
      'cli-table3',
      'csv-parse',
      'yaml',
      '@jmespath-community/jmespath',
      'node:sqlite',
      'libsodium-wrappers',
      'conf',
      'pg/lib/client.js',
    ];
    const early = packages.filter(({ target, isLate, isTypeOnly }) => heavy.includes(target) && !isLate && !isTypeOnly);
    expect(early.map(({ path, target }) => `${path} -> ${target}`)).toEqual([]);
  });
});

// Rule 3: no state, nothing at import, no ambient time or chance.

const AMBIENT =
  /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bglobalThis\.process\b|\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\brandomUUID\b|\bgetRandomValues\b|\bperformance\.|\bAbortSignal\.timeout\b|\bconsole\.|\bglobalThis\.fetch\b|(?:await|return|=) fetch\(/g;

const AMBIENT_EXCEPTIONS: Readonly<Record<string, string>> = {
  'files/private-folder.ts process.':
    'the user id, which never changes; files are checked where the World does not reach',
  'files/private-file.ts process.':
    'the user id, which never changes; files are checked where the World does not reach',
  'files/inspect.ts process.':
    'whether the system has user ids, which never changes; files are checked where the World does not reach',
  'files/names.ts process.': 'the system, which never changes; files are written where the World does not reach',
  'files/plain-file.ts process.': 'the user id, which never changes; files are checked where the World does not reach',
  'crypto/digest.ts process.': 'loads node:crypto on first use; neither time nor chance',
  'bundle/late-child-process.ts process.': 'replaces node:child_process in the bundle, which loads it late',
  'bundle/light-fetch.ts globalThis.process': 'the clock that ky reads in the bundle, where the World does not reach',
  'sandbox/embedded.ts queueMicrotask': 'groups the requests of one tick into one commit; no time passes',
  'webhooks/run/served.ts setImmediate': 'groups the deliveries of one tick into one flush; no time passes',
  'engine/connection/inbox.ts queueMicrotask': 'groups the deliveries of one tick into one flush; no time passes',
  'commands/webhooks/index.ts AbortSignal.timeout': 'the time limit of one request',
  'engine/plans/notify.ts AbortSignal.timeout': 'the time limit of one notice',
  'sandbox/deliver.ts AbortSignal.timeout': 'the time limit of one delivery',
  'sandbox/embedded.ts AbortSignal.timeout': 'how long a command goes on delivering when it is done',
  'webhooks/listen/sending.ts AbortSignal.timeout': 'the time limit of one attempt',
  'webhooks/listen/server.ts setTimeout': 'the time limit of a connection that says nothing',
  'webhooks/listen/server.ts AbortSignal.timeout':
    'the time limit of one probe, and how long open requests may take when the listener stops',
  'agent/listen.ts setTimeout': 'the time limit of a client that reads nothing',
  'webhooks/kit.ts AbortSignal.timeout': 'the time limit of one body',
  'webhooks/kit.ts Date.now': 'an entry for other programs, which have no World; a caller may pass the time',
  'journal/sqlite/store.ts setImmediate': 'lets this process go on while another one writes; no time passes',
  'sandbox/running.ts setImmediate': 'groups the requests of one tick into one commit; no time passes',
};

/** Calls at import that make a value and touch nothing else. */
const PURE = new Set([
  'new Set',
  'new Map',
  'new RegExp',
  'Object.fromEntries',
  'Object.entries',
  'Object.values',
  'Object.keys',
  'Array.from',
  'BigInt',
  'Date.UTC',
  'String.raw',
  'Symbol',
  'Symbol.for',
  'once',
]);
const PURE_METHODS = /\.(map|flatMap|filter|find|sort|toSorted|join|repeat|slice|replaceAll|split)$/;

/** Our own functions that declare something, by the files that may use them so. */
const DECLARES: readonly (readonly [files: RegExp, calls: readonly string[]])[] = [
  [/^commands\/catalogue\.ts$/, ['group', 'section']],
  [/^commands\/(fx\/orders|transfers|withdrawals)\.ts$/, ['switches', 'listedStatus']],
  [/^contract\//, ['endpoint', 'invalid', 'refusal', 'z.registry', 'z.regex']],
  [
    /^things\//,
    [
      'thing',
      'listedBy',
      'text',
      'time',
      'amount',
      'flag',
      'key',
      'sum',
      'remembered',
      'personalKey',
      'uniqueKey',
      'converted',
      'ended',
      'fee',
      'ownerKey',
      'working',
      'idsOf',
      'personName',
      'waits',
      'bad',
      'failing',
      'undone',
      'factOf',
      'elsewhere',
      'likenessOf',
      'compareSent',
    ],
  ],
  [
    /^copy\/(?:fees|offramp-parts)\.ts$/,
    [
      'feesFrom',
      'inRow',
      'ofDeposit',
      'ofPayout',
      'stored',
      'tableOf',
      'hasFailed',
      'isDone',
      'isThing',
      'isOneOf',
      'endsOf',
      'undoneStatesOf',
      'coversAmount',
      'feeOn',
      'hasFeeOn',
      'noSchedule',
      'partOf',
      'scheduledFee',
      'schedules',
      'witness',
      'inNaira',
      'older',
      'between',
    ],
  ],
  [/^engine\/evidence\//, ['workOf', 'followedWorkOf', 'looking']],
  [
    /^journal\/(sqlite|postgres)\//,
    ['both', 'of', 'lastOf', 'factOf', 'accountOf', 'indexes', 'functions', 'triggers', 'columnsOf'],
  ],
  [
    /^(?:journal\/tables|webhooks\/inbox\/tables|copy\/schema)\.ts$/,
    ['table', 'text', 'prose', 'integer', 'bytes', 'optional', 'filled', 'columnNames'],
  ],
  [
    /^(terminal|commands)\//,
    [
      'command',
      'callCommand',
      'printedWork',
      'listCommand',
      'thingListCommand',
      'serviceListCommand',
      'followedWorkOf',
      'listedBy',
      'text',
      'amount',
      'ofUsers',
      'columnsOf',
      'wholeList',
      'startCommand',
      'statusCommand',
      'argument',
      'optionalArgument',
      'picked',
      'changing',
      'userArgument',
      'option',
      'required',
      'repeated',
      'properties',
      'someArguments',
      'switchOn',
      'switchOnOrOff',
      'waitOption',
      'oneOf',
      'oneOfAnyCase',
      'withValues',
      'wholeNumber',
      'digits',
      'amountOf',
      'amountOfTokenIn',
      'amountHelp',
      'choice',
      'userOption',
      'directionOptions',
      'listOptions',
      'pageOptions',
      'searchOption',
    ],
  ],
  [/^copy\/questions\/report\/(?:kinds|movements)\.ts$/, ['workKind', 'among']],
  [
    /^copy\/entry-kinds\.ts$/,
    [
      'move',
      'bothOf',
      'taken',
      'done',
      'returned',
      'either',
      'inCngn',
      'isOwn',
      'ofUser',
      'ownerOf',
      'feesOf',
      'tableOf',
      'isDone',
      'hasFailed',
      'isOneOf',
      'endsOf',
      'undoneStatesOf',
    ],
  ],
  [/^copy\/questions\/sql\/views\.ts$/, ['columnNames']],
  [/^commands\/report\/index\.ts$/, ['right']],
  [/^commands\/profiles\//, ['locationKit', 'locationOptions']],
  [/^service\//, ['tokens', 'naira', 'failedBecause', 'movementTriggers', 'isOpen']],
];

const IMPORT_EXCEPTIONS: Readonly<Record<string, string>> = {};

function callsOf(source: Source): string[] {
  const declares = DECLARES.flatMap(([files, calls]) => (files.test(source.path) ? calls : []));
  const isFine = (name: string) => PURE.has(name) || PURE_METHODS.test(name) || declares.includes(name);
  return statementsOf(source)
    .flatMap(callsAtImport)
    .filter((name) => !isFine(name))
    .map((name) => `${source.path} ${name}`);
}

/** The files that send with a client instead of `Account.call` and `Changes.change`. */
const SENDERS: Readonly<Record<string, string>> = {
  'commands/doctor/service.ts': 'two reads, with a client that tells its requests',
  'commands/keys/index.ts': 'a sandbox key, which another address makes',
  'engine/sending/change.ts': 'sends what was agreed to',
  'engine/connection/connect.ts': 'reads the service’s public key',
  'engine/opening/open-account.ts': 'sends what needs no consent',
  'engine/sending/retry.ts': 'sends again what was agreed to',
};

describe('rule 3: no state, time or randomness', () => {
  test('only the World uses time, randomness and the process', () => {
    const found = sources
      .filter(({ path }) => !/^(system|kits)\//.test(path))
      .flatMap(({ path, code }) => [...code.matchAll(AMBIENT)].map(([what]) => `${path} ${what}`));
    expectOnly(found, AMBIENT_EXCEPTIONS);
  });

  test('only base/zone.ts uses Intl, whose data takes long to load', () => {
    const using = sources.filter(({ code }) => /\bIntl\.|\.toLocale\w+\(|\.localeCompare\(/.test(code));
    expect(using.map(({ path }) => path)).toEqual(['base/zone.ts']);
  });

  test('no module has state', () => {
    const found = sources.flatMap(({ path, code }) =>
      [...code.matchAll(/^(?:export )?(?:let|var) \w+/gm)].map(([what]) => `${path} ${what}`),
    );
    expect(found).toEqual([]);
  });

  test('imports only create values', () => {
    expectOnly(sources.flatMap(callsOf), IMPORT_EXCEPTIONS);
  });

  test('a command sends through its account, whose types know what needs consent', () => {
    const found = sources
      .filter(({ path }) => !/^(client|kits)\//.test(path))
      .flatMap(({ path, code }) => (/\b(client\.call|sendRequest)\(/.test(code) ? [path] : []));
    expectOnly(found, SENDERS);
  });

  test('only the replacement of an allowlist entry asks once for two changes', () => {
    const found = sources.filter(({ path, code }) => !path.startsWith('engine/') && /\bisAgreed: true\b/.test(code));
    expect(found.map(({ path }) => path)).toEqual(['commands/ip/remove.ts']);
  });

  test('only `fiatrail api` sends unvalidated requests', () => {
    const having = (pattern: RegExp) => sources.filter(({ code }) => pattern.test(code)).map(({ path }) => path);
    expect(having(/\buncheckedRequest\(/)).toEqual(['client/request.ts', 'engine/requests.ts']);
    expect(having(/\bunchecked: true\b/)).toEqual(['commands/api.ts']);
    expect(having(/\bas ReadyRequest\b/)).toEqual(['client/request.ts']);
  });

  test('nothing ends the process but a second signal', () => {
    const shims = ['bin/fiatrail.js', 'bin/files.js', 'bin/load.js'].map((path) => ({
      path,
      code: readFileSync(join(ROOT, path), 'utf8'),
    }));
    // A group that we started may be ended: its id is negative. Signal 0 only asks whether a process runs.
    const ends = /\bprocess\.(exit|abort|kill)\((?!-|processId, 0\))/;
    const having = (pattern: RegExp) =>
      [...sources, ...shims].filter(({ code }) => pattern.test(code)).map(({ path }) => path);
    expect(having(ends)).toEqual(['system/world.ts']);
    expect(having(/\bworld\.exit\(/)).toEqual(['entry.ts']);
  });
});

// Rules 8 and 9: sizes and plain words.

const isTable = (path: string) => path.startsWith('contract/');

describe('sizes', () => {
  const functions = sources.flatMap((source) => functionsOf(source).map((body) => ({ ...body, path: source.path })));
  const linesOf = ({ text }: Source) => text.split('\n').length - 1;

  test('no function has more than 60 lines', () => {
    const long = functions.filter(({ path, lines }) => lines > 60 && !isTable(path));
    expect(long.map(({ path, name }) => `${path} ${name}`)).toEqual([]);
  });

  test('few functions have more than 40 lines', () => {
    const long = functions.filter(({ path, lines }) => lines > 40 && !isTable(path));
    expect(functions.length).toBeGreaterThan(300);
    expect(long.length / functions.length).toBeLessThan(0.03);
  });

  test('no folder has more than 40 files', () => {
    const folders = Map.groupBy(sources, ({ path }) => posix.dirname(path));
    expect([...folders].filter(([, files]) => files.length > 40).map(([folder]) => folder)).toEqual([]);
  });

  test('no file has more than 500 lines', () => {
    const long = sources.filter((source) => linesOf(source) > 500 && !isTable(source.path));
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('few files have more than 250 lines', () => {
    const long = sources.filter((source) => linesOf(source) > 250 && !isTable(source.path));
    expect(long.length / sources.length).toBeLessThan(0.2);
  });
});

// Dead files, and words that do not belong.

/** Files that no import reaches, and who uses them. */
const USED_ELSEWHERE: Readonly<Record<string, string>> = {
  'base/json.d.ts': 'declares what TypeScript’s library lacks',
  'bundle/late-child-process.ts': 'scripts/build.ts substitutes it for node:child_process',
  'bundle/light-fetch.ts': 'scripts/build.ts substitutes it for the fetch classes',
  'bundle/mcp-shims.ts': 'scripts/build.ts substitutes it for the platform of @modelcontextprotocol/server',
  'bundle/no-colors.ts': 'scripts/build.ts substitutes it for supports-color and @colors/colors',
  'bundle/string-length.ts': 'scripts/build.ts substitutes it for string-width',
  'bundle/when-exit.ts': 'scripts/build.ts substitutes it for the package of that name',
  'derive/openapi.ts': 'scripts/openapi.ts makes docs/openapi.json with it',
  'derive/openapi-events.ts': 'a part of derive/openapi.ts',
  'derive/share.ts': 'scripts/openapi.ts makes docs/openapi.json with it',
  'inspector/page/rows.ts': 'the page imports it, whose other files are not read here',
  'inspector/page/field.ts': 'the page imports it, whose other files are not read here',
  'journal/postgres/pg-client.d.ts': 'declares the driver’s file that is loaded',
};

/** Exports that no import names, and who uses them. */
const EXPORTED_FOR: Readonly<Record<string, string>> = {
  'contract/endpoint.ts DeclaredError': 'the compiler writes declarations only of types that can be named',
  'inspector/page/rows.ts KnownRows': 'the list of the page',
};

const isImported = importedNames();

/** Exports that no other file imports. A command file is loaded for its `commands`, by name. */
function unusedExports(files: readonly Pick<Source, 'path' | 'code'>[]): string[] {
  const isCommands = (path: string, name: string) => path.startsWith('commands/') && name === 'commands';
  return files.flatMap((file) =>
    exportsOf(file)
      .filter((name) => !isImported(file.path, name) && !isCommands(file.path, name))
      .map((name) => `${file.path} ${name}`),
  );
}

/** Where the program and those who import the package begin. */
const ENTRIES = ['entry.ts', 'webhooks/kit.ts', 'kits/client.ts', 'kits/sandbox.ts'];

function reachable(): Set<string> {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { isOwn, target } of byPath.get(path)?.imports ?? []) if (isOwn) visit(target);
  };
  for (const entry of ENTRIES) visit(entry);
  return seen;
}

/** The texts that a reader or a user gets. */
function published(): { name: string; text: string }[] {
  const folders = ['bin', 'docs', 'scripts'].filter((name) => existsSync(join(ROOT, name)));
  const below = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const tops = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'package.json'].filter((name) =>
    existsSync(join(ROOT, name)),
  );
  const files = [...tops, ...below.filter((name) => /\.(md|js|json|ts|ya?ml)$/.test(name))];
  return [
    ...sources.map(({ path, text }) => ({ name: `src/${path}`, text })),
    ...files.map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') })),
  ];
}

describe('leftovers', () => {
  const texts = published();
  const having = (pattern: RegExp) =>
    texts.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([what]) => `${name}: ${what}`));

  test('every file is used', () => {
    const seen = reachable();
    expectOnly(
      sources.map(({ path }) => path).filter((path) => !seen.has(path)),
      USED_ELSEWHERE,
    );
  });

  test('every export is imported somewhere', () => {
    const found = unusedExports(sources.filter(({ path }) => !path.startsWith('bundle/') && !ENTRIES.includes(path)));
    expectOnly(found, EXPORTED_FOR);
  });

  test('an unused export is found', () => {
    const [file] = sources.filter(({ path }) => path === 'money/rates.ts');
    const code = `${file?.code}\nexport const unused = 1;\nexport type Unused = 1;\nexport { a as alsoUnused };\n`;
    expect(unusedExports([{ path: 'money/rates.ts', code }])).toEqual(
      ['unused', 'Unused', 'alsoUnused'].map((name) => `money/rates.ts ${name}`),
    );
  });

  test('every source file that scripts/build.ts names exists', () => {
    const names = [...readFileSync(join(ROOT, 'scripts', 'build.ts'), 'utf8').matchAll(/'(?:\.\/)?src\/([^']+)'/g)].map(
      ([, name = '']) => name,
    );
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !byPath.has(name))).toEqual([]);
  });

  test('only the World prints', () => {
    expect(having(/\bconsole\.\w+\(/g)).toEqual([]);
  });

  test('there are no to-do comments', () => {
    expect(having(/\b(TODO|FIXME|XXX|HACK)\b/g)).toEqual([]);
  });

  test('no type check is suppressed', () => {
    const found = sources.filter(
      ({ text, code }) => /\bas any\b|: any\b|<any>/.test(code) || /@ts-(ignore|expect-error|nocheck)/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('no machine path is named', () => {
    expect(having(/(?<![\w.])\/(work|root|tmp|home)\/[\w.-]+/g)).toEqual([]);
  });

  test('docs/errors.md matches the table', () => {
    const document = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
    const written = [...document.matchAll(/^\|\s*`?(\d+)`?\s*\|/gm)].map(([, code]) => Number(code));
    expect(new Set(written)).toEqual(new Set([0, ...Object.values(CATEGORIES).map(({ exit }) => exit)]));
  });
});

test('nothing else lies in the folder of the repository, and what should is there', () => {
  expect(strayInRoot()).toEqual([]);
  expect(ROOT_ENTRIES.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

/** Variables of a long form that none has by itself. */
const GIVEN_BY_HAND = {
  FIATRAIL_SOAK_BOOKS: 'of test/tools',
  FIATRAIL_SOAK_LOG: 'where to write',
  FIATRAIL_SOAK_SEED: 'repeats one run',
};

test('the soak has the long form of every campaign', () => {
  const { include = [], env = {} } = soak.test ?? {};
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => ({
      name: `test/${name.replaceAll('\\', '/')}`,
      text: readFileSync(join(ROOT, 'test', name), 'utf8'),
    }));
  const asking = files.filter(({ text }) => /process\.env\[?\W*FIATRAIL_SOAK_/.test(text));
  const variables = asking.flatMap(({ text }) =>
    [...text.matchAll(/env\['(FIATRAIL_SOAK_\w+)'\]/g)].map(([, name = '']) => name),
  );
  expectOnly(
    variables.filter((name) => !(name in env)),
    GIVEN_BY_HAND,
  );
  const tests = asking.filter(({ name }) => /\.(test|soak)\.ts$/.test(name) && !name.startsWith('test/tools/'));
  expect(tests.length).toBeGreaterThan(20);
  expect(
    tests.filter(({ name }) => !include.some((each) => posix.matchesGlob(name, each))).map(({ name }) => name),
  ).toEqual([]);
});
