import { StepBack } from '../../base/errors.ts';
import type { Asking, Find, Prompter, World } from '../../base/world.ts';
import type { Notices } from '../../engine/notices.ts';
import type { Session } from '../session.ts';

/** What a question came to: its result, and the answer that repeats it. A choice is repeated by its name. */
interface Came<K, R> {
  readonly answer: K;
  readonly result: R;
}

/** One question of a conversation. */
interface Question<K, R> {
  readonly text: string;
  /** Asks it; `earlier` is its answer before the person went back. */
  put(earlier: K | undefined, asking: Asking): Promise<Came<K, R>>;
  /** Returns the result of an earlier answer without asking; undefined if that is not possible any more. */
  repeat(earlier: K): Promise<Came<K, R> | undefined>;
}

/**
 * Runs `ask`, which asks questions that follow each other, and lets a person go back: it then runs again, and gets the answers before
 * the previous question without asking. The earlier answer is the default of a question that is asked again. `ask` may read, and
 * must not change anything. `isSeveral` says that there is more than one question, so that the first one says how to go back.
 */
export async function inConversation<T>(
  session: Session,
  isSeveral: boolean,
  ask: (session: Session) => Promise<T>,
): Promise<T> {
  const { world, note, say } = session;
  const answers = answersSoFar(session, isSeveral);
  const prompter = async () => repeatingPrompter(await world.prompter(), answers.next, world.interrupted);
  const inner: Session = {
    ...session,
    world: Object.create(world, { prompter: { value: prompter, enumerable: true } }),
    say: async (text) => (answers.areRepeated() ? undefined : say(text)),
    note: async (text) => (answers.areRepeated() ? undefined : note(text)),
  };
  for (;;) {
    try {
      const result = await ask(inner);
      answers.end();
      return result;
    } catch (error) {
      if (!(error instanceof StepBack)) throw error;
      answers.goBack();
    }
  }
}

type Next = <K, R>(question: Question<K, R>) => Promise<R>;

/** The answers of a conversation, in memory only: some are secrets. */
function answersSoFar({ world, note }: Pick<Notices, 'world' | 'note'>, isSeveral: boolean) {
  const given: { readonly text: string; readonly answer: unknown }[] = [];
  let asked = 0;
  /** How many answers are repeated before the next question is asked. */
  let repeated = 0;
  let isOver = false;
  let isExplained = !isSeveral;
  const next: Next = async <K, R>({ text, put, repeat }: Question<K, R>) => {
    if (isOver) return (await put(undefined, {})).result;
    const at = asked;
    const earlier = given[at]?.text === text ? (given[at].answer as K) : undefined;
    const found = at < repeated && earlier !== undefined ? await repeat(earlier) : undefined;
    if (!found) {
      repeated = 0;
      if (!isExplained) await note(howToGoBack(world));
      isExplained = true;
    }
    const { answer, result } = found ?? (await put(earlier, { hasBack: at > 0 }));
    given[at] = { text, answer };
    asked = at + 1;
    return result;
  };
  return {
    next,
    areRepeated: () => !isOver && asked < repeated,
    /** Starts again, and stops before the question that was answered last. */
    goBack: () => {
      repeated = asked - 1;
      asked = 0;
    },
    end: () => {
      isOver = true;
    },
  };
}

const howToGoBack = ({ env }: World) =>
  `${env['TERM'] === 'dumb' ? 'Esc or Ctrl-B, then Enter,' : 'Esc or Ctrl-B'} goes back one question`;

/** A prompter whose questions are those of a conversation. */
function repeatingPrompter(real: Prompter, next: Next, interrupted: AbortSignal): Prompter {
  /** A question whose result is what was answered. */
  const plain = <R>(text: string, put: (earlier: R | undefined, asking: Asking) => Promise<R>) => {
    const came = (result: R) => ({ answer: result, result });
    return next<R, R>({
      text,
      put: async (earlier, asking) => came(await put(earlier, asking)),
      repeat: async (earlier) => came(earlier),
    });
  };
  return {
    confirm: (text) => plain(text, (_earlier, asking) => real.confirm(text, asking)),
    text: (text, check, own) =>
      plain<string>(text, (earlier, asking) => real.text(text, check, { ...asking, preset: earlier || own?.preset })),
    secret: (text, check) =>
      plain<string>(text, async (earlier, asking) => {
        if (earlier === undefined) return real.secret(text, check, asking);
        const checkNew = (typed: string) => typed === '' || check(typed);
        return (await real.secret(`${text} (Enter keeps it)`, checkNew, asking)) || earlier;
      }),
    select: (text, choices, own) =>
      next({
        text,
        put: async (earlier, asking) => {
          const preset = choices.find(({ name }) => name === earlier)?.value ?? own?.preset;
          const result = await real.select(text, choices, { ...asking, preset });
          return { answer: choices.find(({ value }) => value === result)?.name, result };
        },
        repeat: async (earlier) => {
          const found = choices.find(({ name }) => name === earlier);
          return found && { answer: earlier, result: found.value };
        },
      }),
    search: <T>(text: string, find: Find<T>) =>
      next<{ readonly typed: string; readonly value: T }, T>({
        text,
        put: async (earlier, asking) => {
          let typed = '';
          const findTyped: Find<T> = (now, signal) => {
            typed = now;
            return find(now, signal);
          };
          const value = await real.search(text, findTyped, {
            ...asking,
            preset: earlier?.value,
            typed: earlier?.typed,
          });
          return { answer: { typed, value }, result: value };
        },
        repeat: async (earlier) => {
          // The caller may remember what was typed.
          await find(earlier.typed, interrupted);
          return { answer: earlier, result: earlier.value };
        },
      }),
  };
}
