import { advice } from '../../../base/advice.ts';
import { CliError } from '../../../base/errors.ts';
import type { Choice } from '../../../base/world.ts';
import type { ResponseOf } from '../../../contract/endpoint.ts';
import { listUsers } from '../../../contract/endpoints/user-list.ts';
import type { Account } from '../../../engine/account.ts';
import { PAGE_SIZE } from '../../../engine/lists/pages.ts';
import { PREVIEW_READ } from '../../../engine/previews/previews.ts';
import { grouped } from '../../../money/decimal.ts';
import { visible } from '../../../present/text.ts';

type User = ResponseOf<typeof listUsers>['users'][number];

/** The number of users that are searched before the user is asked whether to continue. */
const SEARCH_STEP = 10 * PAGE_SIZE;
/** The maximum number of choices shown. */
const MAX_SHOWN = 50;
/** A text without spaces of this length is an id rather than a name or an account number. */
const SHORTEST_ID = 16;
const ID_SHOWN = 12;

/** Which users are offered. */
type UserStatus = 'active' | 'inactive' | 'all';

/** The answer that continues the search. */
const SEARCH_MORE = '';

/** Prompts for a user by part of a name, an id or an account number, and reads only as much of the list as needed. */
export async function pickUser(account: Account, question: string, status: UserStatus = 'active'): Promise<string> {
  const prompter = await account.world.prompter();
  const users = openList(account, status);
  await users.readMore();
  if (users.loaded().length === 0) {
    throw new CliError('usage', `there are no ${status === 'all' ? '' : `${status} `}users`, {
      hint: advice`onboard a user with: [fiatrail users onboard]`,
    });
  }
  for (let reach = SEARCH_STEP, typed = ''; ; typed = '') {
    const message = `${question} Type part of a name, id or account number:`;
    const left = new AbortController();
    let answer = await prompter
      .search(message, async (text, signal) => {
        typed = text;
        const choices = await choicesOf(users, text, reach, signal);
        // Most names match few users, so the next letters need these pages anyway.
        if (text !== '') void readAhead(users, reach, left.signal);
        return choices;
      })
      .finally(() => left.abort());
    while (answer === SEARCH_MORE) {
      reach += SEARCH_STEP;
      const choices = await choicesOf(users, typed, reach, account.world.interrupted);
      if (choices.length === 0) break;
      answer = await prompter.select(`Users matching "${visible(typed)}":`, choices);
    }
    if (answer !== SEARCH_MORE) return answer;
    await account.notices.say(`no match for "${visible(typed)}" among ${users.loaded().length} users`);
  }
}

/** Reads pages ahead while the user types. A page that fails is read again when it is needed. */
async function readAhead(users: UserList, reach: number, left: AbortSignal): Promise<void> {
  try {
    while (users.loaded().length < reach && !users.isWhole() && !left.aborted) await users.readMore();
  } catch {
    // The search that needs the page reports the error.
  }
}

/** Returns the users that match a text among the first `reach`, a choice to search more, and a typed id that was not found. */
async function choicesOf(
  users: UserList,
  typed: string,
  reach: number,
  signal: AbortSignal,
): Promise<readonly Choice<string>[]> {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = () => users.loaded().filter((user) => words.every((word) => textOf(user).includes(word)));
  const maxShown = (MAX_SHOWN * reach) / SEARCH_STEP;
  while (matches().length < maxShown && users.loaded().length < reach && !users.isWhole() && !signal.aborted)
    await users.readMore();
  const found = matches();
  const isAll = users.isWhole() && found.length <= maxShown;
  const isId = found.length === 0 && /^[\x21-\x7e]+$/.test(typed) && typed.length >= SHORTEST_ID;
  return [
    ...found.slice(0, maxShown).map((user) => ({ name: nameOf(user), value: user.userId })),
    ...(isAll ? [] : [{ name: `search more users (${users.extent()})`, value: SEARCH_MORE }]),
    ...(isId ? [{ name: `use the id ${typed}`, value: typed }] : []),
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
  return visible([name, virtualAccount?.accountNumber, id].filter(Boolean).join(' · '));
}

interface UserList {
  loaded(): readonly User[];
  isWhole(): boolean;
  /** Reads one more page; concurrent calls share one read. */
  readMore(): Promise<void>;
  /** `100 of 4,312 searched`. */
  extent(): string;
}

/** The users that have been read so far, newest first. */
function openList(account: Account, status: UserStatus): UserList {
  const byId = new Map<string, User>();
  let offset = 0;
  let total: number | undefined;
  let isWhole = false;
  let reading: Promise<void> | undefined;
  const readPage = async () => {
    const request = { limit: PAGE_SIZE, offset, status };
    const { users, pagination } = (await account.call(listUsers, request, PREVIEW_READ)).data;
    for (const user of users) byId.set(user.userId, user);
    offset += users.length;
    total = pagination?.total ?? undefined;
    isWhole = users.length === 0 || (total === undefined ? users.length < PAGE_SIZE : offset >= total);
  };
  return {
    loaded: () => [...byId.values()],
    isWhole: () => isWhole,
    readMore: () => {
      reading ??= readPage().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    extent: () => {
      const of = total === undefined ? '' : ` of ${grouped(total)}`;
      return `${grouped(byId.size)}${of} searched`;
    },
  };
}
