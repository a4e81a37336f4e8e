import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { failureOf, withdrawalOf, withdrawalsAt, withEnv } from '../postgres/hosts.ts';
import type { Served } from '../support/accounts.ts';
import { type Home, newHome, requireBuilt, startFiatrail } from '../support/built.ts';
import { withdraw } from '../support/fee-withdrawal.ts';
import { accountOf, fiatrail, fiatrailJson, must, serveSandbox } from '../support/in-process.ts';
import { journalRows } from '../support/journal.ts';

/** An account has one journal: under another one, a new one or an older copy, an idempotency key would pay again. */

let served: Served;
let home: Home;

// A rotation starts the program.
beforeAll(requireBuilt);
beforeEach(async () => {
  served = await serveSandbox(onTestFinished);
  home = await accountOf(served, onTestFinished);
});

const pay = (idempotencyKey: string, ...more: readonly string[]) =>
  withdraw('500', '--once', idempotencyKey, '--timeout', '30s', '-o', 'json', ...more);

const ELSEWHERE = { exit: 2, code: 'JOURNAL_ELSEWHERE' };
const accept = ['ops', 'journal', 'verify', '--accept', '--yes', '-q', '-o', 'json'];

/** The same home with another state folder, which does not exist. */
const elsewhere = (from: Home, name = 'state-2'): Home => {
  const stateDir = join(from.path, name);
  return { ...withEnv(from, { FIATRAIL_STATE_DIR: stateDir }), stateDir };
};

/** The folder of a home that remembers which journal each account has. */
const memory = ({ path }: Home) => join(path, 'config', 'journals');
const accountFile = (of: Home, folder = memory(of)) =>
  join(folder, readdirSync(folder).find((name) => name.startsWith('account-')) ?? '');

describe('another state folder', () => {
  test('is rejected, with what to do, until it is accepted', async () => {
    const { stderr } = await must(home, pay('one'));
    expect(stderr).not.toContain('warning');
    const second = elsewhere(home);
    const refused = await fiatrail(second, pay('one'));
    expect(failureOf(refused)).toEqual(ELSEWHERE);
    expect(refused.stderr).toContain(
      `this account has its journal in ${home.stateDir}/journal.db, and not in ${second.stateDir}/journal.db`,
    );
    for (const way of [
      'ops journal verify --accept',
      'profiles journal set main --independent',
      'profiles journal set --url',
      'a disk that outlives',
    ])
      expect(refused.stderr).toContain(way);
    expect(failureOf(await fiatrail(second, pay('two')))).toEqual(ELSEWHERE);
    expect(journalRows(second.stateDir)).toEqual([]);
    expect(withdrawalsAt(served)).toHaveLength(1);
    // It stays refused after commands that only read.
    const verified = await must(second, ['ops', 'journal', 'verify']);
    expect(verified.stderr).toContain('warning: money commands stop: this account has its journal in');
    expect(failureOf(await fiatrail(second, pay('one')))).toEqual(ELSEWHERE);
    await must(second, accept);
    withdrawalOf(await fiatrail(second, pay('two')));
    // Now the first one is the other one.
    expect(failureOf(await fiatrail(home, pay('three')))).toEqual(ELSEWHERE);
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('is rejected for every profile of the account, and for its key in the environment', async () => {
    await must(home, pay('one'));
    await must(
      home,
      ['profiles', 'add', 'cron', '--base-url', served.url, '--mode', 'sandbox', '--store', 'file', '--key-stdin'],
      served.apiKey,
    );
    const second = elsewhere(home);
    expect(failureOf(await fiatrail(second, pay('one', '--profile', 'cron')))).toEqual(ELSEWHERE);
    const env = { FIATRAIL_BASE_URL: served.url, FIATRAIL_API_KEY: served.apiKey };
    expect(failureOf(await fiatrail(withEnv(second, env), pay('one')))).toEqual(ELSEWHERE);
    // A profile that is removed and added again is the same account.
    await must(home, ['profiles', 'remove', 'main', '--yes']);
    await must(
      home,
      ['profiles', 'add', 'main', '--base-url', served.url, '--mode', 'sandbox', '--store', 'file', '--key-stdin'],
      served.apiKey,
    );
    expect(failureOf(await fiatrail(second, pay('one', '--profile', 'main')))).toEqual(ELSEWHERE);
    expect(withdrawalsAt(served)).toHaveLength(1);
  });

  test('is rejected after a rotation too, because the account is the same', async () => {
    await must(home, pay('one'));
    await must(home, ['keys', 'rotate', '--yes', '-q']);
    expect(failureOf(await fiatrail(elsewhere(home), pay('one')))).toEqual(ELSEWHERE);
    withdrawalOf(await fiatrail(home, pay('two')));
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('that is used at the same instant as the first one pays once in all', async () => {
    const ran = await Promise.all([home, elsewhere(home)].map((each) => startFiatrail(each, pay('one')).end));
    expect(ran.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(withdrawalsAt(served)).toHaveLength(1);
  });

  test('does not concern an embedded sandbox, which is in it', async () => {
    const embedded = newHome(onTestFinished);
    await must(embedded, pay('one'));
    await must(elsewhere(embedded), pay('one'));
    expect(existsSync(memory(embedded))).toBe(false);
  });

  test('that has the journal as it was exported is the same journal', async () => {
    await must(home, pay('one'));
    const second = elsewhere(home);
    const { stdout } = await must(home, ['ops', 'journal', 'export', '--with-digest-key', '-q']);
    await must(second, ['ops', 'journal', 'import', '-', '-q'], stdout);
    expect(withdrawalOf(await fiatrail(second, pay('one')))).toBe(withdrawalOf(await fiatrail(home, pay('one'))));
    withdrawalOf(await fiatrail(second, pay('two')));
    // The first one lacks what the second one has now.
    expect(failureOf(await fiatrail(home, pay('two')))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('that has the whole journal without its digest key is the journal from then on', async () => {
    await must(home, pay('one'));
    const { stdout } = await must(home, ['ops', 'journal', 'export', '-q']);
    const second = elsewhere(home);
    await must(second, ['ops', 'journal', 'import', '-', '-q'], stdout);
    expect(failureOf(await fiatrail(second, pay('one')))).toEqual({ exit: 2, code: 'ONCE_KEY_TAKEN' });
    withdrawalOf(await fiatrail(second, pay('two')));
    expect(failureOf(await fiatrail(home, pay('two')))).toEqual(ELSEWHERE);
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('that has an older export is rejected', async () => {
    await must(home, pay('one'));
    const { stdout } = await must(home, ['ops', 'journal', 'export', '-q']);
    await must(home, pay('two'));
    const second = elsewhere(home);
    await must(second, ['ops', 'journal', 'import', '-', '-q'], stdout);
    expect(failureOf(await fiatrail(second, pay('two')))).toEqual(ELSEWHERE);
    expect(withdrawalsAt(served)).toHaveLength(2);
  });
});

describe('a profile that was exported to another machine', () => {
  /** Another machine with the exported profile and its key. */
  const imported = async () => {
    const { stdout } = await must(home, ['profiles', 'export', 'main']);
    const laptop = newHome(onTestFinished);
    const { stderr } = await must(laptop, ['profiles', 'import', '-', '-q'], stdout);
    await must(laptop, ['profiles', 'add', 'main', '--key-stdin'], served.apiKey);
    await must(laptop, ['profiles', 'use', 'main']);
    return { laptop, stderr, stdout };
  };

  test('pays nothing there under a used key, says why, and pays once the journal was moved', async () => {
    await must(home, pay('pay-2'));
    const { laptop, stderr, stdout } = await imported();
    expect(stdout).toContain(`${home.stateDir}/journal.db on `);
    for (const way of [
      'ops journal export --with-digest-key',
      'ops journal import',
      'profiles journal set main --url URL',
    ])
      expect(stderr).toContain(way);
    const refused = await fiatrail(laptop, pay('pay-2'));
    expect(failureOf(refused)).toEqual(ELSEWHERE);
    expect(refused.stderr).toContain(`${home.stateDir}/journal.db on `);
    expect(withdrawalsAt(served)).toHaveLength(1);
    const journal = await must(home, ['ops', 'journal', 'export', '--with-digest-key', '-q']);
    await must(laptop, ['ops', 'journal', 'import', '-', '-q'], journal.stdout);
    expect(withdrawalOf(await fiatrail(laptop, pay('pay-2')))).toBe(withdrawalOf(await fiatrail(home, pay('pay-2'))));
    withdrawalOf(await fiatrail(laptop, pay('pay-3')));
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('names the journal that it came with when it is exported again', async () => {
    await must(home, pay('pay-2'));
    const { laptop, stdout } = await imported();
    // The journal there has operations of another account.
    await must(laptop, pay('pay-2', '--profile', 'sandbox'));
    const again = await must(laptop, ['profiles', 'export', 'main']);
    const earlierOf = (text: string) => JSON.parse(text).profiles[0].earlierJournal;
    expect(earlierOf(again.stdout)).toEqual(earlierOf(stdout));
  });

  test('may have a journal of its own on purpose, which stays there', async () => {
    await must(home, pay('pay-2'));
    const { laptop } = await imported();
    await must(laptop, ['profiles', 'journal', 'set', 'main', '--independent', '--yes']);
    withdrawalOf(await fiatrail(laptop, pay('pay-2')));
    expect(withdrawalsAt(served)).toHaveLength(2);
  });

  test('has no journal to move if none was used', async () => {
    const { laptop, stderr } = await imported();
    expect(stderr).not.toContain('journal');
    withdrawalOf(await fiatrail(laptop, pay('pay-2')));
  });
});

const FILES = ['journal.db', 'journal.db.head'];

describe('the state folder that lost its journal', () => {
  test('is rejected if an older copy of the journal and of its head were put back', async () => {
    await must(home, pay('before'));
    for (const file of FILES) copyFileSync(join(home.stateDir, file), join(home.path, file));
    await must(home, pay('one'));
    for (const name of readdirSync(home.stateDir)) if (name.startsWith('journal.db')) rmSync(join(home.stateDir, name));
    for (const file of FILES) copyFileSync(join(home.path, file), join(home.stateDir, file));
    const refused = await fiatrail(home, pay('one'));
    expect(failureOf(refused)).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
    expect(withdrawalsAt(served)).toHaveLength(2);
    expect((await fiatrail(home, ['ops', 'journal', 'verify', '-q'])).code).toBe(3);
    await must(home, accept);
    withdrawalOf(await fiatrail(home, pay('two')));
  });

  test('is rejected if it is empty at each start, in one sentence', async () => {
    await must(home, pay('one'));
    rmSync(home.stateDir, { recursive: true });
    const refused = await fiatrail(home, pay('one'));
    expect(failureOf(refused)).toEqual(ELSEWHERE);
    expect(refused.stderr).toContain(
      `the journal in ${home.stateDir}/journal.db is not the one that this account had there`,
    );
    expect(withdrawalsAt(served)).toHaveLength(1);
  });
});

describe('profiles journal set --independent', () => {
  const decide = ['profiles', 'journal', 'set', 'main', '--independent', '--yes', '-o', 'json'];

  test('lets each state folder have a journal of its own, and can be part of an image', async () => {
    await must(home, pay('one'));
    const image = elsewhere(home);
    const { stderr, stdout } = await must(image, decide);
    expect(stderr).toContain('moves the money twice');
    expect(JSON.parse(stdout)).toMatchObject({ journal: 'SQLite', independent: true });
    expect(existsSync(image.stateDir)).toBe(false);
    // Its cost: the idempotency key of the other journal does not count.
    withdrawalOf(await fiatrail(image, pay('one')));
    rmSync(image.stateDir, { recursive: true });
    withdrawalOf(await fiatrail(image, pay('one')));
    withdrawalOf(await fiatrail(home, pay('one')));
    expect(withdrawalsAt(served)).toHaveLength(3);
  });

  test('still notices an older copy of its journal', async () => {
    await must(home, decide);
    await must(home, pay('before'));
    for (const file of FILES) copyFileSync(join(home.stateDir, file), join(home.path, file));
    await must(home, pay('one'));
    for (const file of FILES) copyFileSync(join(home.path, file), join(home.stateDir, file));
    expect(failureOf(await fiatrail(home, pay('one')))).toEqual({ exit: 2, code: 'JOURNAL_CUT' });
  });

  test('ends with --local, and stays on this machine when the profile is exported', async () => {
    await must(home, pay('one'));
    await must(home, decide);
    const { stdout } = await must(home, ['profiles', 'export', 'main', '-o', 'json']);
    expect(stdout).not.toContain('independentJournal');
    await must(home, ['profiles', 'journal', 'set', 'main', '--local', '--yes']);
    expect(failureOf(await fiatrail(elsewhere(home), pay('one')))).toEqual(ELSEWHERE);
  });
});

describe('FIATRAIL_JOURNAL_ID', () => {
  test('is printed by ops journal verify, and names the only journal that is used', async () => {
    const { id } = (await fiatrailJson(home, ['ops', 'journal', 'verify', '-q'])) as { id: string };
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    const named = withEnv(home, { FIATRAIL_JOURNAL_ID: id });
    withdrawalOf(await fiatrail(named, pay('one')));
    const other = { exit: 2, code: 'OTHER_JOURNAL_ID' };
    expect(failureOf(await fiatrail(elsewhere(named), pay('one')))).toEqual(other);
    expect(failureOf(await fiatrail(withEnv(home, { FIATRAIL_JOURNAL_ID: 'x'.repeat(50) }), pay('two')))).toEqual(
      other,
    );
    expect(withdrawalsAt(served)).toHaveLength(1);
  });
});

describe('what is remembered beside the profiles', () => {
  test('is adopted again if it is lost', async () => {
    await must(home, pay('one'));
    rmSync(memory(home), { recursive: true });
    const { stderr } = await must(home, pay('two'));
    expect(stderr).not.toContain('warning');
    expect(failureOf(await fiatrail(elsewhere(home), pay('one')))).toEqual(ELSEWHERE);
  });

  test.each(['', 'x', '0a1b2c3d\n', '0a1b2c3d\nfile \n'])('stops a payment if it is damaged: %j', async (text) => {
    await must(home, pay('one'));
    writeFileSync(accountFile(home), text);
    const refused = await fiatrail(home, pay('two'));
    expect(failureOf(refused)).toEqual({ exit: 2, code: 'JOURNAL_UNKNOWN' });
    expect(withdrawalsAt(served)).toHaveLength(1);
    await must(home, accept);
    withdrawalOf(await fiatrail(home, pay('two')));
  });

  test('stops a payment if it names another journal', async () => {
    await must(home, pay('one'));
    writeFileSync(accountFile(home), '0a1b2c3d\nfile /elsewhere/journal.db\n');
    expect(failureOf(await fiatrail(home, pay('two')))).toEqual(ELSEWHERE);
    expect(withdrawalsAt(served)).toHaveLength(1);
  });

  test('is left out of a sandbox, with a notice of what a live account does, if it cannot be written', async () => {
    // Nothing can be created there, even by root.
    const env = {
      FIATRAIL_BASE_URL: served.url,
      FIATRAIL_API_KEY: served.apiKey,
      FIATRAIL_CONFIG_DIR: '/proc/fiatrail',
    };
    const { stderr } = await must(withEnv(home, env), pay('one'));
    expect(stderr).toContain('a LIVE account would stop here');
    // The folder beside the journal remembers too.
    expect(readdirSync(join(home.stateDir, 'journals'))).toHaveLength(1);
  });
});
