import { type Profile, resolveProfile } from '../../account/profile.ts';
import { CATEGORIES, CliError } from '../../base/errors.ts';
import { ipAllowlist } from '../../contract/endpoints/allowlist.ts';
import { getPlatformPublicKey } from '../../contract/endpoints/management.ts';
import { command } from '../../terminal/command.ts';
import type { Session } from '../../terminal/session.ts';
import { accountChecks } from './account.ts';
import type { Check, Subject } from './check.ts';
import { journalChecks } from './journal.ts';
import { machineChecks } from './machine.ts';
import { networkChecks } from './network.ts';
import { profileChecks } from './profile.ts';

const COLUMNS = [
  { field: 'check', title: 'Check' },
  { field: 'state', title: 'State' },
  { field: 'detail', title: 'Detail' },
  { field: 'fix', title: 'Fix' },
] as const;

/** Runs every check; later checks depend on earlier ones. */
async function allChecks(session: Session): Promise<Check[]> {
  let profile: Profile | undefined;
  let failure: unknown;
  try {
    profile = resolveProfile(session.globals.profile, session.world);
  } catch (error) {
    failure = error;
  }
  const subject: Subject = { session, profile };
  const [ofMachine, ofProfile] = [await machineChecks(subject), await profileChecks(subject, failure)];
  const isKeyThere = ofProfile.every(({ check, state }) => check !== 'key' || state !== 'problem');
  const ofNetwork = await networkChecks(subject);
  // After a failed handshake, nobody knows who would receive the key.
  const isUntrusted = ofNetwork.some(({ check, state }) => check === 'tls' && state === 'problem');
  const ofAccount = await accountChecks(subject, isUntrusted ? 'tls' : isKeyThere ? undefined : 'key');
  const isAccepted = ofAccount.some(({ check, state }) => check === 'key accepted' && state === 'ok');
  return [...ofMachine, ...ofProfile, ...ofNetwork, ...ofAccount, ...(await journalChecks(subject, isAccepted))];
}

/** The error to exit with: of several problems, the one with the highest exit code. */
function errorOf(checks: readonly Check[]): CliError | undefined {
  const problems = checks.filter(({ state }) => state === 'problem');
  const [worst] = problems
    .map(({ category = 'usage' }) => category)
    .sort((one, other) => CATEGORIES[other].exit - CATEGORIES[one].exit);
  if (!worst) return undefined;
  const names = problems.map(({ check }) => check).join(', ');
  return new CliError(worst, `${problems.length === 1 ? '1 problem' : `${problems.length} problems`}: ${names}`, {
    code: 'PROBLEMS_FOUND',
    hint: problems[0]?.fix ?? undefined,
  });
}

const doctorCommand = command({
  words: ['doctor'],
  summary: 'Diagnose problems and show the command that fixes each',
  details:
    'Checks this machine, the profile, its key, the network and the account. Sends only reads. Exits with 0 if nothing is worse than a warning, otherwise with the highest exit code among the problems: 2 for this machine and its settings, 4 for the key and the allowlist, 5 for the network, 8 for an unfinished key rotation, 9 for a public key of the service that was not accepted.',
  examples: ['fiatrail doctor', `fiatrail doctor --profile main -o json --query "checks[?state == 'problem'].fix"`],
  endpoints: [getPlatformPublicKey.id, ipAllowlist.id],
  prints: {
    form: {
      checks: [
        'list of',
        {
          check: 'text',
          state: ['one of', 'ok', 'warning', 'problem', 'skipped'],
          detail: 'text',
          fix: ['null or', 'text'],
        },
      ],
    },
  },
  isLocal: true,
  findsProfile: true,
  parameters: {},
  run: async (session) => {
    const checks = await allChecks(session);
    // Interrupted checks would look like problems.
    if (session.world.interrupted.aborted) throw new CliError('interrupted', 'interrupted');
    const error = errorOf(checks);
    const data = { checks: checks.map(({ check, state, detail, fix }) => ({ check, state, detail, fix })) };
    return { result: { data, lists: 'checks', columns: COLUMNS }, ...(error ? { error } : {}) };
  },
});

export const commands = [doctorCommand];
