import { expect, test } from 'vitest';
import { storedOrBuiltIn } from '../../src/account/profile.ts';
import { storeWebhookSecret, webhookSecretsOf } from '../../src/account/profile-secrets.ts';
import { Secret } from '../../src/base/secret.ts';
import { fingerprint } from '../../src/crypto/digest.ts';
import { openProfileInbox } from '../../src/engine/connection/inbox.ts';
import { main } from '../../src/main.ts';
import { listenUntil } from '../support/listen.ts';
import { fakeWorld } from '../support/world.ts';

const SANDBOX = { name: 'sandbox', mode: 'embedded' } as const;
const URL = 'https://inbox.fiatrail.invalid/';
const STORED = storedOrBuiltIn({ ...SANDBOX, stored: undefined } as never);

/** A world with a listener that knows one secret, whose answers to a rotation are told by `look`. */
async function rotating(canLearn: boolean, look: (learn: () => Promise<void>, looks: number) => void | Promise<void>) {
  const world = fakeWorld();
  const inbox = await openProfileInbox(world, SANDBOX);
  await inbox.claim('port 4777');
  await inbox.reportSecrets({ fingerprints: ['an-old-secret'], canLearn });
  const learn = async () => inbox.reportSecrets({ fingerprints: [(await inbox.wantedSecret()) ?? ''], canLearn });
  let looks = 0;
  const clock = {
    ...world.clock,
    sleep: async (durationMs: number, signal: AbortSignal) => {
      await world.clock.sleep(durationMs, signal);
      looks += 1;
      await look(learn, looks);
    },
  };
  const rotate = () => main(['webhooks', 'set', URL, '--new-secret', '--yes', '-o', 'json', '-q'], { ...world, clock });
  const isSet = async () => {
    const before = world.stdout.text().length;
    await main(['webhooks', 'show', '-o', 'json', '-q'], world);
    return (JSON.parse(world.stdout.text().slice(before)) as { hasSecret: boolean }).hasSecret;
  };
  return { world, inbox, rotate, isSet, looks: () => looks };
}

test('a rotation waits until the listener knows the secret, and sets it then', async () => {
  const before: boolean[] = [];
  const own: Awaited<ReturnType<typeof rotating>> = await rotating(true, async (learn, looks) => {
    before.push(await own.isSet());
    if (looks === 3) await learn();
  });
  expect(await own.rotate()).toBe(0);
  expect([before, await own.isSet()]).toEqual([[false, false, false], true]);
  expect(own.world.stderr.text()).toBe('');
  await own.inbox.close();
});

test.each([
  [false, 0, 'cannot learn the new secret, because its own is not in the profile’s store'],
  [true, 75, 'has not learned the new secret within 15 seconds'],
])('a listener that does not learn it is named: %s', async (canLearn, looks, warning) => {
  const own = await rotating(canLearn, () => {});
  expect(await own.rotate()).toBe(0);
  expect(own.world.stderr.text()).toContain(warning);
  expect([own.looks(), await own.isSet()]).toEqual([looks, true]);
  await own.inbox.close();
});

test('an interrupted rotation leaves the secret that was set before', async () => {
  const stop = new AbortController();
  const own = await rotating(true, () => {
    stop.abort();
    throw stop.signal.reason;
  });
  if (!STORED) throw new Error('the sandbox has a profile');
  await storeWebhookSecret(own.world, STORED, new Secret('the-first-secret'));
  await own.rotate();
  expect((await webhookSecretsOf(STORED, own.world)).map((each) => each.reveal())).toEqual(['the-first-secret']);
  await own.inbox.close();
});

test('a listener learns the secret that a rotation wants it to know', async () => {
  const world = fakeWorld();
  expect(await main(['webhooks', 'set', URL, '--new-secret', '--yes', '-q'], world)).toBe(0);
  const inbox = await openProfileInbox(world, SANDBOX);
  const next = new Secret('the-next-secret');
  const known: number[] = [];
  let stored: Promise<unknown> | undefined;
  const isEnough = async () => {
    const { fingerprints = [] } = (await inbox.listeners())[0]?.secrets ?? {};
    if (fingerprints.length > 0 && STORED)
      stored ??= storeWebhookSecret(world, STORED, next).then(() => inbox.wantSecret(fingerprint(next)));
    known.push(fingerprints.length);
    return fingerprints.includes(fingerprint(next));
  };
  expect(await listenUntil(world, isEnough, '--port', '0')).toBe(0);
  await stored;
  expect([known.includes(1), known.includes(2)]).toEqual([true, true]);
  await inbox.close();
});
