import type { ListedOperator, OperatorList } from './operator-list.ts';
import type { Author } from './plan.ts';

const isSameUser = (one: Author, other: Author): boolean => one.user === other.user && one.host === other.host;

/** Whether an operator’s key was added by a person: with their key, or by their user on their machine. */
const wasAddedBy = ({ addedBy, publicKey }: ListedOperator, person: Author): boolean =>
  publicKey !== person.operator?.publicKey &&
  ((addedBy.operator !== null && addedBy.operator.publicKey === person.operator?.publicKey) ||
    isSameUser(addedBy, person));

/**
 * Returns why a signature is not that of a second person; undefined if it may be. Whoever adds a key may have made it, and can then
 * sign with it. In a list that several hosts share, that is so in both directions, and for two keys that one person added. A list of
 * one machine was written there alone: it says whom its owner trusts, so that the owner may sign what somebody in it wrote.
 */
export function dependence(
  { operators }: OperatorList,
  author: Author,
  signer: ListedOperator,
  isShared: boolean,
): string | undefined {
  if (wasAddedBy(signer, author)) return `the author of the plan added the key of operator ${signer.name}`;
  const listed = operators.find(({ publicKey }) => publicKey === author.operator?.publicKey);
  if (!isShared || !listed) return undefined;
  const { name, publicKey } = signer;
  if (listed.addedBy.operator?.publicKey === publicKey) return `operator ${name} added the key of the plan’s author`;
  if (isSameUser(listed.addedBy, signer.addedBy))
    return `one person added the keys of the author and of operator ${name}`;
  return undefined;
}
