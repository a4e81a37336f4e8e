import { inboxPath, passwordFilePath, stateDir } from '../../account/paths.ts';
import { type Profile, storedProfileNamed } from '../../account/profile.ts';
import { encryptionKeysOf } from '../../account/profile-secrets.ts';
import { readProfile } from '../../account/stored-profile.ts';
import { Secret } from '../../base/secret.ts';
import type { HttpRequest, HttpResponse, World } from '../../base/world.ts';
import { entryAt } from '../../files/inspect.ts';
import { openWith } from '../../webhooks/body.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import type { InboxLocation } from '../../webhooks/inbox/open.ts';
import { createInboxWriter } from '../../webhooks/listen/inbox-writer.ts';
import { createReceiver, refusalOf } from '../../webhooks/listen/receiver.ts';

/** Names the PostgreSQL database of every profile's inbox. */
const INBOX_VARIABLE = 'FIATRAIL_INBOX_URL';

type InboxOwner =
  | Pick<Profile, 'name' | 'mode' | 'baseUrl'>
  | { readonly name: string; readonly mode: 'embedded'; readonly baseUrl?: undefined };

/** Returns where the inbox of a profile is. The embedded sandbox is on this machine alone, and so are its events. */
export function inboxLocationOf(world: World, { name, mode, baseUrl = '' }: InboxOwner): InboxLocation {
  const path = inboxPath(world, { name, mode });
  const variable = world.env[INBOX_VARIABLE] || undefined;
  const url = variable ?? readProfile(world, name)?.inboxUrl;
  if (mode === 'embedded' || url === undefined) return { path, server: undefined };
  const from = variable ? INBOX_VARIABLE : `the inbox of profile ${name}`;
  const files = { passwordFile: passwordFilePath(world), dir: stateDir(world) };
  return { path, server: { url, from, account: baseUrl, ...files } };
}

/** Opens the inbox of a profile. Rejects with DatabaseError, and CliError usage. */
export async function openProfileInbox(world: World, profile: InboxOwner): Promise<Inbox> {
  world.ensurePrivateDir(stateDir(world));
  const { openInboxAt } = await import('../../webhooks/inbox/open.ts');
  return openInboxAt(inboxLocationOf(world, profile), world);
}

/** Opens the inbox of a profile, if it has one. Rejects with DatabaseError, and CliError usage. */
export async function existingProfileInbox(world: World, profile: InboxOwner): Promise<Inbox | undefined> {
  const { server, path } = inboxLocationOf(world, profile);
  return server || entryAt(path) ? openProfileInbox(world, profile) : undefined;
}

/** Opens the inbox of a profile to read it. Without a file it is empty, and none is created: the disk may not be writable. Rejects with DatabaseError. */
export async function readProfileInbox(world: World, profile: InboxOwner): Promise<Inbox> {
  const existing = await existingProfileInbox(world, profile);
  if (existing) return existing;
  const { openInbox } = await import('../../webhooks/inbox/inbox.ts');
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
      return stored ? encryptionKeysOf(stored, world) : [];
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
    await inbox.close();
  }
}

/** A target as it is shown: the user name, the password and the query of a URL may be secrets. */
export function shownTarget(target: string): string {
  if (!URL.canParse(target) || target.startsWith('exec:')) return target;
  const { protocol, host, pathname, username, search } = new URL(target);
  return `${protocol}//${username ? '***@' : ''}${host}${pathname}${search ? '?***' : ''}`;
}
