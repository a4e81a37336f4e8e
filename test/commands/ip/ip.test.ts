import { describe, expect, test } from 'vitest';
import type { Exchange, HttpResponse } from '../../../src/base/world.ts';
import { main } from '../../../src/main.ts';
import { droppedLine, json, refusal, success, tooMany } from '../../support/exchange.ts';
import { journalRows } from '../../support/journal.ts';
import { ACCOUNT, type Answer, type FakeClock, fakeClock, fakeWorld, type WorldOptions } from '../../support/world.ts';

const OWN = '203.0.*.*';
type Step = 'check' | 'list' | 'add' | 'remove' | 'read';
type Turn = HttpResponse | Error | (() => HttpResponse);

/** What a service plays: for each step its answers in order, the last one for good. */
type Script = Partial<Record<Step, readonly Turn[]>>;

const check = (isAllowed: boolean, matchedRule: string | null, total: number, yourIp: string | null = OWN) =>
  success({ action: 'check', yourIp, isAllowed, matchedRule, totalConfiguredIps: total });
const list = (...ips: string[]) =>
  success({
    action: 'list',
    ipAddresses: ips.map((text, index) => {
      const [ip, description = null] = text.split(' ');
      return { index, ip, description };
    }),
    totalIps: ips.length,
  });
const ADDED = success({ action: 'add', ipAddress: OWN, totalIps: 2, message: 'done' });
const REMOVED = success({ action: 'remove', removed: OWN, totalIps: 1, message: 'done' });
const FEES = success({ fintechId: 'f-1' });
const BLOCKED = refusal(403, '03', 'not on the list');

function playing(script: Script) {
  const steps: string[] = [];
  const network: Exchange = async ({ url, body }) => {
    const sent = JSON.parse(body || '{}') as { action?: Step };
    const step = url.endsWith('/manageipallowlist') ? (sent.action ?? 'check') : 'read';
    const turns = script[step] ?? [];
    const turn = turns[Math.min(steps.filter((each) => each === step).length, turns.length - 1)];
    steps.push(step);
    if (turn === undefined) throw new Error(`nobody expected the step ${step}`);
    if (turn instanceof Error) throw turn;
    return typeof turn === 'function' ? turn() : turn;
  };
  return { network, steps };
}

async function run(argv: readonly string[], script: Script, options: WorldOptions = {}) {
  const { network, steps } = playing(script);
  const clock = fakeClock();
  const world = fakeWorld({ network, clock, ...options, env: ACCOUNT });
  const code = await main(['ip', ...argv], world);
  const states = journalRows(world.stateDir).map(({ state }) => state);
  return { code, steps, clock, states, stderr: world.stderr.text(), stdout: world.stdout.text() };
}

const waitedMs = ({ sleeps }: FakeClock) => sleeps.reduce((sum, each) => sum + Math.ceil(each), 0);

/** A removal that is let through. */
const gone = { remove: [REMOVED], read: [FEES] };
const yes: Answer = { kind: 'confirm', asks: 'go ahead?', says: true };

describe('a removal that shuts this machine out, or may, is refused: 9, nothing sent', () => {
  const ROWS: readonly (readonly [
    name: string,
    checked: HttpResponse,
    listed: HttpResponse,
    argv: string[],
    why: string,
  ])[] = [
    ['its address', check(true, OWN, 2), list(OWN, '198.51.*.*'), ['203.0.113.7'], 'no other entry lets it in'],
    [
      'its address by index',
      check(true, OWN, 2),
      list('198.51.*.*', OWN),
      ['--index', '1'],
      'no other entry lets it in',
    ],
    [
      'the range that holds it',
      check(true, `${OWN}/24`, 2),
      list(`${OWN}/24`, '198.51.*.*'),
      ['203.0.113.0/24'],
      'no other entry',
    ],
    [
      'the wide range that holds it',
      check(true, '200.0.*.*/5', 1),
      list('200.0.*.*/5'),
      ['200.0.0.0/5'],
      'it is the only entry',
    ],
    [
      'the range, where its length does not show',
      check(true, OWN, 2),
      list(OWN, '198.51.*.*'),
      ['203.0.113.0/24'],
      'no other entry',
    ],
    ['the only entry', check(true, OWN, 1), list(OWN), ['203.0.113.7'], 'documented nowhere'],
    ['one of two that look alike', check(true, OWN, 2), list(OWN, OWN), ['203.0.113.8'], '2 entries look alike'],
    [
      'its address of two that look alike, told in full',
      check(true, OWN, 2),
      list(OWN, OWN),
      ['203.0.113.7', '--my-address', '203.0.113.7'],
      '2 entries look alike',
    ],
    [
      'a range that holds it, told in full',
      check(true, `${OWN}/24`, 2),
      list(`${OWN}/24`, '198.51.*.*'),
      ['203.0.113.0/24', '--my-address', '203.0.113.7'],
      'without 203.0.*.*/24 (index 0) the service would shut this machine (203.0.113.7) out',
    ],
    [
      'one of two that look alike, by index',
      check(true, OWN, 2),
      list(OWN, OWN),
      ['--index', '1'],
      '2 entries look alike',
    ],
    [
      'what lets it in, where a narrow range may too',
      check(true, OWN, 2),
      list(OWN, `${OWN}/24`),
      ['--index', '0'],
      'whether another one does',
    ],
    [
      'an entry, where the rule is masked in another way',
      check(true, '203.0.***', 2),
      list(OWN, '198.51.*.*'),
      ['--index', '1'],
      'which of them',
    ],
    [
      'an entry, where no rule is named',
      check(true, null, 2),
      list('198.51.*.*', OWN),
      ['--index', '0'],
      '2 entries are on the list',
    ],
    [
      'an entry, where this machine is not shown',
      check(true, OWN, 2, null),
      list(OWN, '0.0.*.*/0'),
      ['--index', '0'],
      'whether another one does',
    ],
    [
      'an entry of a list that changed between',
      check(true, OWN, 3),
      list(OWN, '198.51.*.*'),
      ['--index', '1'],
      'changed while it was read',
    ],
    [
      'its IPv6 address',
      check(true, '2001:db8:*', 2, '2001:db8:*'),
      list('2001:db8:*', OWN),
      ['2001:db8::7'],
      'no other entry',
    ],
  ];
  test.each(ROWS)('%s', async (_, checked, listed, argv, why) => {
    const { code, steps, stderr, states } = await run(['remove', ...argv, '--yes'], {
      check: [checked],
      list: [listed],
    });
    expect({ code, steps, states, stderr }).toEqual({
      code: 9,
      steps: ['check', 'list'],
      states: [],
      stderr: expect.stringContaining(why),
    });
    expect(stderr).toMatch(/nothing was sent\n.*--lock-me-out/);
  });
});

describe('a removal that leaves this machine in goes', () => {
  const ROWS: readonly (readonly [name: string, checked: HttpResponse, listed: HttpResponse, argv: string[]])[] = [
    ['another address', check(true, OWN, 2), list(OWN, '198.51.*.*'), ['198.51.100.7']],
    ['another by index', check(true, OWN, 2), list(OWN, '198.51.*.*'), ['--index', '1']],
    [
      'its address beside a range that surely holds it',
      check(true, OWN, 2),
      list(OWN, '203.0.*.*/16'),
      ['203.0.113.7'],
    ],
    [
      'one of two that look alike, where its own is told in full',
      check(true, OWN, 2),
      list(OWN, OWN),
      ['203.0.113.8', '--my-address', '203.0.113.7'],
    ],
    ['its address beside everybody', check(true, OWN, 2), list(OWN, '0.0.*.*/0'), ['203.0.113.7']],
    ['any, where it is shut out already', check(false, null, 1), list('198.51.*.*'), ['198.51.100.7']],
    [
      'an entry that is shown in full',
      check(true, '203.0.113.7', 2, '203.0.113.7'),
      list('203.0.113.7', '203.0.113.8'),
      ['203.0.113.8'],
    ],
  ];
  test.each(ROWS)('%s', async (_, checked, listed, argv) => {
    const { code, steps, states } = await run(['remove', ...argv, '--yes'], {
      check: [checked],
      list: [listed],
      ...gone,
    });
    expect({ code, steps: steps.slice(0, 4), states }).toEqual({
      code: 0,
      steps: ['check', 'list', 'list', 'remove'],
      states: ['accepted'],
    });
  });

  test('but for an address that the service does not see it at: 2, nothing sent', async () => {
    const argv = ['remove', '203.0.113.8', '--my-address', '198.51.100.7', '--yes'];
    const { code, steps, stderr } = await run(argv, { check: [check(true, OWN, 2)], list: [list(OWN, OWN)] });
    expect({ code, hasRemove: steps.includes('remove'), stderr }).toEqual({
      code: 2,
      hasRemove: false,
      stderr: expect.stringContaining('--my-address: the service sees this machine as 203.0.*.*'),
    });
  });

  test('after a check and a read have passed', async () => {
    const { code, steps, clock } = await run(['remove', '--index', '1', '--yes'], {
      check: [check(true, OWN, 2), check(false, null, 1), check(true, OWN, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
      read: [BLOCKED, FEES],
    });
    expect({ code, sleeps: clock.sleeps.length }).toEqual({ code: 0, sleeps: 2 });
    expect(steps.slice(4)).toEqual(['check', 'check', 'read', 'check', 'read']);
  });

  test('or ends in 8 where they never do, with the journal’s id', async () => {
    const { code, stderr, states } = await run(['remove', '--index', '1', '--yes', '-o', 'json'], {
      check: [check(true, OWN, 2), check(false, null, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
    });
    expect({ code, states }).toEqual({ code: 8, states: ['accepted'] });
    expect(stderr).toMatch(/"operationId":"[^"]+"/);
  });

  test('on purpose with --lock-me-out, and it is said what that means', async () => {
    const { code, stderr } = await run(['remove', '203.0.113.7', '--yes', '--lock-me-out'], {
      check: [check(true, OWN, 2), check(false, null, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('let it in with: fiatrail ip add <address>'),
    });
    expect(stderr).toContain('this machine is shut out');
  });
});

describe('a removal', () => {
  const before = { check: [check(true, OWN, 3)] };
  const LIST = list(OWN, '198.51.*.* office', '192.0.*.*');

  test.each([
    ['another entry at the index', list(OWN, '192.0.*.*')],
    ['another label at the index', list(OWN, '198.51.*.* branch', '192.0.*.*')],
    ['an entry more', list(OWN, '198.51.*.* office', '192.0.*.*', '192.1.*.*')],
  ])('stops at %s since it was shown: 9, nothing written down', async (_, changed) => {
    const { code, steps, states, stderr } = await run(['remove', '--index', '1', '--yes'], {
      ...before,
      list: [LIST, changed],
    });
    expect({ code, steps, states }).toEqual({ code: 9, steps: ['check', 'list', 'list'], states: [] });
    expect(stderr).toContain('the list has changed meanwhile; nothing was sent');
  });

  test('shows the entry before it asks, and reads the list again after that', async () => {
    const asked: Answer = { kind: 'confirm', asks: 'removal of 198.51.*.* (index 1, office)', says: false };
    const { code, steps } = await run(
      ['remove', '--index', '1'],
      { ...before, list: [LIST] },
      { isTerminal: true, answers: [asked] },
    );
    expect({ code, steps }).toEqual({ code: 9, steps: ['check', 'list'] });
  });

  test('lets a person choose where no entry is named', async () => {
    const choice: Answer = { kind: 'select', asks: 'Which entry?', says: '198.51.*.* (index 1, office)' };
    const { code, stdout } = await run(
      ['remove'],
      { ...before, list: [LIST], ...gone },
      { isTerminal: true, answers: [choice, yes] },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(OWN) });
  });

  test.each([
    ['what is on the list', success({ action: 'list' }), check(true, OWN, 3)],
    ['whether this machine may call', LIST, success({ action: 'check' })],
  ])('needs to know %s: 5', async (what, listed, checked) => {
    const { code, stderr } = await run(['remove', '--index', '1', '--yes'], { check: [checked], list: [listed] });
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`does not say ${what}`) });
  });

  test('whose answer is lost is in doubt: 6', async () => {
    const { code, states } = await run(['remove', '--index', '1', '--yes'], {
      ...before,
      list: [LIST],
      remove: [droppedLine()],
    });
    expect({ code, states }).toEqual({ code: 6, states: ['unknown'] });
  });

  test('that is done is not called unsent when its proof cannot be read: 8', async () => {
    const { code, stderr } = await run(['remove', '--index', '1', '--yes'], {
      ...before,
      list: [LIST],
      remove: [REMOVED],
      read: [json(200, '{')],
    });
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining('fiatrail ip check') });
  });
});

describe('ip add', () => {
  const script = { check: [check(true, '198.51.*.*', 1)], list: [list('198.51.*.*')], add: [ADDED], read: [FEES] };
  const EMPTY = { check: [check(true, null, 0)], list: [list()], add: [ADDED], read: [FEES] };

  test.each(['198.51.100.7', '203.1.0.0/16', '2001:db8::7', '192.0.2.0/24'])(
    'does not let the first entry %s shut this machine out: 9',
    async (address) => {
      const { code, steps, stderr } = await run(['add', address], EMPTY);
      expect({ code, steps, stderr }).toEqual({
        code: 9,
        steps: ['check', 'list'],
        stderr: expect.stringContaining('would be the only entry'),
      });
    },
  );

  test('does not add the first entry where the service does not show this machine: 9', async () => {
    expect((await run(['add', '203.0.113.7'], { ...EMPTY, check: [check(true, null, 0, null)] })).code).toBe(9);
  });

  test.each(['203.0.113.7', '203.0.113.0/24', '203.0.0.0/16', '0.0.0.0/0'])(
    'adds the first entry %s and proves it',
    async (address) => {
      const { code, steps, stderr, states } = await run(['add', address], EMPTY);
      expect({ code, steps, states }).toEqual({
        code: 0,
        steps: ['check', 'list', 'add', 'check', 'read'],
        states: [],
      });
      expect(stderr).toContain('nobody else may call');
    },
  );

  test('does not say "nothing was done" where a rate limit stops the looking: 8', async () => {
    const { code, stderr } = await run(['add', '203.0.113.7', '--yes'], {
      check: [check(true, OWN, 1), tooMany({ 'retry-after': '3600' })],
      list: [list(OWN)],
      add: [ADDED],
    });
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining('the rate limit of the service is reached'),
    });
    expect(stderr).not.toContain('nothing was done');
  });

  test('polls for 30 seconds within the rate limit, and ends in 8', async () => {
    const { code, clock, steps, stderr } = await run(['add', '203.0.113.7'], {
      ...EMPTY,
      check: [check(true, null, 0), check(false, null, 1)],
    });
    expect({ code, waitedMs: waitedMs(clock) }).toEqual({ code: 8, waitedMs: 30_000 });
    expect(steps.length).toBeLessThan(30);
    expect(stderr).toContain(`this machine (${OWN}) may still not call`);
  });

  test('waits as long as --wait says', async () => {
    const { code, clock } = await run(['add', '203.0.113.7', '--wait', '90s'], { ...script, read: [BLOCKED] });
    expect({ code, waitedMs: waitedMs(clock) }).toEqual({ code: 8, waitedMs: 90_000 });
  });

  test('takes what live servers say to a blocked address for a block', async () => {
    const { code, clock } = await run(['add', '203.0.113.7'], {
      ...script,
      read: [refusal(400, '01', 'IP_NOT_ALLOWED'), FEES],
    });
    expect({ code, sleeps: clock.sleeps.length }).toEqual({ code: 0, sleeps: 1 });
  });

  test('has nothing to prove of an address elsewhere, and says so', async () => {
    const { code, steps, stderr } = await run(['add', '192.0.2.7'], script);
    expect({ code, steps, stderr }).toEqual({
      code: 0,
      steps: ['check', 'list', 'add', 'check'],
      stderr: expect.stringContaining('cannot be tried from here'),
    });
  });

  test('that is interrupted while it waits says that the list was changed: 130', async () => {
    const interrupted = new AbortController();
    const read = () => {
      interrupted.abort();
      return BLOCKED;
    };
    const { code, stderr } = await run(
      ['add', '203.0.113.7'],
      { ...script, read: [read] },
      { interrupted: interrupted.signal },
    );
    expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('fiatrail ip check') });
    expect(stderr).not.toContain('nothing was');
  });

  test('is not sent twice where its answer is lost: 6', async () => {
    expect((await run(['add', '192.0.2.7'], { ...script, add: [droppedLine()] })).code).toBe(6);
  });
});

describe('ip add on a terminal, without an address', () => {
  const EMPTY = { check: [check(true, null, 0), check(true, OWN, 1)], list: [list()], add: [ADDED], read: [FEES] };
  const SOME = { check: [check(true, '198.51.*.*', 1)], list: [list('198.51.*.*')], add: [ADDED], read: [FEES] };
  const address = (says: string): Answer => ({ kind: 'text', asks: 'Address or range:', says });
  const label = (says: string): Answer => ({ kind: 'text', asks: 'Label', says });
  const meant = (says: boolean): Answer => ({ kind: 'confirm', asks: 'is 192.0.2.7 meant?', says });
  const asking = (script: Script, ...answers: Answer[]) => run(['add'], script, { isTerminal: true, answers });

  test('shows how this machine is seen, adds, proves, and ends with the line that does the same', async () => {
    const { code, steps, stderr } = await asking(EMPTY, address(' 203.0.113.7 '), label("Ada's desk"), yes);
    expect({ code, steps }).toEqual({ code: 0, steps: ['check', 'list', 'check', 'list', 'add', 'check', 'read'] });
    expect(stderr).toContain(`this machine (${OWN}) may call, as everybody may: the list is empty\n`);
    expect(stderr).toContain(`the same in one line: fiatrail ip add 203.0.113.7 --label 'Ada'\\''s desk'\n`);
  });

  test('asks whether an address elsewhere is meant, and again where it is not', async () => {
    const { code, steps } = await asking(
      SOME,
      address('192.0.2.7'),
      meant(false),
      address('192.0.2.7'),
      meant(true),
      label(''),
      yes,
    );
    expect({ code, steps }).toEqual({ code: 0, steps: ['check', 'list', 'check', 'list', 'add', 'check'] });
  });

  test('asks for no confirmation with --yes', async () => {
    const answers = [address('203.0.113.7'), label('')];
    expect((await run(['add', '--yes'], SOME, { isTerminal: true, answers })).code).toBe(0);
  });

  test('sends nothing where it is declined: 9', async () => {
    const { code, steps } = await asking(SOME, address('203.0.113.7'), label(''), { ...yes, says: false } as Answer);
    expect({ code, steps }).toEqual({ code: 9, steps: ['check', 'list'] });
  });
});

describe('ip replace', () => {
  const argv = ['replace', '203.0.113.7', '--with', '203.0.113.0/24', '--yes'];
  const before = list(OWN, '198.51.*.*');
  const during = list(OWN, '198.51.*.*', `${OWN}/24`);
  const script = {
    check: [check(true, OWN, 2)],
    list: [before, during],
    add: [ADDED],
    remove: [REMOVED],
    read: [FEES],
  };

  test('adds, proves, looks, removes, proves', async () => {
    const { code, steps, states } = await run(argv, script);
    const expected = ['check', 'list', 'add', 'check', 'read', 'list', 'remove', 'check', 'read'];
    expect({ code, steps, states }).toEqual({ code: 0, steps: expected, states: ['accepted'] });
  });

  test.each([
    ['an address elsewhere', ['203.0.113.7', '--with', '192.0.2.7'], 'no other entry lets it in'],
    ['an address that may be another', ['203.0.113.0/24', '--with', '203.0.113.7'], 'does not show'],
    ['a range that may not hold it, for an index', ['--index', '0', '--with', '203.0.113.0/24'], 'does not show'],
  ])('adds nothing where %s may shut this machine out: 9', async (_, words, why) => {
    const { code, steps, stderr } = await run(['replace', ...words, '--yes'], script);
    expect({ code, steps, stderr }).toEqual({
      code: 9,
      steps: ['check', 'list'],
      stderr: expect.stringContaining(why),
    });
  });

  test('adds nothing where it is declined: 9', async () => {
    const no = { ...yes, says: false } as Answer;
    const { code, steps } = await run(argv.slice(0, -1), script, { isTerminal: true, answers: [no] });
    expect({ code, steps }).toEqual({ code: 9, steps: ['check', 'list'] });
  });

  const ENDS: readonly (readonly [name: string, more: Script, exit: number, words: string])[] = [
    [
      'is refused',
      { remove: [refusal(404, '02', 'gone')] },
      3,
      '203.0.113.0/24 was added, and 203.0.113.7 was not removed',
    ],
    [
      'is lost',
      { remove: [droppedLine()] },
      6,
      '203.0.113.0/24 was added, and 203.0.113.7 may have been removed or not',
    ],
    [
      'comes too late for the list',
      { list: [before, list('198.51.*.*', `${OWN}/24`)] },
      3,
      'the list has changed meanwhile',
    ],
    ['is never safe', { read: [BLOCKED] }, 8, '203.0.113.0/24 was added, and 203.0.113.7 was not removed'],
    [
      'cannot be prepared',
      { list: [before, json(200, '{')] },
      3,
      '203.0.113.0/24 was added, and 203.0.113.7 was not removed',
    ],
  ];
  test.each(ENDS)('says what stands where the removal %s', async (_, more, exit, words) => {
    const { code, stderr } = await run(argv, { ...script, ...more });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(words) });
    expect(stderr).toContain('finish with: fiatrail ip remove 203.0.113.7');
    expect(stderr).not.toContain('nothing was sent');
  });

  test.each([
    ['lost: 6', droppedLine(), 6],
    ['refused: 3', refusal(400, '01', 'no'), 3],
  ])('removes nothing where the addition is %s', async (_, add, exit) => {
    const { code, steps, stderr } = await run(argv, { ...script, add: [add] });
    expect({ code, hasRemove: steps.includes('remove') }).toEqual({ code: exit, hasRemove: false });
    expect(stderr).toContain('203.0.113.0/24 was to be added first, and 203.0.113.7 was not removed');
  });

  test('does not remove by index what may be the new entry itself: 3', async () => {
    const { code, steps, stderr } = await run(['replace', '--index', '1', '--with', '198.51.100.7', '--yes'], {
      ...script,
      list: [before],
    });
    expect({ code, hasRemove: steps.includes('remove'), stderr }).toEqual({
      code: 3,
      hasRemove: false,
      stderr: expect.stringContaining('may be that very entry'),
    });
  });
});

describe('what is no address is said in one sentence: 2, nothing sent', () => {
  test.each([
    ['203.0.113.07', 'has a number that begins with 0'],
    ['203.0.113', 'is no whole IPv4 address'],
    ['203.0.113.300/24', 'has a number above 255'],
    ['10.0.0.0/33', 'is too long a prefix'],
    ['2001:db8::/129', 'is too long a prefix'],
    ['10.0.0.0/255.0.0.0', 'ends in a netmask'],
    ['10.1.2.3/8', 'has bits beyond its /8'],
    ['2001:db8::7/32', 'has bits beyond its /32'],
    ['203.0.113.7:443', 'has a port'],
    ['[2001:db8::7]:443', 'has brackets'],
    ['https://203.0.113.7', 'is a URL'],
    ['203.0.113.1-203.0.113.9', 'is a span'],
    ['203.0.113.1,203.0.113.9', 'is more than one address'],
    ['203.0.113.7 ', 'has a blank in it'],
    ['fe80::1%eth0', 'has a zone'],
    ['2001:db8::7::1', 'is no IPv6 address'],
    ['203.0.*.*', 'is masked'],
    ['2001:db8:*', 'is masked'],
    ['office.example.com', 'is a name'],
    ['', 'is empty'],
    ['٢٠٣.0.113.7', 'is no IP address'],
    ['203.0.113.7/', 'does not end in a length'],
    ['203.0.113.7/08', 'does not end in a length'],
    ['203.0.113.0/x', 'does not end in a length'],
  ])('%s', async (text, is) => {
    const { code, steps, stderr } = await run(['add', text], {});
    expect({ code, steps, stderr }).toEqual({
      code: 2,
      steps: [],
      stderr: expect.stringMatching(new RegExp(`error: address: ".*" ${is}\n +hint: `)),
    });
  });
});
