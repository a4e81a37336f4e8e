import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '../../src/base/secret.ts';
import { SANDBOX_CLOCK } from '../../src/contract/sandbox.ts';
import { signingPairOf } from '../../src/crypto/signing.ts';
import { checkpointFile } from '../../src/engine/plans/checkpoint.ts';
import {
  type Attack,
  ada,
  ahead,
  announcedThen,
  BOX,
  box,
  claiming,
  type End,
  HONEST,
  HOUR_MS,
  KEY,
  LONG_MS,
  OTHER_LIVE_KEY,
  OWN,
  OWN_URL,
  on,
  own,
  profile,
  REMOVE,
  rotated,
  script,
  secretsOf,
  signedAndApplied,
  timeless,
  without,
} from './attacker.ts';
import { approvers, BASE_URL, contentOf, LIVE_KEY, PAYOUT, plan, rewritten } from './support.ts';

const same = (...end: End) => ({ sqlite: end, postgres: end });
const PENDING = same(9, 'CHANGE_PENDING');
const OTHER = same(9, 'OTHER_SERVICE');
const UNSIGNED = same(9, 'APPROVAL_REQUIRED');
const ABSENT = same(2, 'NOT_FOUND');
const NO_TERMINAL = same(2, 'CONFIRMATION_NEEDED');
const CLAIMED = same(9, 'AUTHOR_CHANGED');

/** What Ada tries alone. The table of docs/contributing/approvals.md has those that are documented. */
export const ATTACKS: readonly Attack[] = [
  {
    what: 'remove the second approver with a second profile, of a sandbox',
    ...ABSENT,
    isDocumented: true,
    run: async (team) => {
      await box(team);
      return script(team, on('box', REMOVE));
    },
  },
  {
    what: 'announce the removal, and make it with a sandbox whose clock was moved by 49 hours',
    ...ABSENT,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, async () => {
        await box(team);
        team.service.times[BOX] = () => ({ [SANDBOX_CLOCK]: `${team.clock.now() + LONG_MS} ${LONG_MS}` });
        return ada(team, on('box', REMOVE));
      }),
  },
  {
    what: 'announce the removal, and make it with the embedded sandbox after sandbox advance 49h',
    ...ABSENT,
    run: (team) =>
      announcedThen(team, async () => {
        await ada(team, on('sandbox', ['sandbox', 'advance', '49h']));
        return ada(team, on('sandbox', REMOVE));
      }),
  },
  {
    what: 'become the only approver of a sandbox, and pay with the live profile',
    ...UNSIGNED,
    run: async (team) => {
      await box(team);
      const { code, stderr } = await ada(team, on('box', approvers('add', 'ada', '--generate')));
      if (code !== 0) throw new Error(stderr);
      return script(team, PAYOUT);
    },
  },
  {
    what: 'allow any amount in a sandbox, and pay with the live profile',
    ...UNSIGNED,
    run: async (team) => {
      await box(team);
      const { code, stderr } = await ada(team, on('box', approvers('approval-threshold', 'off')));
      if (code !== 0) throw new Error(stderr);
      return script(team, PAYOUT);
    },
  },
  {
    what: 'change approvers without a terminal, with a profile of a sandbox',
    ...NO_TERMINAL,
    isDocumented: true,
    run: async (team) => {
      await box(team);
      return script(team, on('box', approvers('add', 'ada', '--generate')));
    },
  },
  {
    what: 'change approvers of the embedded sandbox without a terminal',
    ...NO_TERMINAL,
    run: (team) => script(team, on('sandbox', approvers('add', 'ada', '--generate'))),
  },
  {
    what: 'change the amounts of a sandbox without a terminal',
    ...NO_TERMINAL,
    run: async (team) => {
      await box(team);
      return script(team, on('box', approvers('approval-threshold', 'CNGN 1')));
    },
  },
  {
    what: 'remove the second approver from a second configuration folder',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
      return ada(team, on('main', approvers('remove', 'bayo')), {}, 'second');
    },
  },
  {
    what: 'make the removal early from a second configuration folder',
    ...PENDING,
    run: (team) =>
      announcedThen(team, async () => {
        await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
        return ada(team, on('main', REMOVE), {}, 'second');
      }),
  },
  {
    what: 'make the removal from a second configuration folder, with a server of their own under the same profile name',
    ...OTHER,
    run: (team) =>
      announcedThen(team, async () => {
        await profile(team, 'main', OWN_URL, 'live', LIVE_KEY, 'second');
        ahead(team, OWN, LONG_MS);
        return ada(team, on('main', REMOVE), {}, 'second');
      }),
  },
  {
    what: 'use the sandbox of a second configuration folder',
    ...ABSENT,
    run: async (team) => {
      await box(team, 'second');
      return ada(team, on('box', REMOVE), {}, 'second');
    },
  },
  {
    what: 'make the removal with the clock of the host 49 hours ahead',
    ...PENDING,
    isDocumented: true,
    run: (team) => announcedThen(team, () => ada(team, REMOVE, { aheadMs: LONG_MS })),
  },
  {
    what: 'announce the removal with the clock of the host 49 hours behind',
    ...PENDING,
    run: async (team) => {
      await ada(team, REMOVE, { aheadMs: -LONG_MS });
      return ada(team, REMOVE);
    },
  },
  {
    what: 'make the removal with the clock of the host a year ahead',
    ...PENDING,
    run: (team) => announcedThen(team, () => ada(team, REMOVE, { aheadMs: 365 * 24 * HOUR_MS })),
  },
  {
    what: 'announce the removal with a server of their own, registered as the live service',
    ...OTHER,
    isDocumented: true,
    run: async (team) => {
      await own(team);
      return ada(team, on('own', REMOVE));
    },
  },
  {
    what: 'announce the removal, and make it with a server of their own whose clock is 49 hours ahead',
    ...OTHER,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, async () => {
        await own(team);
        ahead(team, OWN, LONG_MS);
        return ada(team, on('own', REMOVE));
      }),
  },
  {
    what: 'pay through a server of their own with the live key',
    ...UNSIGNED,
    run: async (team) => {
      await own(team);
      return script(team, on('own', PAYOUT));
    },
  },
  {
    what: 'point the live profile to a server of their own',
    ...OTHER,
    run: (team) =>
      announcedThen(team, async () => {
        await ada(team, ['profiles', 'remove', 'main', '--yes']);
        await profile(team, 'main', OWN_URL, 'live', LIVE_KEY);
        ahead(team, OWN, LONG_MS);
        copyFileSync(team.file('kept-key'), join(secretsOf(team, 'ada'), 'main.approver-key'));
        return ada(team, on('main', REMOVE));
      }),
  },
  {
    what: 'name a server of their own in FIATRAIL_BASE_URL',
    ...same(2, 'NO_APPROVER_KEY'),
    run: (team) => {
      ahead(team, OWN, LONG_MS);
      return ada(team, REMOVE, { env: { FIATRAIL_BASE_URL: OWN_URL, FIATRAIL_API_KEY: LIVE_KEY } });
    },
  },
  {
    what: 'make the removal while the service, as far as it can be seen, is 47 hours later',
    ...PENDING,
    run: (team) =>
      announcedThen(team, () => {
        ahead(team, HONEST, 47 * HOUR_MS);
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'forge the time of the service alone, with the clock of the host as it is',
    ...PENDING,
    isDocumented: true,
    run: (team) =>
      announcedThen(team, () => {
        ahead(team, HONEST, LONG_MS);
        return ada(team, REMOVE);
      }),
  },
  {
    what: 'make the removal while the service does not say its time, and the host is 49 hours ahead',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    isDocumented: true,
    run: (team) =>
      announcedThen(team, () => {
        timeless(team);
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'announce the removal while the service does not say its time',
    sqlite: [9, 'TIME_UNKNOWN'],
    run: (team) => {
      timeless(team);
      return ada(team, REMOVE);
    },
  },
  {
    what: 'use a time from a cache',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: new Date(team.clock.now() + LONG_MS).toUTCString(), age: '60' });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'let the live service say the time of a sandbox',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: '', [SANDBOX_CLOCK]: `${team.clock.now() + LONG_MS} ${LONG_MS}` });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'use a time that is no HTTP date',
    sqlite: [9, 'TIME_UNKNOWN'],
    postgres: [9, 'CHANGE_PENDING'],
    run: (team) =>
      announcedThen(team, () => {
        timeless(team, { date: new Date(team.clock.now() + LONG_MS).toISOString() });
        return ada(team, REMOVE, { aheadMs: LONG_MS });
      }),
  },
  {
    what: 'announce one change and make another one',
    ...PENDING,
    run: (team) => announcedThen(team, () => ada(team, without('approval-threshold', 'off'))),
  },
  {
    what: 'pay with a key of the account that the journal does not know',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await rotated(team);
      return script(team, on('rotated', PAYOUT));
    },
  },
  {
    what: 'allow any amount for a key that the journal does not know',
    ...UNSIGNED,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', approvers('approval-threshold', 'off')));
    },
  },
  {
    what: 'add an approver to a key that the journal does not know',
    ...UNSIGNED,
    isDocumented: true,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', approvers('add', 'mallory', '--public-key', KEY)));
    },
  },
  {
    what: 'wait for a change of a key that the journal does not know',
    ...OTHER,
    run: async (team) => {
      await rotated(team);
      return ada(team, on('rotated', REMOVE));
    },
  },
  {
    what: 'wait for it with a server of their own',
    ...OTHER,
    run: async (team) => {
      await rotated(team, OWN_URL);
      ahead(team, OWN, LONG_MS);
      return ada(team, on('rotated', REMOVE));
    },
  },
  {
    what: 'pay with such a key in FIATRAIL_API_KEY',
    ...UNSIGNED,
    run: (team) => script(team, PAYOUT, { env: { FIATRAIL_BASE_URL: BASE_URL, FIATRAIL_API_KEY: OTHER_LIVE_KEY } }),
  },
  {
    what: 'approve a plan of their own from a second configuration with a copy of their key',
    ...same(9, 'APPROVED_BY_AUTHOR'),
    run: async (team) => {
      const path = await plan(team, 'ada');
      await profile(team, 'main', BASE_URL, 'live', LIVE_KEY, 'second');
      return ada(team, on('main', ['plans', 'approve', path]), {}, 'second');
    },
  },
  {
    what: 'approve a plan of a sandbox as one of the live account',
    ...same(2, 'OTHER_ACCOUNT'),
    run: async (team) => {
      await box(team);
      const path = team.file('box.json');
      await ada(team, on('box', [...PAYOUT, '--plan', path]));
      return ada(team, ['plans', 'approve', path]);
    },
  },
  {
    what: 'write the name of another user into a plan',
    ...CLAIMED,
    isDocumented: true,
    run: async (team) => script(team, ['plans', 'apply', await claiming(team, () => ({ user: 'cfo' }))]),
  },
  {
    what: 'have a second approver approve such a plan without looking',
    ...CLAIMED,
    run: async (team) => signedAndApplied(team, await claiming(team, () => ({ user: 'bayo' }))),
  },
  {
    what: 'write the name of another approver into a plan',
    ...CLAIMED,
    isDocumented: true,
    run: async (team) =>
      signedAndApplied(
        team,
        await claiming(team, ({ approver }) => ({ approver: approver && { ...approver, name: 'bayo' } })),
      ),
  },
  {
    what: 'write the key of the other approver into a plan',
    ...same(9, 'BAD_SIGNATURE'),
    run: async (team) => {
      const { stdout } = await ada(team, approvers('list'));
      const bayo = JSON.parse(stdout).approvers[1];
      const approver = { name: bayo.name, publicKey: bayo.publicKey };
      return script(team, ['plans', 'apply', await claiming(team, () => ({ user: 'bayo', approver }))]);
    },
  },
  {
    what: 'write a plan without an author’s key, which the other approver approved',
    ...UNSIGNED,
    run: async (team) => {
      const path = await claiming(team, () => ({ user: 'chidi', approver: null }));
      const { plan: content, hash } = contentOf(path);
      const unsigned = rewritten(team, path, () => ({ content, hash, signatures: [] }));
      return signedAndApplied(team, unsigned);
    },
  },
  {
    what: 'let the journal forget the account, with the controls of a sandbox on a server of their own',
    ...same(2, 'USAGE'),
    run: async (team) => {
      await own(team);
      return script(team, on('own', ['sandbox', 'reset']));
    },
  },
  {
    what: 'sign the checkpoint of the journal as an approver of a sandbox',
    ...same(9, 'APPROVER_UNKNOWN'),
    run: async (team) => {
      await box(team);
      const secret = join(secretsOf(team, 'ada'), 'box.approver-key');
      rmSync(secret);
      await ada(team, on('box', approvers('add', 'bayo', '--generate')));
      const head = JSON.parse((await ada(team, ['ops', 'journal', 'head'])).stdout);
      const own = { name: 'bayo', ...(await signingPairOf(new Secret(readFileSync(secret, 'utf8').trim()))) };
      const of = { sequence: BigInt(head.entry), hash: head.hash };
      const path = team.file('head.json');
      writeFileSync(path, JSON.stringify(await checkpointFile(head.journal, of, own, team.clock.now())));
      return ada(team, ['ops', 'journal', 'verify', '--checkpoint', path]);
    },
  },
  {
    what: 'apply an approved plan with a journal that other machines do not share',
    sqlite: [2, 'JOURNAL_NOT_SHARED'],
    isDocumented: true,
    run: async (team) => {
      await ada(team, ['profiles', 'journal', 'set', 'main', '--local', '--yes']);
      return signedAndApplied(team, await plan(team, 'ada'));
    },
  },
  {
    what: 'put back a copy of the journal from before the second approver',
    sqlite: [2, 'JOURNAL_CUT'],
    isAnotherJournal: true,
    isDocumented: true,
    run: async (team) => {
      rmSync(team.file('state'), { recursive: true });
      cpSync(team.file('before'), team.file('state'), { recursive: true });
      return script(team, PAYOUT);
    },
  },
  {
    what: 'delete the journal',
    sqlite: [2, 'JOURNAL_ELSEWHERE'],
    isAnotherJournal: true,
    run: async (team) => {
      rmSync(team.file('state'), { recursive: true });
      return script(team, PAYOUT);
    },
  },
  {
    what: 'choose another state folder',
    sqlite: [2, 'JOURNAL_ELSEWHERE'],
    run: (team) => script(team, PAYOUT, { env: { FIATRAIL_STATE_DIR: team.file('elsewhere') } }),
  },
];
