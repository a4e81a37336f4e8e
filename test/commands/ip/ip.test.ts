import { describe, expect, test } from 'vitest';
import type { Exchange, HttpResponse } from '../../../src/base/world.ts';
import { main } from '../../../src/main.ts';
import { droppedLine, json, refusal, success, tooMany } from '../../support/exchange.ts';
import { journalRows } from '../../support/journal.ts';
import { ACCOUNT, type Answer, type FakeClock, fakeClock, fakeWorld, type WorldOptions } from '../../support/world.ts';

const OWN = '203.0.*.*';
type Step = 'check' | 'list' | 'add' | 'remove' | 'read';
type Turn = HttpResponse | Error | (() => HttpResponse);

/** A scripted service: the responses of each step in order; the last one repeats. */
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
const ADDED = success({ action: 'add', totalIps: 2, message: 'done' });
const REMOVED = success({ action: 'remove', totalIps: 1, message: 'done' });
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
const yes: Answer = { kind: 'confirm', asks: 'Continue?', says: true };

describe('a removal that would or might lock this machine out exits with 9 and sends nothing', () => {
  const ROWS: readonly (readonly [
    name: string,
    checked: HttpResponse,
    listed: HttpResponse,
    argv: string[],
    why: string,
  ])[] = [
    ['its address', check(true, OWN, 2), list(OWN, '198.51.*.*'), ['203.0.113.7'], 'no other entry allows it'],
    [
      'its address by index',
      check(true, OWN, 2),
      list('198.51.*.*', OWN),
      ['--index', '1'],
      'no other entry allows it',
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
    ['the only entry', check(true, OWN, 1), list(OWN), ['203.0.113.7'], 'undocumented'],
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
      'removing 203.0.*.*/24 (index 0) would lock this machine (203.0.113.7) out',
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
      'no other entry certainly does',
    ],
    [
      'an entry, where the rule is masked in another way',
      check(true, '203.0.***', 2),
      list(OWN, '198.51.*.*'),
      ['--index', '1'],
      'any of them',
    ],
    [
      'an entry, where no rule is named',
      check(true, null, 2),
      list('198.51.*.*', OWN),
      ['--index', '0'],
      '2 entries are listed',
    ],
    [
      'an entry, where this machine is not shown',
      check(true, OWN, 2, null),
      list(OWN, '0.0.*.*/0'),
      ['--index', '0'],
      'no other entry certainly does',
    ],
    [
      'an entry of a list that changed between',
      check(true, OWN, 3),
      list(OWN, '198.51.*.*'),
      ['--index', '1'],
      'changed while it was being read',
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

describe('allows a removal that leaves this machine allowed', () => {
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
    ['its address beside everyone', check(true, OWN, 2), list(OWN, '0.0.*.*/0'), ['203.0.113.7']],
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
      states: ['settled'],
    });
  });

  test('exits with 2 and sends nothing if --my-address is not what the service sees', async () => {
    const argv = ['remove', '203.0.113.8', '--my-address', '198.51.100.7', '--yes'];
    const { code, steps, stderr } = await run(argv, { check: [check(true, OWN, 2)], list: [list(OWN, OWN)] });
    expect({ code, hasRemove: steps.includes('remove'), stderr }).toEqual({
      code: 2,
      hasRemove: false,
      stderr: expect.stringContaining('--my-address: the service sees this machine as 203.0.*.*'),
    });
  });

  test('and verifies it with a check and a read', async () => {
    const { code, steps, clock } = await run(['remove', '--index', '1', '--yes'], {
      check: [check(true, OWN, 2), check(false, null, 1), check(true, OWN, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
      read: [BLOCKED, FEES],
    });
    expect({ code, sleeps: clock.sleeps.length }).toEqual({ code: 0, sleeps: 2 });
    expect(steps.slice(4)).toEqual(['check', 'check', 'read', 'check', 'read']);
  });

  test('or exits with 8 and the journal id if they never succeed', async () => {
    const { code, stderr, states } = await run(['remove', '--index', '1', '--yes', '-o', 'json'], {
      check: [check(true, OWN, 2), check(false, null, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
    });
    expect({ code, states }).toEqual({ code: 8, states: ['settled'] });
    expect(stderr).toMatch(/"operationId":"[^"]+"/);
  });

  test('with --lock-me-out, after a warning', async () => {
    const { code, stderr } = await run(['remove', '203.0.113.7', '--yes', '--lock-me-out'], {
      check: [check(true, OWN, 2), check(false, null, 1)],
      list: [list(OWN, '198.51.*.*')],
      remove: [REMOVED],
    });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('allow it with: fiatrail ip add <address>'),
    });
    expect(stderr).toContain('this machine is locked out');
  });
});

describe('a removal', () => {
  const before = { check: [check(true, OWN, 3)] };
  const LIST = list(OWN, '198.51.*.* office', '192.0.*.*');

  test.each([
    ['another entry at the index', list(OWN, '192.0.*.*')],
    ['another label at the index', list(OWN, '198.51.*.* branch', '192.0.*.*')],
    ['one more entry', list(OWN, '198.51.*.* office', '192.0.*.*', '192.1.*.*')],
  ])('exits with 9 and records nothing if there is %s since it was shown', async (_, changed) => {
    const { code, steps, states, stderr } = await run(['remove', '--index', '1', '--yes'], {
      ...before,
      list: [LIST, changed],
    });
    expect({ code, steps, states }).toEqual({ code: 9, steps: ['check', 'list', 'list'], states: [] });
    expect(stderr).toContain('the allowlist changed in the meantime; nothing was sent');
  });

  test('shows the entry before confirming and rereads the list afterwards', async () => {
    const asked: Answer = { kind: 'confirm', asks: 'Remove 198.51.*.* (index 1, office)', says: false };
    const { code, steps } = await run(
      ['remove', '--index', '1'],
      { ...before, list: [LIST] },
      { isTerminal: true, answers: [asked] },
    );
    expect({ code, steps }).toEqual({ code: 9, steps: ['check', 'list'] });
  });

  test('prompts for the entry if none is given', async () => {
    const choice: Answer = { kind: 'select', asks: 'Which entry?', says: '198.51.*.* (index 1, office)' };
    const { code, stdout } = await run(
      ['remove'],
      { ...before, list: [LIST], ...gone, remove: [success({ action: 'remove', removed: '198.51.*.*', totalIps: 1 })] },
      { isTerminal: true, answers: [choice, yes] },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('198.51.*.*') });
  });

  test.each([
    ['which entries the allowlist has', success({ action: 'list' }), check(true, OWN, 3)],
    ['whether this machine is allowed', LIST, success({ action: 'check' })],
  ])('exits with 5 if it does not know %s', async (what, listed, checked) => {
    const { code, stderr } = await run(['remove', '--index', '1', '--yes'], { check: [checked], list: [listed] });
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining(`does not say ${what}`) });
  });

  test('exits with 6 when the response is lost', async () => {
    const { code, states } = await run(['remove', '--index', '1', '--yes'], {
      ...before,
      list: [LIST],
      remove: [droppedLine()],
    });
    expect({ code, states }).toEqual({ code: 6, states: ['unknown'] });
  });

  test('exits with 8 when it succeeded but cannot be verified', async () => {
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
    'rejects a first entry %s that would lock this machine out and exits with 9',
    async (address) => {
      const { code, steps, stderr } = await run(['add', address], EMPTY);
      expect({ code, steps, stderr }).toEqual({
        code: 9,
        steps: ['check', 'list'],
        stderr: expect.stringContaining('would be the only entry'),
      });
    },
  );

  test('rejects a first entry when the service does not show this machine and exits with 9', async () => {
    expect((await run(['add', '203.0.113.7'], { ...EMPTY, check: [check(true, null, 0, null)] })).code).toBe(9);
  });

  test.each(['203.0.113.7', '203.0.113.0/24', '203.0.0.0/16', '0.0.0.0/0'])(
    'adds the first entry %s and proves it',
    async (address) => {
      const { code, steps, stderr, states } = await run(['add', address, '--yes'], EMPTY);
      expect({ code, steps, states }).toEqual({
        code: 0,
        steps: ['check', 'list', 'add', 'check', 'read'],
        states: [],
      });
      expect(stderr).toMatch(/no (other|IPv6) address can call the service/);
    },
  );

  test('exits with 8 when verification hits a rate limit and does not say "nothing was done"', async () => {
    const { code, stderr } = await run(['add', '203.0.113.7', '--yes'], {
      check: [check(true, OWN, 1), tooMany({ 'retry-after': '3600' })],
      list: [list(OWN)],
      add: [ADDED],
    });
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining("the service's rate limit was reached"),
    });
    expect(stderr).not.toContain('nothing was done');
  });

  test('polls for 30 seconds within the rate limit, then exits with 8', async () => {
    const { code, clock, steps, stderr } = await run(['add', '203.0.113.7', '--yes'], {
      ...EMPTY,
      check: [check(true, null, 0), check(false, null, 1)],
    });
    expect({ code, waitedMs: waitedMs(clock) }).toEqual({ code: 8, waitedMs: 30_000 });
    expect(steps.length).toBeLessThan(30);
    expect(stderr).toContain(`this machine (${OWN}) is not allowed yet`);
  });

  test('waits as long as --wait', async () => {
    const { code, clock } = await run(['add', '203.0.113.7', '--wait', '90s'], { ...script, read: [BLOCKED] });
    expect({ code, waitedMs: waitedMs(clock) }).toEqual({ code: 8, waitedMs: 90_000 });
  });

  test('treats the response of live servers to a blocked address as a block', async () => {
    const { code, clock } = await run(['add', '203.0.113.7'], {
      ...script,
      read: [refusal(400, '01', 'IP_NOT_ALLOWED'), FEES],
    });
    expect({ code, sleeps: clock.sleeps.length }).toEqual({ code: 0, sleeps: 1 });
  });

  test('says that another address cannot be verified from here', async () => {
    const { code, steps, stderr } = await run(['add', '192.0.2.7'], script);
    expect({ code, steps, stderr }).toEqual({
      code: 0,
      steps: ['check', 'list', 'add', 'check'],
      stderr: expect.stringContaining('cannot be verified from here'),
    });
  });

  test('exits with 130 when interrupted while waiting and says that the list was changed', async () => {
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

  test('exits with 6 when its response is lost and is not resent', async () => {
    expect((await run(['add', '192.0.2.7'], { ...script, add: [droppedLine()] })).code).toBe(6);
  });
});

describe('ip add on a terminal, without an address', () => {
  const EMPTY = { check: [check(true, null, 0), check(true, OWN, 1)], list: [list()], add: [ADDED], read: [FEES] };
  const SOME = { check: [check(true, '198.51.*.*', 1)], list: [list('198.51.*.*')], add: [ADDED], read: [FEES] };
  const address = (says: string): Answer => ({ kind: 'text', asks: 'Address or range:', says });
  const label = (says: string): Answer => ({ kind: 'text', asks: 'Label', says });
  const asking = (script: Script, ...answers: Answer[]) => run(['add'], script, { isTerminal: true, answers });

  test('shows this machine’s address, adds, verifies and prints the equivalent command', async () => {
    const { code, steps, stderr } = await asking(EMPTY, address(' 203.0.113.7 '), label("Ada's desk"), yes);
    expect({ code, steps }).toEqual({ code: 0, steps: ['check', 'list', 'check', 'list', 'add', 'check', 'read'] });
    expect(stderr).toContain(`this machine (${OWN}) is allowed, like every address: the allowlist is empty\n`);
    expect(stderr).toContain(`equivalent command: fiatrail ip add 203.0.113.7 --label 'Ada'\\''s desk'\n`);
  });

  test('asks once about an address that is not this machine’s', async () => {
    const { code, steps } = await asking(SOME, address('192.0.2.7'), label(''), yes);
    expect({ code, steps }).toEqual({ code: 0, steps: ['check', 'list', 'check', 'list', 'add', 'check'] });
  });

  test('asks once before every address is allowed, also if the address was typed', async () => {
    const no = { ...yes, says: false } as Answer;
    const answers = [address('0.0.0.0/0'), label(''), no];
    expect((await asking(SOME, ...answers)).code).toBe(9);
    const { code, stderr } = await run(['add', '0.0.0.0/0'], SOME, { isTerminal: true, answers: [no] });
    expect({ code, stderr }).toEqual({ code: 9, stderr: expect.stringContaining('every IPv4 address') });
  });

  test('skips the confirmation with --yes', async () => {
    const answers = [address('203.0.113.7'), label('')];
    expect((await run(['add', '--yes'], SOME, { isTerminal: true, answers })).code).toBe(0);
  });

  test('exits with 9 when declined and sends nothing', async () => {
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

  test('adds, verifies, rereads, removes and verifies', async () => {
    const { code, steps, states } = await run(argv, script);
    const expected = ['check', 'list', 'add', 'check', 'read', 'list', 'remove', 'check', 'read'];
    expect({ code, steps, states }).toEqual({ code: 0, steps: expected, states: ['settled'] });
  });

  test.each([
    ['an address elsewhere', ['203.0.113.7', '--with', '192.0.2.7'], 'no other entry allows it'],
    ['an address that may be another', ['203.0.113.0/24', '--with', '203.0.113.7'], 'may not contain its address'],
    [
      'a range that may not hold it, for an index',
      ['--index', '0', '--with', '203.0.113.0/24'],
      'may not contain its address',
    ],
  ])('exits with 9 and adds nothing when %s might lock this machine out', async (_, words, why) => {
    const { code, steps, stderr } = await run(['replace', ...words, '--yes'], script);
    expect({ code, steps, stderr }).toEqual({
      code: 9,
      steps: ['check', 'list'],
      stderr: expect.stringContaining(why),
    });
  });

  test('exits with 9 when declined and adds nothing', async () => {
    const no = { ...yes, says: false } as Answer;
    const { code, steps } = await run(argv.slice(0, -1), script, { isTerminal: true, answers: [no] });
    expect({ code, steps }).toEqual({ code: 9, steps: ['check', 'list'] });
  });

  const ENDS: readonly (readonly [name: string, more: Script, exit: number, words: string])[] = [
    [
      'is rejected',
      { remove: [refusal(404, '02', 'gone')] },
      3,
      '203.0.113.0/24 was added and 203.0.113.7 was not removed',
    ],
    ['is lost', { remove: [droppedLine()] }, 6, '203.0.113.0/24 was added and 203.0.113.7 may have been removed'],
    [
      'comes too late for the list',
      { list: [before, list('198.51.*.*', `${OWN}/24`)] },
      3,
      'the allowlist changed in the meantime',
    ],
    ['is never safe', { read: [BLOCKED] }, 8, '203.0.113.0/24 was added and 203.0.113.7 was not removed'],
    [
      'cannot be prepared',
      { list: [before, json(200, '{')] },
      3,
      '203.0.113.0/24 was added and 203.0.113.7 was not removed',
    ],
  ];
  test.each(ENDS)('says what was done when the removal %s', async (_, more, exit, words) => {
    const { code, stderr } = await run(argv, { ...script, ...more });
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringContaining(words) });
    expect(stderr).toContain('finish with: fiatrail ip remove 203.0.113.7');
    expect(stderr).not.toContain('nothing was sent');
  });

  test.each([
    ['lost, and exits with 6', droppedLine(), 6, 'may have been added'],
    ['refused, and exits with 3', refusal(400, '01', 'no'), 3, 'was not added'],
  ])('removes nothing when the addition is %s', async (_, add, exit, addition) => {
    const { code, steps, stderr } = await run(argv, { ...script, add: [add] });
    expect({ code, hasRemove: steps.includes('remove') }).toEqual({ code: exit, hasRemove: false });
    expect(stderr).toContain(`203.0.113.0/24 ${addition} and 203.0.113.7 was not removed`);
  });

  test('exits with 3 rather than remove by index an entry that may be the new one', async () => {
    const { code, steps, stderr } = await run(['replace', '--index', '1', '--with', '198.51.100.7', '--yes'], {
      ...script,
      list: [before],
    });
    expect({ code, hasRemove: steps.includes('remove'), stderr }).toEqual({
      code: 3,
      hasRemove: false,
      stderr: expect.stringContaining('may be the selected entry'),
    });
  });
});

describe('an invalid address exits with 2 and sends nothing', () => {
  test.each([
    ['203.0.113.07', 'a number has a leading zero'],
    ['203.0.113', 'it is incomplete'],
    ['203.0.113.300/24', 'a number is above 255'],
    ['10.0.0.0/33', 'the prefix is too long'],
    ['2001:db8::/129', 'the prefix is too long'],
    ['10.0.0.0/255.0.0.0', 'it has a netmask'],
    ['10.1.2.3/8', 'it has bits set after the /8 prefix'],
    ['2001:db8::7/32', 'it has bits set after the /32 prefix'],
    ['203.0.113.7:443', 'has a port'],
    ['[2001:db8::7]:443', 'has brackets'],
    ['https://203.0.113.7', 'is a URL'],
    ['203.0.113.1-203.0.113.9', 'is a span'],
    ['203.0.113.1,203.0.113.9', 'is more than one address'],
    ['203.0.113.7 ', 'it contains a space'],
    ['fe80::1%eth0', 'has a zone'],
    ['2001:db8::7::1', 'it is not an IPv6 address'],
    ['203.0.*.*', 'is masked'],
    ['2001:db8:*', 'is masked'],
    ['office.example.com', 'it is a host name'],
    ['', 'is empty'],
    ['٢٠٣.0.113.7', 'it is not an IP address'],
    ['203.0.113.7/', 'the prefix length is not a number'],
    ['203.0.113.7/08', 'the prefix length is not a number'],
    ['203.0.113.0/x', 'the prefix length is not a number'],
  ])('%s', async (text, is) => {
    const { code, steps, stderr } = await run(['add', text], {});
    expect({ code, steps, stderr }).toEqual({
      code: 2,
      steps: [],
      stderr: expect.stringMatching(new RegExp(`error: invalid address ".*"; .*${is}\n +hint: `)),
    });
  });
});

describe('a command that the allowlist blocks', () => {
  async function blocked(yourIp: string | null, argv = ['balances', 'account']) {
    const { network, steps } = playing({ read: [BLOCKED], check: [check(false, null, 1, yourIp)] });
    const world = fakeWorld({ network, clock: fakeClock(), env: ACCOUNT });
    return { code: await main([...argv, '-o', 'json', '--yes'], world), steps, stderr: world.stderr.text() };
  }

  test.each([
    ['in full', '203.0.113.7', '(this machine is 203.0.113.7)', 'allow this machine with: fiatrail ip add 203.0.113.7'],
    ['masked', OWN, `(this machine is ${OWN})`, `shows ${OWN}, with: fiatrail ip add ADDRESS`],
    ['not at all', null, 'not on the list', 'fiatrail ip check; then allow it with: fiatrail ip add ADDRESS'],
    ['as text that is no address', 'x; rm -rf ~', 'not on the list', 'allow it with: fiatrail ip add ADDRESS'],
  ])('names the address that the service shows %s', async (_, yourIp, message, hint) => {
    const { code, steps, stderr } = await blocked(yourIp);
    expect({ code, steps, ...JSON.parse(stderr.slice(stderr.indexOf('{')))['error'] }).toMatchObject({
      code: 'IP_BLOCKED',
      steps: ['read', 'check'],
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  test('is as it was if the service does not say from where it was called', async () => {
    const { network } = playing({ read: [BLOCKED], check: [refusal(500, '04', 'no')] });
    const world = fakeWorld({ network, clock: fakeClock(), env: ACCOUNT });
    expect(await main(['balances', 'account'], world)).toBe(4);
    expect(world.stderr.text()).toContain('see the address that the service sees with: fiatrail ip check');
  });
});
