import { CliError } from '../base/errors.ts';
import type { Choice } from '../base/world.ts';
import type { ResponseOf } from '../contract/endpoint.ts';
import { listUsers } from '../contract/endpoints/user-list.ts';
import { plainLine } from '../present/text.ts';
import { PAGE_SIZE } from './pages.ts';
import { PREVIEW_READ } from './previews.ts';
import type { Session } from './session.ts';

type User = ResponseOf<typeof listUsers>['users'][number];

/** Users that are looked through before somebody has to say that more shall be. */
const STRETCH = 10 * PAGE_SIZE;
/** Choices that are shown at most. */
const MOST_SHOWN = 50;
/** A text without blanks that is this long is an id rather than a name or an account number. */
const SHORTEST_ID = 16;
const ID_SHOWN = 12;

/** The answer of somebody who wants more users looked through. */
const FURTHER = '';

/** Asks which user, by a part of a name, an id or an account number. Reads no more of the list than it takes. */
export async function pickUser(session: Session, question: string): Promise<string> {
  const prompter = await session.world.prompter();
  const users = openList(session);
  await users.readOn();
  if (users.seen().length === 0) {
    throw new CliError('usage', 'there is no active user yet', { hint: 'onboard one with: fiatrail users onboard' });
  }
  for (let reach = STRETCH, typed = ''; ; typed = '') {
    const message = `${question} Type part of a name, id or account number:`;
    let answer = await prompter.search(message, (text, signal) => {
      typed = text;
      return choicesOf(users, text, reach, signal);
    });
    while (answer === FURTHER) {
      reach += STRETCH;
      const choices = await choicesOf(users, typed, reach, session.world.interrupted);
      if (choices.length === 0) break;
      answer = await prompter.select(`Users like "${plainLine(typed)}":`, choices);
    }
    if (answer !== FURTHER) return answer;
    await session.say(`no user is like "${typed}" among all ${users.seen().length}`);
  }
}

/** The users like a text, as far as `reach`; how many were looked through, where that is not all; an id as it was typed. */
async function choicesOf(
  users: UserList,
  typed: string,
  reach: number,
  signal: AbortSignal,
): Promise<readonly Choice<string>[]> {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const like = () => users.seen().filter((user) => words.every((word) => textOf(user).includes(word)));
  const mostShown = (MOST_SHOWN * reach) / STRETCH;
  while (like().length < mostShown && users.seen().length < reach && !users.isWhole() && !signal.aborted)
    await users.readOn();
  const found = like();
  const isAll = users.isWhole() && found.length <= mostShown;
  const isId = found.length === 0 && /^[\x21-\x7e]+$/.test(typed) && typed.length >= SHORTEST_ID;
  return [
    ...found.slice(0, mostShown).map((user) => ({ name: nameOf(user), value: user.userId })),
    ...(isAll ? [] : [{ name: `look further: ${users.extent()}`, value: FURTHER }]),
    ...(isId ? [{ name: `the user whose id is ${typed}`, value: typed }] : []),
  ];
}

function textOf({ firstName, lastName, userId, virtualAccount }: User): string {
  return [firstName, lastName, userId, virtualAccount?.accountNumber, virtualAccount?.accountName]
    .join(' ')
    .toLowerCase();
}

/** `IFEOMA OBI · 7937102445 · 01a1ffd0cd27…` */
function nameOf({ firstName, lastName, userId, virtualAccount }: User): string {
  const id = userId.length > ID_SHOWN ? `${userId.slice(0, ID_SHOWN)}…` : userId;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return plainLine([name, virtualAccount?.accountNumber, id].filter(Boolean).join(' · '));
}

interface UserList {
  seen(): readonly User[];
  isWhole(): boolean;
  /** Reads one more page; who asks while it is on its way gets the same one. */
  readOn(): Promise<void>;
  /** `100 of 4,312 users were looked through`. */
  extent(): string;
}

/** The active users, newest first, as far as they were read. */
function openList(session: Session): UserList {
  const byId = new Map<string, User>();
  let offset = 0;
  let total: number | undefined;
  let isWhole = false;
  let reading: Promise<void> | undefined;
  const readPage = async () => {
    const request = { limit: PAGE_SIZE, offset, status: 'active' } as const;
    const { users, pagination } = (await session.call(listUsers, request, PREVIEW_READ)).data;
    for (const user of users) byId.set(user.userId, user);
    offset += users.length;
    total = pagination?.total ?? undefined;
    isWhole = users.length === 0 || (total === undefined ? users.length < PAGE_SIZE : offset >= total);
  };
  return {
    seen: () => [...byId.values()],
    isWhole: () => isWhole,
    readOn: () => {
      reading ??= readPage().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    extent: () => {
      const of = total === undefined ? '' : ` of ${total.toLocaleString('en')}`;
      return `${byId.size.toLocaleString('en')}${of} users were looked through`;
    },
  };
}
