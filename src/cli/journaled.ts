import type { Profile } from '../account/profile.ts';
import { CliError, withDetails } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { type Reply, requestIdOf, unknownOutcome } from '../client/client.ts';
import { type Endpoint, effectOf } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import type { Journal } from '../journal/journal.ts';
import { DatabaseError } from '../sqlite/database.ts';

/** As much of a session as the journal needs. */
interface Journaling {
  readonly world: Pick<World, 'stderr'>;
  readonly profile: Profile;
  readonly commandLine: string;
  journal(): Promise<Journal>;
}

/** The intent is on the disk before the request leaves, and the answer before the command ends. */
export async function sendJournaled<D>(
  session: Journaling,
  endpoint: Endpoint,
  input: unknown,
  summary: string,
  call: () => Promise<Reply<D>>,
): Promise<{ readonly reply: Reply<D>; readonly operationId: string }> {
  const { profile } = session;
  const journal = await session.journal();
  const operationId = journal.prepare({
    profile: profile.name,
    mode: profile.mode,
    baseUrl: profile.baseUrl,
    endpoint: endpoint.id,
    effect: effectOf(endpoint, input),
    command: session.commandLine,
    summary,
    request: JSON.stringify(redact(endpoint.request(), input)),
  });
  journal.sent(operationId);
  try {
    const reply = await call();
    await record(session, () => journal.accepted(operationId, requestIdOf(endpoint, reply.data)));
    return { reply, operationId };
  } catch (error) {
    if (error instanceof CliError && error.category === 'unknown') {
      await record(session, () => journal.unknown(operationId, error.message));
      throw withOperation(error, operationId);
    }
    const detail = error instanceof Error ? error.message : String(error);
    if (!(error instanceof CliError || error instanceof DatabaseError)) {
      // A fault of ours with the request out: what became of it is not known.
      await record(session, () => journal.unknown(operationId, detail));
      throw withOperation(unknownOutcome('an internal error', { cause: error }), operationId);
    }
    // Certain to have changed nothing: a refusal, nothing sent, or a sandbox that could not commit.
    await record(session, () => journal.refused(operationId, detail));
    throw error instanceof CliError ? withOperation(error, operationId) : error;
  }
}

/** The outcome is known by now: a journal that cannot take it is worth a warning, not another outcome. */
async function record({ world }: Journaling, write: () => void): Promise<void> {
  try {
    write();
  } catch {
    await world.stderr
      .write('warning: the journal could not be written, so fiatrail ops shows this operation as sent\n')
      .catch(() => {});
  }
}

function withOperation(error: CliError, operationId: string): CliError {
  const hint =
    error.category === 'unknown' ? `${error.hint}; fiatrail ops show ${operationId} has what was sent` : error.hint;
  return withDetails(error, { hint, operationId });
}
