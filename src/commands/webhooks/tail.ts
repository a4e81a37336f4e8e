import { CliError } from '../../base/errors.ts';
import type { Learner } from '../../engine/operations/event-recorder.ts';
import type { Session } from '../../terminal/session.ts';
import type { Inbox } from '../../webhooks/inbox/inbox.ts';
import type { KeptEvent } from '../../webhooks/inbox/kept.ts';
import { passingProblemOf } from '../../webhooks/inbox/passing.ts';
import type { Screen } from './screen.ts';

/** How often new events are printed. */
const LOOK_MS = 200;
const AT_ONCE = 500;
/** How often the listener shows that it is alive. */
const TOUCH_EVERY = 50;

interface Following {
  readonly screen: Screen;
  readonly learner: Learner;
}

/** Shows the events that arrive, and tells the journal of them, until `stopping` aborts. Throws CliError if another process takes the inbox. */
export async function follow(
  session: Session,
  inbox: Inbox,
  { screen, learner }: Following,
  stopping: AbortSignal,
): Promise<void> {
  const { clock } = session.world;
  // What arrived while nothing listened.
  const known = inbox.list({ limit: AT_ONCE });
  await hear(learner, screen, known);
  let last = known[0]?.id ?? 0n;
  for (let round = 1; !stopping.aborted; round += 1) {
    const fresh = inbox.list({ limit: AT_ONCE, after: last });
    last = fresh.at(-1)?.id ?? last;
    await screen.arrived(fresh);
    await hear(learner, screen, fresh);
    await screen.refresh();
    if (round % TOUCH_EVERY === 0 && !isOurs(inbox, screen)) throw takenOver();
    if (fresh.length < AT_ONCE) await clock.sleep(LOOK_MS, stopping).catch(() => {});
  }
}

/** Shows that the listener is alive. While the inbox cannot be written, nobody else can take it either. */
function isOurs(inbox: Inbox, screen: Screen): boolean {
  try {
    return inbox.touch();
  } catch (error) {
    screen.unwritable(passingProblemOf(error));
    return true;
  }
}

async function hear(learner: Learner, screen: Screen, events: readonly KeptEvent[]): Promise<void> {
  try {
    await learner.hear(events);
  } catch (error) {
    screen.say(`warning: the journal cannot learn from events: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const takenOver = () =>
  new CliError('declined', 'another listener has taken this inbox, because this one was silent for too long', {
    code: 'INBOX_IN_USE',
    hint: 'nothing that was acknowledged is lost; look at it with: fiatrail webhooks inbox list',
  });
