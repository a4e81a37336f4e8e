import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CATALOGUE } from '../../src/commands/catalogue.ts';
import { printedSchema } from '../../src/commands/schema.ts';
import { fiatrail, newHome, ROOT, requireBuilt } from '../support/built.ts';
import { documents, keeping, watched } from './documents.ts';
import { commandsIn, type Run, replay, runHere, SECRETS } from './session.ts';

// Each session is replayed once, for what it prints and for what it would print with -o json; only what prints a table that leaves something out runs again, in a copy.
vi.mock('../../src/present/present.ts', async (load) => {
  const real = await load<typeof import('../../src/present/present.ts')>();
  // Called late: this module is being loaded while `keeping` is.
  const present: typeof real.present = (...given) => keeping(real.present)(...given);
  return { ...real, present };
});

/**
 * Complete sessions, in this process; `npm run soak` replays them with the built program. UPDATE_TRANSCRIPTS=1 rewrites them with it.
 */
const FOLDER = join(ROOT, 'test', 'transcripts');
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.txt'));
const isUpdate = process.env['UPDATE_TRANSCRIPTS'] === '1';
const arePrograms = isUpdate || process.env['FIATRAIL_SOAK_PROGRAMS'] === '1';

/** Runs a command in this process with JSON as the default format. */
const inJson: Run = (home, argv, options = {}) =>
  runHere(home, argv, { ...options, env: { FIATRAIL_OUTPUT: 'json', ...options.env } });

beforeAll(requireBuilt);

test('there are transcripts', () => {
  expect(names.length).toBeGreaterThan(10);
});

test.for(names)('%s contains no secret', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  expect(SECRETS.filter((secret) => secret.test(text))).toEqual([]);
});

for (const name of names) {
  const path = join(FOLDER, name);
  const written = readFileSync(path, 'utf8');
  // Generous: five transcripts share the machine with the rest of the suite.
  const timeout = 60_000 + commandsIn(written) * 10_000;
  // Commands in this process share its current folder.
  test(name, { timeout, concurrent: arePrograms }, async ({ expect: expects, onTestFinished: atEnd }) => {
    const { run, differences } = arePrograms ? watched(fiatrail) : watched(runHere, inJson);
    const played = await replay(written, newHome(atEnd), run);
    if (isUpdate) writeFileSync(path, played);
    else expects(played).toBe(written);
    expects(differences).toEqual([]);
  });
}

/** Commands that no transcript runs to the end. */
const OTHERS = `
$ fiatrail webhooks set https://inbox.fiatrail.invalid/ --yes
@U = fiatrail users onboard --bvn-stdin -o json < BVN | requestId
$ fiatrail sandbox settle
$ fiatrail users onboarding status $U
$ fiatrail whoami
$ fiatrail version
$ fiatrail explain
$ fiatrail doctor
$ fiatrail schema
$ fiatrail schema users list
$ fiatrail openapi
$ fiatrail profiles journal show
$ fiatrail profiles use sandbox --here
$ fiatrail profiles trust --here
$ fiatrail profiles export
$ write profiles.json '{"version": 1, "profiles": [{"name": "box", "mode": "sandbox", "baseUrl": "https://box.example/v1", "store": {"kind": "file"}}]}'
$ fiatrail profiles import profiles.json
$ fiatrail onramp list
$ fiatrail offramp list
$ fiatrail payout list
$ fiatrail transfers list
$ fiatrail fx book-token
$ fiatrail fx auto-signing stats
$ fiatrail ops journal verify
$ fiatrail ops reconcile
$ fiatrail ops journal backup journal-copy.db
$ fiatrail sandbox events list
@E = fiatrail sandbox events list -o json | events.0.eventId
$ fiatrail sandbox events show $E
$ fiatrail sandbox events resend $E
$ fiatrail keys encryption enable --yes
$ fiatrail keys encryption rotate --yes
@I = fiatrail users list -o json | users.0.userId
$ fiatrail users activate $I --yes
$ fiatrail wallets auto-signing show
@O = fiatrail fx orders create --pair CNGN-USDC --side buy --price 1390 --min 1000 --max 5000 --yes -q -o json | orderId
$ fiatrail fx orders pause $O --yes
$ fiatrail fx orders resume $O --yes
$ fiatrail sandbox snapshot before.db
$ fiatrail sandbox restore before.db --yes
$ fiatrail webhooks inbox export
$ write body.json '{"event": "user.onboarded", "eventId": "1", "version": "1.0.0", "data": {"userId": "u"}}'
$ fiatrail webhooks open --body body.json
$ fiatrail completion install zsh
$ fiatrail completion uninstall zsh
$ fiatrail sync
$ fiatrail sync status
$ fiatrail sync backup copy.db
$ fiatrail report
$ fiatrail report fees
$ fiatrail report users
$ fiatrail report pending
$ fiatrail report balance
$ fiatrail report owed
$ fiatrail sync forget --yes
$ fiatrail profiles inbox show
$ fiatrail profiles copy show
$ fiatrail inspect --save-to session.json
$ fiatrail sandbox simulate --days 2 --users 5
`;

/** Commands that need another host, somebody else’s signature, a server, a captured delivery or an unknown outcome. */
const UNSEEN = [
  'transfers status',
  'profiles journal set',
  'profiles copy set',
  'profiles inbox set',
  'profiles plans show',
  'profiles plans set',
  'profiles approvers remove',
  'profiles approvers cancel',
  'keys sandbox add',
  'webhooks inbox replay',
  'webhooks verify',
  'ops resolve',
  'ops journal head',
  'ops journal import',
  'plans list',
  'plans show',
  'plans approve',
  'plans reject',
  'plans withdraw',
  'agent setup',
  'agent show',
  'agent remove',
];

/** The commands whose documents have a schema. */
const described = async () =>
  (await Promise.all(CATALOGUE.map((group) => group.load()))).flat().filter(({ prints }) => prints);

// Programs keep their documents to themselves.
describe.skipIf(arePrograms)('the documents of all sessions', () => {
  test('have the forms of their schemas, also those that no transcript shows', async () => {
    const { run, differences } = watched(inJson);
    const played = await replay(OTHERS.trim().replace(/^\$ .*$/gm, '$&\n[exit ?]'), newHome(onTestFinished), run);
    expect(differences).toEqual([]);
    expect(played.match(/^\[exit [^0].*$/gm)).toBe(null);
  });

  test('are those of every command that has a schema, but for a few', async () => {
    const unseen = (await described()).filter(({ words }) => !documents.has(words.join(' ')));
    expect(unseen.map(({ words }) => words.join(' '))).toEqual(UNSEEN);
  });

  test('lack each field that may be missing somewhere', async () => {
    const always = (await described()).flatMap(({ words, prints }) => {
      const shown = documents.get(words.join(' ')) ?? [];
      if (typeof prints !== 'function' || shown.length === 0) return [];
      const { properties = {}, required = [] } = printedSchema(prints) as { properties?: object; required?: string[] };
      return Object.keys(properties)
        .filter((name) => !required.includes(name) && shown.every((document) => Object.hasOwn(document, name)))
        .map((name) => `${words.join(' ')}: ${name}`);
    });
    expect(always).toEqual([]);
  });
});
