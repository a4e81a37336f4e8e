import { inboxPath, stateDir } from '../account/paths.ts';
import { type Profile, storedProfileNamed } from '../account/profile.ts';
import { sealingKeysOf } from '../account/profile-secrets.ts';
import { Secret } from '../base/secret.ts';
import type { HttpRequest, HttpResponse, World } from '../base/world.ts';
import { entryAt } from '../files/inspect.ts';
import { openWith } from '../webhooks/body.ts';
import type { Inbox } from '../webhooks/inbox/inbox.ts';
import { createInboxWriter } from '../webhooks/listen/inbox-writer.ts';
import { createReceiver, refusalOf } from '../webhooks/listen/receiver.ts';

/** Opens the inbox of a profile. Throws DatabaseError. */
export async function openProfileInbox(world: World, profile: Pick<Profile, 'name' | 'mode'>): Promise<Inbox> {
  world.ensurePrivateDir(stateDir(world));
  const { openInbox } = await import('../webhooks/inbox/inbox.ts');
  return openInbox(inboxPath(world, profile), world);
}

/** Opens the inbox of a profile, if it has one. Throws DatabaseError. */
export async function existingProfileInbox(
  world: World,
  profile: Pick<Profile, 'name' | 'mode'>,
): Promise<Inbox | undefined> {
  return entryAt(inboxPath(world, profile)) ? openProfileInbox(world, profile) : undefined;
}

/** Opens the inbox of a profile to read it. Without a file it is empty, and none is created: the disk may not be writable. Throws DatabaseError. */
export async function readProfileInbox(world: World, profile: Pick<Profile, 'name' | 'mode'>): Promise<Inbox> {
  const existing = await existingProfileInbox(world, profile);
  if (existing) return existing;
  const { openInbox } = await import('../webhooks/inbox/inbox.ts');
  return openInbox(':memory:', world);
}

const EMBEDDED = { name: 'sandbox', mode: 'embedded' } as const;

/** Receives an event of the embedded sandbox, as a listener would: verified, and on disk before it is answered. */
export async function receiveFromSandbox(world: World, secret: string, request: HttpRequest): Promise<HttpResponse> {
  const answer = (status: number, body: string): HttpResponse => ({ status, headers: {}, body });
  // The sandbox looks whether anything answers here when the URL is set.
  if (request.method !== 'POST') return answer(200, 'the inbox');
  const inbox = await openProfileInbox(world, EMBEDDED);
  try {
    const open = openWith(async () => {
      const stored = storedProfileNamed(EMBEDDED.name, world);
      return stored ? sealingKeysOf(stored, world) : [];
    });
    const receiver = createReceiver(createInboxWriter(inbox, open), {
      account: { secrets: async () => [new Secret(secret)] },
      clock: world.clock,
      gather: queueMicrotask,
    });
    await receiver.receive({ headers: request.headers, body: Buffer.from(request.body ?? '') });
    return answer(200, 'received');
  } catch (error) {
    const { status, message } = refusalOf(error);
    return answer(status, message);
  } finally {
    inbox.close();
  }
}

/** A target as it is shown: the user name, the password and the query of a URL may be secrets. */
export function shownTarget(target: string): string {
  if (!URL.canParse(target) || target.startsWith('exec:')) return target;
  const { protocol, host, pathname, username, search } = new URL(target);
  return `${protocol}//${username ? '***@' : ''}${host}${pathname}${search ? '?***' : ''}`;
}
