import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { skillFiles } from '../../src/agent/skill/written.ts';
import { sha256Hex } from '../../src/crypto/digest.ts';
import { main } from '../../src/main.ts';
import { temporaryFolder } from '../support/built.ts';
import { type Answer, fakeWorld } from '../support/world.ts';

/** A project of a person, and their home folder. */
function place(env: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder(onTestFinished);
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const each of [project, home]) mkdirSync(each);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  return {
    project,
    home,
    write,
    has: (path: string) => existsSync(join(project, path)),
    read: (path: string) => readFileSync(join(project, path), 'utf8'),
    run: async (argv: readonly string[], answers: readonly Answer[] = []) => {
      const made = fakeWorld({
        env: { FIATRAIL_STATE_DIR: join(folder, 'state'), FIATRAIL_CONFIG_DIR: join(folder, 'config'), ...env },
        answers,
        isTerminal: answers.length > 0,
      });
      const code = await main(['agent', ...argv, '-o', 'json'], { ...made, cwd: project, homeDir: home });
      const [stdout, stderr] = [made.stdout.text(), made.stderr.text()];
      return { code, stderr, data: stdout === '' ? undefined : JSON.parse(stdout) };
    },
  };
}

const SKILL = '.claude/skills/fiatrail/SKILL.md';
const NAMES = skillFiles().map(({ name }) => name);

test('setup shows what it writes, asks, and writes where the agent looks', async () => {
  const { run, project, read } = place();
  const asks = { kind: 'confirm', asks: 'Write the skill for claude. Continue?' } as const;
  const no = await run(['setup', '--for', 'claude'], [{ ...asks, says: false }]);
  expect([no.code, existsSync(join(project, '.claude'))]).toEqual([9, false]);
  const { code, stderr, data } = await run(['setup', '--for', 'claude'], [{ ...asks, says: true }]);
  expect({ code, data }).toMatchObject({ code: 0, data: { agent: 'claude' } });
  expect(data.files).toEqual(NAMES.map((name) => join(project, '.claude/skills/fiatrail', name)));
  for (const line of read(SKILL).trim().split('\n')) expect(stderr).toContain(`+ ${line}`.trimEnd());
  expect(data.mcp.mcpServers.fiatrail).toEqual({ command: 'fiatrail', args: ['mcp', '--allow', 'read'] });
  expect((await run(['setup', '--for', 'claude'])).data.files).toEqual([]);
  expect((await run(['show'])).data.files.map(({ status }: { status: string }) => status)).toEqual(
    NAMES.map(() => 'current'),
  );
});

test('setup asks nothing without a terminal, and writes nothing in a dry run', async () => {
  const { run, has } = place();
  expect((await run(['setup', '--for', 'claude'])).code).toBe(2);
  expect((await run(['setup', '--for', 'claude', '--dry-run'])).data.files).toHaveLength(NAMES.length);
  expect(has('.claude')).toBe(false);
  expect((await run(['setup', '--for', 'claude', '--yes'])).code).toBe(0);
  expect(has(SKILL)).toBe(true);
});

test.each([
  ['claude', '.claude'],
  ['cursor', '.cursor'],
  ['agents', '.agents'],
])('setup for %s writes below %s, of the project or of the user', async (agent, folder) => {
  const { run, has, home } = place();
  await run(['setup', '--for', agent, '--yes']);
  expect(has(`${folder}/skills/fiatrail/SKILL.md`)).toBe(true);
  await run(['setup', '--for', agent, '--global', '--yes']);
  expect(existsSync(join(home, folder, 'skills/fiatrail/references/paying.md'))).toBe(true);
});

test('the agent at hand is the one that runs it, or that alone has a folder here, or else at home', async () => {
  expect((await place().run(['setup', '--yes'])).stderr).toContain('--for claude, or --for cursor, or --for agents');
  expect((await place({ CLAUDECODE: '1' }).run(['setup', '--yes'])).data.agent).toBe('claude');
  expect((await place({ CURSOR_AGENT: '1' }).run(['setup', '--yes'])).data.agent).toBe('cursor');
  const { run, project, home } = place();
  mkdirSync(join(home, '.claude'));
  expect((await run(['setup', '--yes', '--dry-run'])).data.agent).toBe('claude');
  mkdirSync(join(project, '.agents'));
  expect((await run(['setup', '--yes', '--dry-run'])).data.agent).toBe('agents');
  mkdirSync(join(project, '.cursor'));
  expect((await run(['setup', '--yes', '--dry-run'])).code).toBe(2);
});

test('what someone else wrote or changed is shown line by line before it is replaced', async () => {
  const { run, write, read } = place();
  write(SKILL, 'my own skill\nwith two lines\u001b[2J\n');
  const foreign = await run(['setup', '--for', 'claude', '--yes']);
  expect(foreign.stderr).toContain('SKILL.md (foreign):');
  expect(foreign.stderr).toContain('- my own skill');
  expect(foreign.stderr).not.toContain('\u001b');
  write(SKILL, read(SKILL).replace('5000', '9000'));
  expect((await run(['show'])).data.files[0]).toMatchObject({ status: 'changed' });
  const changed = await run(['setup', '--for', 'claude', '--yes']);
  expect(changed.stderr.split('\n').filter((line) => /^ {2}[+-] /.test(line)).length).toBeLessThan(6);
  expect(changed.stderr).toMatch(/- .*9000[\s\S]*\+ .*5000/);
  expect(read(SKILL)).not.toContain('9000');
});

test('what an earlier version wrote is replaced without its lines', async () => {
  const { run, write } = place();
  const text = 'an earlier skill\n';
  write(SKILL, `${text}<!-- written by fiatrail, sha256 ${sha256Hex(text)} -->\n`);
  expect((await run(['show'])).data.files[0]).toMatchObject({ status: 'older' });
  const { code, stderr } = await run(['setup', '--for', 'claude', '--yes']);
  expect([code, stderr.includes('earlier skill')]).toEqual([0, false]);
  expect((await run(['show'])).data.files[0]).toMatchObject({ status: 'current' });
});

test('remove removes only what fiatrail wrote and no one changed', async () => {
  const { run, write, read, has, project } = place();
  await run(['setup', '--for', 'claude', '--mcp', 'read', '--yes']);
  write('.claude/skills/other/SKILL.md', 'other');
  write(
    '.claude/skills/fiatrail/references/paying.md',
    `${read('.claude/skills/fiatrail/references/paying.md')}mine\n`,
  );
  expect((await run(['remove', '--for', 'claude'])).code).toBe(2);
  expect(has(SKILL)).toBe(true);
  const { code, data } = await run(['remove', '--for', 'claude', '--yes']);
  expect({ code, left: data.left }).toEqual({
    code: 0,
    left: [join(project, '.claude/skills/fiatrail/references/paying.md')],
  });
  expect([has(SKILL), has('.claude/skills/other/SKILL.md')]).toEqual([false, true]);
  expect(has('.claude/skills/fiatrail/references/paying.md')).toBe(true);
  expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: {} });
  expect((await run(['remove', '--for', 'claude', '--yes'])).data.files).toEqual([]);
});

test('--mcp adds the server to the settings, and leaves the others as they are', async () => {
  const { run, write, read } = place();
  write('.mcp.json', '{"mcpServers":{"other":{"command":"x"}},"more":1}');
  const { code, stderr } = await run([
    'setup',
    '--for',
    'claude',
    '--mcp',
    'read,plan',
    '--yes',
    '--profile',
    'sandbox',
  ]);
  expect([code, stderr.includes('"fiatrail"')]).toEqual([0, true]);
  const settings = JSON.parse(read('.mcp.json'));
  expect(settings).toEqual({
    mcpServers: {
      other: { command: 'x' },
      fiatrail: { command: 'fiatrail', args: ['mcp', '--profile', 'sandbox', '--allow', 'read,plan'] },
    },
    more: 1,
  });
  // A server of that name that someone else set up stays.
  settings.mcpServers.fiatrail.env = { FIATRAIL_API_KEY: 'x' };
  write('.mcp.json', JSON.stringify(settings));
  await run(['remove', '--for', 'claude', '--yes']);
  expect(JSON.parse(read('.mcp.json'))).toEqual(settings);
});

test.each(['not json', '[]', '{"mcpServers":[]}'])('--mcp leaves settings of %j as they are', async (text) => {
  const { run, write, read, has } = place();
  write('.mcp.json', text);
  const { code, stderr } = await run(['setup', '--for', 'claude', '--mcp', 'read', '--yes']);
  expect([code, JSON.parse(stderr).error.code, read('.mcp.json'), has('.claude')]).toEqual([
    2,
    'UNUSABLE_FILE',
    text,
    false,
  ]);
});

test('--mcp is not for an agent without settings of a project, and allows no more than a plan', async () => {
  const { run } = place();
  expect((await run(['setup', '--for', 'agents', '--mcp', 'read', '--yes'])).code).toBe(2);
  expect((await run(['setup', '--for', 'claude', '--global', '--mcp', 'read', '--yes'])).code).toBe(2);
  for (const allow of ['apply', 'read,plan,apply', 'everything'])
    expect((await run(['setup', '--for', 'claude', '--mcp', allow, '--yes'])).code).toBe(2);
});

test('a link or a folder in the place of a file is left as it is', async () => {
  const { run, write, project } = place();
  write('elsewhere.md', 'secret');
  mkdirSync(join(project, '.claude/skills/fiatrail'), { recursive: true });
  symlinkSync(join(project, 'elsewhere.md'), join(project, SKILL));
  for (const verb of ['setup', 'remove']) {
    const { code, stderr } = await run([verb, '--for', 'claude', '--yes']);
    expect([code, JSON.parse(stderr).error.code]).toEqual([2, 'IN_THE_WAY']);
  }
  expect(readFileSync(join(project, 'elsewhere.md'), 'utf8')).toBe('secret');
});

test('an agent cannot teach itself', async () => {
  const { run, has } = place({ AI_AGENT: 'claude-code' });
  expect((await run(['setup', '--for', 'claude', '--yes'])).code).toBe(9);
  expect(has('.claude')).toBe(false);
});
