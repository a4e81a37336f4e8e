import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { commandAs } from '../../../src/commands/bulk/row-command.ts';
import { CATALOGUE } from '../../../src/commands/catalogue.ts';
import { candidatesFor, complete, FILES } from '../../../src/commands/completion/complete.ts';
import { ROW_COMMANDS } from '../../../src/commands/completion/known.ts';
import { outlineOf } from '../../../src/commands/completion/outline.ts';
import { run } from '../../../src/entry.ts';
import { main } from '../../../src/main.ts';
import { type Home, newHome, OWN_FILES, ROOT, requireBuilt, startProgram } from '../../support/built.ts';
import { scripted, success } from '../../support/exchange.ts';
import { fiatrail, fiatrailJson } from '../../support/in-process.ts';
import { ACCOUNT, fakeWorld, type WorldOptions } from '../../support/world.ts';

beforeAll(requireBuilt);

/** The completions for a partial command line. */
async function offered(words: readonly string[], options: WorldOptions = {}): Promise<readonly string[] | string> {
  const found = await candidatesFor(words, CATALOGUE, fakeWorld(options));
  return found === FILES ? FILES : found.map(({ text }) => text);
}

/** The completions that the program prints. */
async function asked(home: Home, words: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const { stdout, stderr, code } = await fiatrail(home, ['completion', 'complete', '--', ...words], { env });
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

describe('completion offers', () => {
  test.each<[words: string[], offers: string[]]>([
    [['onr'], ['onramp']],
    [
      ['onramp', ''],
      ['create', 'account', 'status', 'list'],
    ],
    [['fx', 'or'], ['orders']],
    [
      ['fx', 'orders', ''],
      ['create', 'list', 'update', 'pause', 'resume', 'cancel'],
    ],
    [['fx', 'auto-signing', 'sh'], ['show']],
    [['users', 'list', '--st'], ['--status']],
    [
      ['users', 'list', '--status', ''],
      ['active', 'inactive', 'all'],
    ],
    [['users', 'list', '--status', 'in'], ['inactive']],
    [['users', 'list', '--status=in'], ['--status=inactive']],
    [['users', 'list', '--status', '=', 'in'], ['inactive']],
    [
      ['users', 'list', '--status', '='],
      ['active', 'inactive', 'all'],
    ],
    [['fx', 'quote', '--pair', 'CNGN-USDC', '--side', 'b'], ['buy']],
    [
      ['swaps', 'create', 'somebody', '--sell', 'U'],
      ['USDC', 'USDT'],
    ],
    [['-o', 'y'], ['yaml']],
    [['--output', 'nd'], ['ndjson']],
    [['-o', 'json', 'brid'], ['bridge']],
    [['--profile', 's'], ['sandbox']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'install', 'uninstall'],
    ],
    [
      ['completion', 'install', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['schema', 'fx', 'or'], ['orders']],
    [
      ['help', 'fx', 'orders', ''],
      ['create', 'list', 'update', 'pause', 'resume', 'cancel'],
    ],
    [['help', 'onr'], ['onramp']],
    [['help', 'ref'], ['refund']],
    [
      ['help', 'o'],
      ['onramp', 'offramp', 'ops', 'openapi', 'options', 'once'],
    ],
    [['help', 'refund', ''], []],
    [
      ['profiles', 'rules', 'test', '--', 'fees', 'wi'],
      ['withdraw', 'withdrawals'],
    ],
    [['users', 'list', '--tz', 'Africa/La'], ['Africa/Lagos']],
    [['users', 'list', '--tz=UT'], ['--tz=UTC']],
    // Only the bank account has a word; the sandbox of this machine is empty.
    [['fees', 'withdraw', '--to', ''], ['default']],
    [['offramp', 'create', 'somebody', '--bank-code', 'z'], ['zenith-bank']],
    [['fx', 'vault', 'register', '--vault-id', ''], []],
    [
      ['endpoints', 'fx.trade'],
      ['fx.trade', 'fx.trade-status'],
    ],
    [['bridge', 'quote', '--amount', ''], []],
    [['frobnicate', ''], []],
    [
      ['--output', 'json', '--yes', 'ba'],
      ['banks', 'bank-accounts', 'balances'],
    ],
  ])('after %j: %j', async (words, offers) => {
    expect(await offered(words)).toEqual(offers);
  });

  test('every command group for an empty line', async () => {
    expect(await offered([''])).toEqual(CATALOGUE.map(({ name }) => name));
  });

  test('files for a file argument', async () => {
    expect(await offered(['fx', 'vault', 'register', '--public-key-file', ''])).toBe(FILES);
  });

  test('a flag once unless it is repeatable', async () => {
    const flags = await offered(['fx', 'vault', 'register', '--email', 'a@b.c', '--vault-id', 'v', '--']);
    expect({
      hasEmail: flags.includes('--email'),
      hasVaultId: flags.includes('--vault-id'),
      hasUsdc: flags.includes('--usdc'),
    }).toEqual({ hasEmail: true, hasVaultId: false, hasUsdc: true });
  });

  test('flags, including global ones, once all arguments are given', async () => {
    const flags = await offered(['onramp', 'create', 'somebody', '']);
    expect(flags).toEqual(expect.arrayContaining(['--amount', '--wait', '--output', '--yes']));
  });

  test('the next words after a bare --wait', async () => {
    expect(await offered(['onramp', 'create', 'somebody', '--wait', '--am'])).toEqual(['--amount']);
  });
});

describe('the shell protocol', () => {
  test('prints one candidate per line with a tab before its description', async () => {
    const world = fakeWorld();
    const code = await run(['completion', 'complete', '--', 'onramp', ''], OWN_FILES, world);
    expect({ code, stderr: world.stderr.text() }).toEqual({ code: 0, stderr: '' });
    expect(world.stdout.text()).toMatch(/^create\tStart an onramp.*\n(?:.*\n)*status\tShow the status of an onramp\n/);
  });

  test.each([
    ['a profile that is not there', { env: { FIATRAIL_PROFILE: 'nobody' } }],
    ['half an account', { env: { FIATRAIL_API_KEY: 'x' } }],
    ['an output format that is none', { env: { FIATRAIL_OUTPUT: 'xml' } }],
  ])('is answered without a word about %s', async (_what, options) => {
    const world = fakeWorld(options);
    expect({ code: await complete(['users', 'show', ''], CATALOGUE, world), stderr: world.stderr.text() }).toEqual({
      code: 0,
      stderr: '',
    });
  });

  test('creates no file', async () => {
    const world = fakeWorld();
    await complete(['users', 'show', ''], CATALOGUE, world);
    expect(existsSync(world.stateDir)).toBe(false);
  });

  test('ignores a damaged state file', async () => {
    const world = fakeWorld();
    world.ensurePrivateDir(world.stateDir);
    for (const name of ['sandbox.db', 'journal.db'])
      writeFileSync(join(world.stateDir, name), 'no database at all, '.repeat(300));
    expect({
      code: await complete(['users', 'show', ''], CATALOGUE, world),
      stdout: world.stdout.text(),
      stderr: world.stderr.text(),
    }).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('ids', () => {
  test('from the sandbox and the journal are offered where they fit', async () => {
    const home = newHome(onTestFinished);
    await fiatrailJson(home, ['sandbox', 'seed', '--users', '2', '--pace', 'instant']);
    const { users } = await fiatrailJson<{ users: { userId: string }[] }>(home, ['users', 'list']);
    const ids = users.map(({ userId }) => userId);
    expect((await asked(home, ['users', 'show', ''])).toSorted()).toEqual(ids.toSorted());
    const [user = ''] = ids;
    expect(await asked(home, ['onramp', 'create', user.slice(0, 63)])).toContain(user);
    const started = await fiatrailJson<{ requestId: string }>(home, [
      'onramp',
      'create',
      user,
      '--amount',
      '5000',
      '--yes',
    ]);
    expect(await asked(home, ['onramp', 'status', ''])).toEqual([started.requestId]);
    expect(await asked(home, ['offramp', 'status', ''])).toEqual([]);
    expect(await asked(home, ['ops', 'show', ''])).toHaveLength(1);
    const order = [
      '--pair',
      'CNGN-USDC',
      '--side',
      'sell',
      '--price',
      '1500',
      '--min',
      '1000',
      '--max',
      '5000',
      '--yes',
    ];
    const { orderId } = await fiatrailJson<{ orderId: string }>(home, ['fx', 'orders', 'create', ...order]);
    expect(await asked(home, ['fx', 'orders', 'update', ''])).toEqual([orderId]);
  });

  test('of the sandbox are found by the start of a name, of many users too', async () => {
    const home = newHome(onTestFinished);
    await fiatrailJson(home, ['sandbox', 'seed', '--users', '120']);
    type Users = { users: { userId: string; firstName: string }[] };
    const { users } = await fiatrailJson<Users>(home, ['users', 'list', '--all']);
    const last = users.at(-1);
    const name = last?.firstName ?? '';
    const wanted = users.flatMap(({ firstName, userId }) => (firstName === name ? [userId] : []));
    expect(await asked(home, ['users', 'show', name.toLowerCase()])).toEqual(expect.arrayContaining(wanted));
    expect(await asked(home, ['users', 'show', 'zz'])).toEqual([]);
  });

  test('of plans come from the journal, or else a plan is a file', async () => {
    const home = newHome(onTestFinished);
    await fiatrailJson(home, ['sandbox', 'seed', '--users', '1']);
    expect(await asked(home, ['plans', 'approve', ''])).toEqual([':files']);
    const line = ['fees', 'withdraw', '--amount', '500', '--to', 'default', '--plan', '-o', 'json'];
    const { plan } = await fiatrailJson<{ plan: string }>(home, line);
    for (const verb of ['show', 'approve', 'reject', 'withdraw', 'apply'])
      expect(await asked(home, ['plans', verb, plan.slice(0, 4)])).toEqual([plan]);
    expect(await asked(home, ['plans', 'show', './pl'])).toEqual([':files']);
    const account = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_x' };
    expect(await asked(home, ['plans', 'show', plan.slice(0, 4)], account)).toEqual([':files']);
  });

  test('of commands for rows are one word each, which --as takes', async () => {
    const home = newHome(onTestFinished);
    const commands = (await Promise.all(CATALOGUE.map(({ load }) => load()))).flat().filter(({ rows }) => rows);
    const names = commands.map(({ words }) => words.join('-')).toSorted();
    expect(ROW_COMMANDS).toEqual(names);
    expect(await asked(home, ['bulk', 'create', 'pay.csv', '--as', ''])).toEqual(names);
    expect(await asked(home, ['bulk', 'check', 'pay.csv', '--as', 'pay'])).toEqual(['payout-create']);
    for (const { words } of commands)
      for (const typed of [words.join('-'), words.join(' ')])
        expect((await commandAs(CATALOGUE, typed)).words).toEqual(words);
    await expect(commandAs(CATALOGUE, 'payout-list')).rejects.toMatchObject({ category: 'usage' });
  });

  test('of a network account come from its journal, and nothing is sent', async () => {
    const home = newHome(onTestFinished);
    await fiatrailJson(home, ['sandbox', 'seed', '--users', '1']);
    const account = { FIATRAIL_BASE_URL: 'http://127.0.0.1:9/v1', FIATRAIL_API_KEY: 'sandbox_x' };
    expect(await asked(home, ['users', 'show', ''], account)).toEqual([]);
    expect(await asked(home, ['--profile', 'sandbox', 'users', 'show', ''], account)).toHaveLength(1);
  });
});

test('an id that is no plain word is not offered', async () => {
  const { exchange } = scripted(success({ requestId: 'a\u001b\u202e\u2028\u0085b', status: 'pending' }));
  const world = fakeWorld({ network: exchange, env: ACCOUNT });
  await main(['onramp', 'create', 'u1', '--amount', '5000', '--yes', '-q'], world);
  const shell = { ...world, stdout: fakeWorld().stdout };
  await complete(['onramp', 'status', ''], CATALOGUE, shell);
  expect(shell.stdout.text()).toBe('');
});

test('every command, flag and value is a word that shells take as it is', async () => {
  const all = await Promise.all(CATALOGUE.map((group) => group.load()));
  const texts = all
    .flat()
    .flatMap(({ words, parameters }) => [...words, ...Object.values(parameters).flatMap(({ values = [] }) => values)]);
  expect(texts.filter((text) => !/^[\w@%+=:,./-]+$/.test(text))).toEqual([]);
});

test('the build has the outline of every command', async () => {
  const require = createRequire(import.meta.url);
  for (const group of CATALOGUE)
    expect(require(join(ROOT, 'dist', `outline-${group.name}.cjs`)).outlines).toEqual(await outlineOf(group));
});

describe('the scripts', () => {
  const installed = ['zsh', 'fish'].filter((shell) => spawnSync(shell, ['--version']).status === 0);

  /** A home whose PATH has a `fiatrail`. */
  function homeWithProgram(): Home {
    const home = newHome(onTestFinished);
    symlinkSync(join(ROOT, 'bin', 'fiatrail.js'), join(home.path, 'fiatrail'));
    return { ...home, env: { ...home.env, PATH: `${home.path}:${home.env['PATH']}` } };
  }

  async function inShell(shell: string, home: Home, script: string): Promise<string> {
    const { stdout, stderr, code } = await startProgram(home, shell, ['-c', script]).end;
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    return stdout;
  }

  test.each([
    [['onr'], '<onramp>'],
    [['onramp', ''], '<create><account><status><list>'],
    [['users', 'list', '--status', '=', 'i'], '<inactive>'],
    [['users', 'list', '-o', ''], '<table><json><ndjson><csv><yaml><raw>'],
    [['fx', 'book', 'CNGN-'], '<CNGN-USDC><CNGN-USDT>'],
    [['frobnicate', ''], ''],
  ])('in bash, %j Tab gives %s', async (words, offers) => {
    const typed = ['fiatrail', ...words].map((word) => `'${word}'`).join(' ');
    const script = [
      'source <(fiatrail completion bash)',
      `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _fiatrail`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of the shell
      '(( ${#COMPREPLY[@]} )) && printf "<%s>" "${COMPREPLY[@]}"; exit 0',
    ].join('\n');
    expect(await inShell('bash', homeWithProgram(), script)).toBe(offers);
  });

  test.each([
    // A second Tab: bash shows a list, and inserts nothing of it.
    [63, true],
    [9, false],
  ])('with COMP_TYPE %d, bash has the descriptions: %j', async (type, hasAbout) => {
    const script = [
      'source <(fiatrail completion bash)',
      `COMP_TYPE=${type}; COMP_WORDS=(fiatrail onramp ''); COMP_CWORD=2; _fiatrail`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of the shell
      'printf "<%s>" "${COMPREPLY[@]}"',
    ].join('\n');
    const words = ['create', 'account', 'status', 'list'];
    const shown = await inShell('bash', homeWithProgram(), script);
    const about = hasAbout ? '  \\([A-Z][^>]*\\)' : '';
    expect(shown).toMatch(new RegExp(`^${words.map((word) => `<${word}${about}>`).join('')}$`));
  });

  test.each([
    [9, '<0a1><0a2><fatim>'],
    [63, '<0a1  (FATIMA OBI)><0a2  (FATIMA EZE)>'],
  ])('in bash, with COMP_TYPE %d, a name of several ids gives %s', async (type, offers) => {
    const home = homeWithProgram();
    const script = [
      'source <(fiatrail completion bash)',
      // Bash inserts what all of them begin with: nothing, because of the typed word.
      `fiatrail() { :; }; command() { printf '0a1\\tFATIMA OBI\\n0a2\\tFATIMA EZE\\n'; }`,
      `COMP_TYPE=${type}; COMP_WORDS=(fiatrail users show fatim); COMP_CWORD=3; _fiatrail`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of the shell
      'printf "<%s>" "${COMPREPLY[@]}"',
    ].join('\n');
    expect(await inShell('bash', home, script)).toBe(offers);
  });

  /** What zsh is told to offer for the last word, and how to insert it. */
  const inZsh = (words: readonly string[], list = '') => `
    compdef() { :; }
    typeset -A compstate
    compstate[old_list]=${list}
    _describe() { print -rn -- "<\${described[*]}> \${@[4]} " }
    source <(fiatrail completion zsh)
    words=(${words.join(' ')}); CURRENT=\${#words}; PREFIX=\${words[-1]}
    _fiatrail; print -rn -- "insert=\${compstate[insert]-as usual}"`;

  test('a name leads to the same ids in every shell', async () => {
    const home = homeWithProgram();
    await fiatrail(home, ['sandbox', 'seed', '--users', '40', '--pace', 'instant', '-q']);
    const { users } = await fiatrailJson<{ users: { userId: string; firstName: string; lastName: string }[] }>(home, [
      'users',
      'list',
      '--all',
    ]);
    const named = Object.entries(Object.groupBy(users, ({ firstName }) => firstName));
    const [name = '', several = []] = named.find(([, those = []]) => those.length === 2) ?? [];
    const [one = '', [only] = []] = named.find(([, those = []]) => those.length === 1) ?? [];
    const aboutThe = (those: typeof users) => those.map((each) => `${each.firstName} ${each.lastName}`).sort();
    expect({ several: several.length, hasOne: only !== undefined }).toEqual({ several: 2, hasOne: true });
    const lines = (await asked(home, ['users', 'show', name.toLowerCase()])).toSorted();
    expect(lines).toEqual(several.map(({ userId }) => userId).sort());
    if (installed.includes('fish')) {
      const script = `fiatrail completion fish | source; complete -C "fiatrail users show ${name.toLowerCase()}"`;
      const offers = (await inShell('fish', home, script)).trim().split('\n');
      expect(offers.map((line) => line.split('\t')[0]).sort()).toEqual(lines);
      expect(offers.map((line) => line.split('\t')[1]).sort()).toEqual(aboutThe(several));
    }
    if (installed.includes('zsh')) {
      const listed = await inShell('zsh', home, inZsh(['fiatrail', 'users', 'show', name.toLowerCase()]));
      for (const { userId } of several) expect(listed).toContain(`${userId}:`);
      // Several are listed, and only the next Tab inserts one of them.
      expect(listed).toMatch(/> -U insert=$/);
      expect(await inShell('zsh', home, inZsh(['fiatrail', 'users', 'show', name], 'shown'))).toMatch(/insert=menu$/);
      const single = await inShell('zsh', home, inZsh(['fiatrail', 'users', 'show', one.toLowerCase()]));
      expect(single).toBe(`<${only?.userId}:${only?.firstName} ${only?.lastName}> -U insert=menu`);
    }
  });

  test('every shell completes --bank-code from the start', async () => {
    const home = homeWithProgram();
    const words = ['offramp', 'create', 'u', '--bank-code', ''];
    const codes = await asked(home, words);
    expect(codes.length).toBeGreaterThan(20);
    const typed = ['fiatrail', ...words].map((word) => `'${word}'`).join(' ');
    const bash = [
      'source <(fiatrail completion bash)',
      `COMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _fiatrail`,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of the shell
      'printf "%s " "${COMPREPLY[@]}"',
    ].join('\n');
    expect((await inShell('bash', home, bash)).trim().split(' ')).toEqual(codes);
    if (installed.includes('fish')) {
      const script = 'fiatrail completion fish | source; complete -C "fiatrail offramp create u --bank-code "';
      expect((await inShell('fish', home, script)).trim().split('\n')).toHaveLength(codes.length);
    }
    if (installed.includes('zsh')) {
      const offers = await inShell('zsh', home, inZsh(['fiatrail', 'offramp', 'create', 'u', '--bank-code', "''"]));
      for (const code of codes) expect(offers).toContain(`${code}:`);
      expect(offers).toMatch(/insert=as usual$/);
    }
  });

  test('in bash without the package bash-completion, a new shell has what was installed', async () => {
    const home = homeWithProgram();
    await fiatrail(home, ['completion', 'install', 'bash', '-q'], { env: { HOME: home.path } });
    const script = '. ~/.bashrc; complete -p fiatrail';
    const { stdout } = await startProgram({ ...home, env: { ...home.env, HOME: home.path } }, 'bash', ['-c', script])
      .end;
    expect(stdout).toBe('complete -F _fiatrail fiatrail\n');
  });

  test.each(['bash', ...installed])('%s accepts its script', async (shell) => {
    const home = homeWithProgram();
    const { stdout } = await fiatrail(home, ['completion', shell, '-o', 'json', '-q']);
    writeFileSync(join(home.path, 'script'), stdout);
    expect((await startProgram(home, shell, ['-n', 'script']).end).code).toBe(0);
  });

  test.each(installed.filter((shell) => shell === 'fish'))(
    'in %s, Tab completes commands and values',
    async (shell) => {
      const script =
        'fiatrail completion fish | source; complete -C "fiatrail onr"; complete -C "fiatrail users list --status=in"';
      expect(await inShell(shell, homeWithProgram(), script)).toMatch(/^onramp\t.*\n--status=inactive\n$/);
    },
  );
});
