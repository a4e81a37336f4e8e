import type { Profile } from '../account/profile.ts';
import { CliError, withDetails } from '../base/errors.ts';
import type { World } from '../base/world.ts';
import { type Reply, requestIdOf, unknownOutcome } from '../client/client.ts';
import { type Endpoint, effectOf } from '../contract/endpoint.ts';
import { redact } from '../contract/redact.ts';
import type { Journal } from '../journal/journal.ts';
import { DatabaseError } from '../sqlite/errors.ts';

/** The parts of a session that journaled sending needs. */
interface JournalSession {
  readonly world: Pick<World, 'stderr'>;
  readonly profile: Profile;
  readonly commandLine: string;
  journal(): Promise<Journal>;
}

/** Sends a request that the journal records on disk: the intent before it is sent, the outcome before the command ends. */
export async function sendJournaled<D>(
  session: JournalSession,
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
      // An internal error after the request was sent: its outcome is unknown.
      await record(session, () => journal.unknown(operationId, detail));
      throw withOperation(unknownOutcome('internal error', { cause: error }), operationId);
    }
    // Nothing was changed: the request was refused or not sent, or the sandbox could not commit.
    await record(session, () => journal.refused(operationId, detail));
    throw error instanceof CliError ? withOperation(error, operationId) : error;
  }
}

/** Records the outcome. A failure is only a warning, because it does not change the outcome. */
async function record({ world }: JournalSession, write: () => void): Promise<void> {
  try {
    write();
  } catch {
    await world.stderr
      .write('warning: cannot write to the journal; fiatrail ops will show this operation as sent\n')
      .catch(() => {});
  }
}

function withOperation(error: CliError, operationId: string): CliError {
  const hint =
    error.category === 'unknown' ? `${error.hint}; see the request with: fiatrail ops show ${operationId}` : error.hint;
  return withDetails(error, { hint, operationId });
}
