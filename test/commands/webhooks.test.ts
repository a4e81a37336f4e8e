import { beforeEach, describe, expect, test } from 'vitest';
import { storedProfileNamed } from '../../src/account/profile.ts';
import { webhookSecretsOf } from '../../src/account/profile-secrets.ts';
import { shownTarget } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { type FakeWorld, fakeWorld } from '../support/world.ts';
import { EXAMPLE } from '../webhooks/vectors.ts';

let world: FakeWorld;
beforeEach(() => {
  world = fakeWorld();
});

const run = (argv: readonly string[], given = world) => main([...argv, '-q'], given);

async function json<T = Record<string, unknown>>(argv: readonly string[], given = world): Promise<T> {
  const before = given.stdout.text().length;
  await run([...argv, '-o', 'json'], given);
  return JSON.parse(given.stdout.text().slice(before)) as T;
}

const INBOX = 'https://inbox.fiatrail.invalid/';
const toInbox = () => run(['webhooks', 'set', INBOX, '--yes']);
const onboard = (bvn: string) => run(['users', 'onboard', bvn, '--wait', '1m']);
const inbox = async () =>
  (await json<{ events: { event: string; userId: string }[] }>(['webhooks', 'inbox', 'list', '--all'])).events;

describe('the embedded sandbox', () => {
  test('hands its events to the inbox', async () => {
    expect(await toInbox()).toBe(0);
    await onboard('22222222222');
    await run(['sandbox', 'settle']);
    expect((await inbox()).map(({ event }) => event)).toEqual(['user.onboarded', 'virtual.account.created']);
    const sent = await json<{ events: { state: string; attempts: number }[] }>(['sandbox', 'events', 'list']);
    expect(sent.events).toMatchObject([
      { state: 'delivered', attempts: 1 },
      { state: 'delivered', attempts: 1 },
    ]);
  });

  test('has its encrypted events opened with the key of the profile', async () => {
    expect(await run(['keys', 'encryption', 'enable', '--yes'])).toBe(0);
    await toInbox();
    await onboard('22222222222');
    await run(['sandbox', 'settle']);
    expect((await inbox()).map(({ event }) => event)).toEqual(['user.onboarded', 'virtual.account.created']);
  });

  test('has its events counted by name, all or those of a filter', async () => {
    await toInbox();
    for (const bvn of ['22222222222', '12345678901']) await onboard(bvn);
    await run(['sandbox', 'settle']);
    const userId = (await inbox())[0]?.userId ?? '';
    const counted = async (...filter: string[]) =>
      (await json<{ counts: object[] }>(['webhooks', 'inbox', 'list', '--count', ...filter])).counts;
    const both = (count: number) => [
      { event: 'user.onboarded', kind: 'event', count },
      { event: 'virtual.account.created', kind: 'event', count },
    ];
    expect(await counted()).toEqual(both(2));
    expect(await counted('--user', userId)).toEqual(both(1));
    expect(await counted('--event', 'user.onboarded')).toEqual(both(2).slice(0, 1));
    expect(await counted('--until', '2026-01-01')).toEqual([]);
  });

  test.each([['--limit', '5'], ['--after', '5'], ['--all']])(
    'cannot have its events counted with %s',
    async (...option) => {
      expect(await run(['webhooks', 'inbox', 'list', '--count', ...option])).toBe(2);
      expect(world.stderr.text()).toContain('--count cannot be combined with --limit, --after or --all');
    },
  );

  test('has no gaps until a delivery is lost, which is then named', async () => {
    await toInbox();
    await onboard('22222222222');
    await run(['sandbox', 'settle']);
    expect(await run(['webhooks', 'inbox', 'gaps'])).toBe(0);
    await run(['sandbox', 'fault', 'add', '--on', 'user.onboarded', '--fault', 'lost-webhook']);
    await onboard('12345678901');
    await run(['sandbox', 'settle']);
    expect(await run(['webhooks', 'inbox', 'gaps'])).toBe(0);
    await run(['sandbox', 'advance', '5m']);
    const { missing } = await json<{ missing: { event: string; kind: string; id: string }[] }>([
      'webhooks',
      'inbox',
      'gaps',
    ]);
    const { users } = await json<{ users: { userId: string }[] }>(['users', 'list']);
    const reported = new Set(
      (await inbox()).filter(({ event }) => event === 'user.onboarded').map(({ userId }) => userId),
    );
    const unreported = users.map(({ userId }) => userId).filter((userId) => !reported.has(userId));
    expect(missing).toMatchObject([{ event: 'user.onboarded', kind: 'user', id: unreported[0] }]);
    expect(await run(['webhooks', 'inbox', 'gaps'])).toBe(3);
  });
});

describe('set', () => {
  test('asks before it replaces a webhook, and keeps the secret of the profile', async () => {
    expect(await run(['webhooks', 'set', INBOX, '--new-secret'])).toBe(0);
    expect(await run(['webhooks', 'set', INBOX])).toBe(2);
    expect(world.stderr.text()).toContain('cannot ask for confirmation without a terminal: replace the webhook');
    expect(await run(['webhooks', 'set', INBOX, '--yes'])).toBe(0);
    expect(await json(['webhooks', 'show'])).toMatchObject({ hasSecret: true, enabled: true, events: ['all'] });
  });

  const TYPED = 'a-secret-typed-by-hand';
  test.each([
    ['type one', [{ kind: 'secret', asks: 'Secret:', says: TYPED }], true, false],
    ['make a new one', [], true, true],
    ['none', [], false, false],
  ] as const)('asks a person for the secret: %s', async (says, more, isSet, isShown) => {
    const asked = { kind: 'select', asks: 'Signing secret', says } as const;
    const own = fakeWorld({ isTerminal: true, answers: [asked, ...more] });
    const printed = await json(['webhooks', 'set', INBOX], own);
    expect({ isSet: printed['hasSecret'], isShown: printed['secret'] !== undefined }).toEqual({ isSet, isShown });
    expect(own.stdout.text() + own.stderr.text()).not.toContain(TYPED);
    expect(await json(['webhooks', 'show'], own)).toMatchObject({ hasSecret: isSet });
  });

  test('reads the secret that a command prints, and never shows it', async () => {
    const runProgram = async () => ({ kind: 'ended', code: 0, stdout: `${TYPED}\n` }) as const;
    const own = fakeWorld({ runProgram });
    const printed = await json(['webhooks', 'set', INBOX, '--secret-command', 'vault read x'], own);
    expect(printed).toMatchObject({ hasSecret: true, secretFingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) });
    expect(own.stdout.text() + own.stderr.text()).not.toContain(TYPED);
  });

  test('stores nothing if the command fails', async () => {
    const own = fakeWorld({ runProgram: async () => ({ kind: 'ended', code: 1, stdout: TYPED }) });
    expect(await run(['webhooks', 'set', INBOX, '--secret-command', 'vault read x'], own)).toBe(2);
    expect(own.stderr.text()).toContain('the secret command failed with exit code 1');
    expect(own.stderr.text()).not.toContain(TYPED);
    expect(await json(['webhooks', 'show'], own)).toMatchObject({ hasSecret: false });
  });

  test('prints a new secret once, in a table too', async () => {
    expect(await run(['webhooks', 'set', INBOX, '--new-secret', '-o', 'table'])).toBe(0);
    expect(world.stdout.text()).toMatch(/^Secret\s+[0-9a-f]{64}$/m);
    expect(world.stdout.text()).toMatch(/^Secret fingerprint +\S/m);
  });

  test.each(['hooks.example.com', 'ftp://hooks.example.com/', 'https://'])('refuses the URL %s', async (url) => {
    expect(await run(['webhooks', 'set', url, '--yes'])).toBe(2);
    expect(world.stderr.text()).toContain('expected a public HTTPS URL');
  });

  test('reads the secret from standard input, stores it, and prints only its fingerprint', async () => {
    const secret = 'a-secret-nobody-may-see';
    const own = fakeWorld({ stdin: `${secret}\n` });
    const printed = await json(['webhooks', 'set', INBOX, '--secret-stdin'], own);
    expect(printed['secretFingerprint']).toMatch(/^[0-9a-f]{12}$/);
    expect(own.stdout.text() + own.stderr.text()).not.toContain(secret);
  });

  const profileSecrets = async (own: FakeWorld) => {
    const profile = storedProfileNamed('sandbox', own);
    return profile ? (await webhookSecretsOf(profile, own)).map((secret) => secret.reveal()) : [];
  };

  const setWith = (own: FakeWorld, secret: string, url: string) =>
    run(['webhooks', 'set', url, '--yes'], { ...own, env: { ...own.env, FIATRAIL_WEBHOOK_SECRET: secret } });

  test('a rejection leaves the secret that was set before', async () => {
    const own = fakeWorld({ network: async () => ({ status: 404, headers: {}, body: '' }) });
    expect(await setWith(own, 'the-first-secret', INBOX)).toBe(0);
    expect(await setWith(own, 'a-second-secret', 'https://10.0.0.1/')).toBe(3);
    expect(await profileSecrets(own)).toEqual(['the-first-secret']);
  });

  test('a secret that others can guess is taken, with a warning', async () => {
    const own = fakeWorld();
    expect(await setWith(own, 'short', INBOX)).toBe(0);
    expect(own.stderr.text()).toContain('warning: the secret has fewer than 8 characters');
    expect(await profileSecrets(own)).toEqual(['short']);
    const longer = fakeWorld();
    expect(await setWith(longer, 'eight888', INBOX)).toBe(0);
    expect(longer.stderr.text()).not.toContain('warning: the secret');
  });

  test('an unknown outcome keeps both secrets', async () => {
    expect(await setWith(world, 'the-first-secret', INBOX)).toBe(0);
    await run(['sandbox', 'fault', 'add', '--on', 'management.set-webhook', '--fault', 'lost-response']);
    expect(await setWith(world, 'a-second-secret', INBOX)).toBe(6);
    expect(await profileSecrets(world)).toEqual(['a-second-secret', 'the-first-secret']);
  });

  test('refuses a URL with a password before it shows the URL', async () => {
    const secret = 'a-password-nobody-may-see';
    expect(await run(['webhooks', 'set', `https://user:${secret}@hooks.example.com/`, '--yes'])).toBe(2);
    expect(world.stderr.text()).toContain('user name or a password');
    expect(world.stdout.text() + world.stderr.text()).not.toContain(secret);
  });

  test.each([
    [['--events', 'user.onboard'], 'unknown event user.onboard'],
    [['--secret-stdin', '--new-secret'], 'cannot be combined'],
  ])('%j is rejected', async (more, message) => {
    expect(await run(['webhooks', 'set', INBOX, ...more])).toBe(2);
    expect(world.stderr.text()).toContain(message);
  });

  test('is disabled and enabled again', async () => {
    await toInbox();
    expect(await json(['webhooks', 'disable', '--yes'])).toMatchObject({ enabled: false });
    await onboard('22222222222');
    expect(await inbox()).toEqual([]);
    expect(await json(['webhooks', 'enable'])).toMatchObject({ enabled: true });
  });
});

describe('verify', () => {
  const signed = (signature: string, ...more: string[]) => {
    const env = { FIATRAIL_WEBHOOK_SECRET: EXAMPLE.secret };
    const own = fakeWorld({ stdin: EXAMPLE.body, env });
    const argv = ['webhooks', 'verify', '--signature', signature, '--timestamp', EXAMPLE.timestamp, ...more];
    return { own, argv };
  };

  test('accepts the worked example of the contract at any age', async () => {
    const { own, argv } = signed(EXAMPLE.signature, '--any-age');
    expect(await json(argv, own)).toMatchObject({ verified: true, event: 'user.onboarded' });
  });

  test.each([
    [EXAMPLE.signature.replace('b', 'c'), '--any-age', 'WRONG_SIGNATURE'],
    [EXAMPLE.signature.toUpperCase(), '--any-age', 'INVALID_SIGNATURE'],
    [EXAMPLE.signature, '--tolerance=1s', 'FROM_THE_FUTURE'],
  ])('refuses %s with %s: %s', async (signature, more, code) => {
    const { own, argv } = signed(signature, more);
    if (code === 'FROM_THE_FUTURE') Object.assign(own.clock, { now: () => Date.parse(EXAMPLE.timestamp) - 3_600_000 });
    expect(await main([...argv, '-o', 'json'], own)).toBe(3);
    expect(JSON.parse(own.stderr.text().split('\n').at(-2) ?? '').error.code).toBe(code);
  });

  test('needs a secret', async () => {
    const own = fakeWorld({ stdin: EXAMPLE.body });
    expect(await run(['webhooks', 'verify', '--signature', 'x', '--timestamp', 'y'], own)).toBe(2);
    expect(own.stderr.text()).toContain('there is no webhook secret');
  });
});

test('trigger is rejected for a live profile', async () => {
  const env = { FIATRAIL_BASE_URL: 'https://service.test/v1', FIATRAIL_API_KEY: 'a-live-key-nobody-may-see' };
  const own = fakeWorld({ env });
  expect(await run(['webhooks', 'trigger', 'user.onboarded', '--target', 'http://127.0.0.1:9/'], own)).toBe(9);
});

test.each([
  ['http://127.0.0.1:3000/in', 'http://127.0.0.1:3000/in'],
  [`https://${['ada', 'word'].join(':')}@hooks.example.com/in?token=word#x`, 'https://***@hooks.example.com/in?***'],
  ['exec:./on-event.sh --for me', 'exec:./on-event.sh --for me'],
])('the target %s is shown as %s', (target, shown) => {
  expect(shownTarget(target)).toBe(shown);
});
