import { beforeAll, describe, expect, test } from 'vitest';
import { SKILL_TEXTS } from '../../src/agent/skill/texts.ts';
import { skillFiles } from '../../src/agent/skill/written.ts';
import { CATEGORIES } from '../../src/base/errors.ts';
import { parseLine } from '../examples/shell.ts';
import { type Home, newHome, sharedEnd } from '../support/built.ts';
import { fiatrail } from '../support/in-process.ts';

const FILES = Object.entries(SKILL_TEXTS);

test('SKILL.md has at most 800 tokens, counted as a quarter of its bytes', () => {
  const [skill] = skillFiles();
  expect(skill?.name).toBe('SKILL.md');
  expect(Buffer.byteLength(skill?.text ?? '') / 4).toBeLessThanOrEqual(800);
});

test('SKILL.md has the fields of the standard, and names every other file', () => {
  const text = SKILL_TEXTS['SKILL.md'];
  const [, name = '', about = ''] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(text) ?? [];
  expect(name).toBe('fiatrail');
  expect(about.length).toBeLessThanOrEqual(1_024);
  for (const [file] of FILES.slice(1)) expect(text).toContain(file);
});

test('SKILL.md says what every exit code but those of a bug and an interruption means', () => {
  const [, said = ''] = /^- Exit codes: (.*)$/m.exec(SKILL_TEXTS['SKILL.md']) ?? [];
  const codes = new Set(Object.values(CATEGORIES).map(({ exit }) => exit));
  const missing = [...codes].filter((code) => ![1, 130].includes(code) && !new RegExp(`\\b${code}\\b`).test(said));
  expect(missing).toEqual([]);
});

/** What a person types, or what goes on until it is stopped; the rest an agent types. */
const OF_PEOPLE: Readonly<Record<string, number | 'runs on'>> = {
  'fiatrail bank-accounts add --bank-code 000013 --account-number 0123456789': 9,
  'fiatrail ops resolve': 9,
  'fiatrail plans approve PLAN_ID': 9,
  'fiatrail mcp --listen': 'runs on',
};

/** How else a line of the skill ends in this sandbox, where no one approves and one outcome is unknown. */
const ENDS: Readonly<Record<string, number>> = {
  'fiatrail plans apply PLAN_ID --yes': 9,
};

const linesIn = (text: string) => [...text.matchAll(/`(fiatrail [^`\n]+)`/g)].map(([, line = '']) => line);

describe('the commands of the skill', () => {
  const cleanUp = sharedEnd();
  let home: Home;
  const ids: Record<string, string> = {};

  const typed = async (line: string, agent?: string) => {
    const [[, ...argv] = []] = parseLine(line).programs;
    const env = agent === undefined ? { FIATRAIL_OUTPUT: 'json' } : { AI_AGENT: agent };
    return fiatrail(home, argv, { env });
  };

  beforeAll(async () => {
    home = newHome(cleanUp);
    const json = async (line: string) => JSON.parse((await typed(line)).stdout);
    await typed('fiatrail sandbox seed --users 3 --history 3');
    ids['USER_ID'] = (await json('fiatrail users list')).users[0].userId;
    ids['BANK_ACCOUNT_ID'] = (await json('fiatrail bank-accounts list')).accounts[0].accountId;
    await typed('fiatrail sandbox fault add --on "payout create" --fault lost-response --times 1');
    const lost = await typed('fiatrail payout create --amount 17 --to default --yes');
    ids['OPERATION_ID'] = JSON.parse(lost.stderr.trim().split('\n').at(-1) ?? '').error.operationId;
    const planned = await typed('fiatrail payout create --amount 5 --to default --plan', 'tested');
    ids['PLAN_ID'] = JSON.parse(planned.stdout).plan;
    await typed('fiatrail sync');
  });

  test.each(FILES)('in %s do what it says', async (_, text) => {
    for (const line of linesIn(text)) {
      const expected = OF_PEOPLE[line] ?? ENDS[line] ?? 0;
      if (expected === 'runs on') continue;
      const filled = Object.entries(ids).reduce(
        (all, [name, id]) => all.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), id),
        line,
      );
      const { code, stderr } = await typed(filled, 'tested');
      expect({ line, code, stderr: code === expected ? '' : stderr }).toEqual({ line, code: expected, stderr: '' });
    }
  });

  test('are many', () => {
    expect(FILES.flatMap(([, text]) => linesIn(text)).length).toBeGreaterThan(40);
  });
});
