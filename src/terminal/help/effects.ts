import type { Effect, Endpoint } from '../../contract/endpoint.ts';
import type { Command } from '../command.ts';

/** What commands do that their endpoints do not say: they work on this machine, or call whatever they are given. */
const EFFECTS: Readonly<Record<Exclude<Effect, 'read'>, readonly string[]>> = {
  money: ['api', 'bulk create', 'bulk resume', 'ops retry', 'plans apply'],
  destructive: ['bulk cancel', 'profiles remove', 'sync forget', 'webhooks inbox prune'],
  write: [
    'agent remove',
    'agent setup',
    'bulk pause',
    'completion install',
    'completion uninstall',
    'keys platform accept',
    'ops journal import',
    'ops resolve',
    'plans approve',
    'plans reject',
    'plans withdraw',
    'profiles add',
    'profiles approvers cancel',
    'profiles copy set',
    'profiles import',
    'profiles inbox set',
    'profiles journal set',
    'profiles plans set',
    'profiles rules set',
    'profiles trust',
    'profiles use',
    'report export',
    'webhooks inbox redrive',
    'webhooks inbox replay',
    'webhooks listen',
    'webhooks trigger',
  ],
};

/** The actions of an endpoint that has several, by the verbs of the commands that call it; `read` for any other. */
const ACTIONS: Readonly<Record<string, string>> = { init: 'add', add: 'add', remove: 'remove', replace: 'remove' };

const BY_STRENGTH: readonly Effect[] = ['money', 'destructive', 'write', 'read'];

/**
 * Returns the strongest effect that a command can have: on the account, or on what this machine keeps for it. Its own notes do not
 * count, such as the copy of the account's lists or how an operation ended.
 */
export async function effectOf({ words, endpoints, parameters }: Command): Promise<Effect> {
  const name = words.join(' ');
  const called = endpoints.length === 0 ? [] : await endpointsNamed(endpoints);
  const effects = called.map(({ effect, effects: byAction }) => {
    const action = byAction && (ACTIONS[words.at(-1) ?? ''] ?? '');
    return action === undefined ? effect : (byAction?.of[action] ?? 'read');
  });
  const own = BY_STRENGTH.filter((each) => each !== 'read' && EFFECTS[each].includes(name));
  // What can be planned changes something, if only the journal.
  const all: readonly Effect[] = [...effects, ...own, 'plan' in parameters ? 'write' : 'read'];
  return BY_STRENGTH.find((each) => all.includes(each)) ?? 'read';
}

async function endpointsNamed(ids: readonly string[]): Promise<readonly Endpoint[]> {
  const { directory } = await import('../../contract/directory.ts');
  const { createLoader } = await import('../../contract/load.ts');
  const load = createLoader();
  return Promise.all(directory.filter(({ id }) => ids.includes(id)).map(load));
}
