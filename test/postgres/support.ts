import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Host, Ids } from '../../src/base/world.ts';
import type { Intent } from '../../src/journal/intent.ts';
import type { Journal } from '../../src/journal/interface.ts';
import { openJournalAt } from '../../src/journal/open.ts';
import { temporaryFolder } from '../support/built.ts';
import { oneProcess } from '../support/journal-intent.ts';
import { countingIds, type FakeClock, fakeClock } from '../support/sandbox.ts';

export interface HostOptions {
  readonly name?: string;
  readonly clock?: FakeClock;
  readonly host?: Host;
  readonly ids?: Ids;
  /** The state folder: a host is a folder. */
  readonly dir?: string;
  readonly warn?: (text: string) => Promise<void>;
}

let hosts = 0;

/** A new folder for the state of a host. */
export const stateFolder = () => temporaryFolder(onTestFinished);

/** A machine where every process of this host that sent something has ended. */
const idle = (name: string): Host => ({ ...oneProcess(100, name), isRunning: () => false });

function worldOf({ name = 'host-1', clock = fakeClock(), host = idle(name), ids }: HostOptions) {
  hosts += 1;
  return { clock, ids: ids ?? countingIds(1_000 + hosts), host };
}

/** Opens the journal of a database as a host does, until the test has finished. */
export async function openHost(url: string, options: HostOptions = {}): Promise<Journal> {
  const dir = options.dir ?? stateFolder();
  const password = async () => undefined;
  const server = { url, from: 'the test', passwordFile: join(dir, 'pgpass'), password };
  const journal = await openJournalAt({ path: join(dir, 'journal.db'), dir, server }, worldOf(options), {
    warn: options.warn,
  });
  onTestFinished(() => journal.close());
  return journal;
}

/** Says in words what a claim decided. */
export async function claimed(journal: Journal, intent: Intent, busyForMs?: number): Promise<string> {
  const claim = await journal.claim(intent, busyForMs);
  return 'operation' in claim ? `${claim.kind} ${claim.operation.state}` : claim.kind;
}

/** Returns the lines of an export. */
export async function exportedFrom(journal: Journal, withDigestKey = true): Promise<Record<string, unknown>[]> {
  const lines: Record<string, unknown>[] = [];
  for await (const page of journal.exported(withDigestKey)) lines.push(...(page as Record<string, unknown>[]));
  return lines;
}
