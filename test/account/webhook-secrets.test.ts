import { expect, test } from 'vitest';
import { storedProfileNamed } from '../../src/account/profile.ts';
import { storeWebhookSecret, webhookSecretsOf } from '../../src/account/profile-secrets.ts';
import { Secret } from '../../src/base/secret.ts';
import { fakeWorld } from '../support/world.ts';

const DAY_MS = 24 * 60 * 60_000;

function secrets() {
  const world = fakeWorld();
  const profile = storedProfileNamed('sandbox', world);
  if (!profile) throw new Error('the embedded sandbox has a profile');
  return {
    world,
    store: (text: string) => storeWebhookSecret(world, profile, new Secret(text)),
    kept: async () => (await webhookSecretsOf(profile, world)).map((secret) => secret.reveal()),
  };
}

test('a secret that was replaced counts for another day', async () => {
  const { world, store, kept } = secrets();
  await store('first');
  await store('second');
  expect(await kept()).toEqual(['second', 'first']);
  await world.clock.sleep(DAY_MS, new AbortController().signal);
  expect(await kept()).toEqual(['second']);
});

test.each([
  ['nothing', [], 'rejected', []],
  ['another secret', ['first'], 'rejected', ['first']],
  ['the same secret', ['rejected'], 'rejected', ['rejected']],
  ['a secret that it had replaced', ['rejected', 'second'], 'rejected', ['second', 'rejected']],
])('what is undone leaves what was there before: %s', async (_what, before, refused, expected) => {
  const { store, kept } = secrets();
  for (const text of before) await store(text);
  const takeBack = await store(refused);
  expect((await kept())[0]).toBe(refused);
  await takeBack();
  expect(await kept()).toEqual(expected);
});

test('what another command stored meanwhile stays the current secret', async () => {
  const { store, kept } = secrets();
  await store('first');
  const takeBack = await store('rejected');
  await store('of another');
  await takeBack();
  expect(await kept()).toEqual(['of another', 'rejected', 'first']);
});
