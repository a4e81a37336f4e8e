import { THINGS } from '../../things/index.ts';

/** How the id of a kind of thing is typed. */
interface TypedId {
  readonly name: string;
  /** The words that stand for its id in the help: `bank-account` and `bank-account-id`. */
  readonly placeholders: readonly string[];
  /** The name of the list that has it by that id. */
  readonly list?: string;
  /** The first word of the command that shows it. */
  readonly group?: string;
  /** Whether what starts it returns its id. */
  readonly isStarted: boolean;
}

const kebab = (name: string) => name.replace(/ /g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Every kind of thing. In the bundle this is data (scripts/build.ts), because a shell that completes an id waits for no record. */
export const typedIds: readonly TypedId[] = THINGS.map(({ name, read, list, shows, starts }) => {
  const id = read?.id ?? list?.id ?? '';
  const isListed = list && (read === undefined || read.id === list.id);
  const word = kebab(name);
  const named = id === 'requestId' ? [] : [word, `${word}-id`];
  return {
    name,
    placeholders: [...new Set([...named, ...(id.endsWith('Id') ? [kebab(id)] : [])])],
    isStarted: starts.length > 0,
    ...(isListed ? { list: list.name } : {}),
    ...(shows === undefined ? {} : { group: shows.split(' ')[0] ?? '' }),
  };
});
