import * as z from 'zod/mini';
import { completionFile } from '../../account/paths.ts';
import { advice } from '../../base/advice.ts';
import { CliError } from '../../base/errors.ts';
import type { World } from '../../base/world.ts';
import { endDryRun } from '../../engine/requests.ts';
import { entryAt } from '../../files/inspect.ts';
import { changeText, readText, removeText, writeText } from '../../files/plain-file.ts';
import { type Command, command } from '../../terminal/command.ts';
import { oneOf, optionalArgument } from '../../terminal/parse/parameters.ts';

/** The scripts. Each runs `fiatrail completion complete -- <words>`, which main handles before loading anything else. */
const SCRIPTS = {
  bash: `# fiatrail completion for bash. Add this line to ~/.bashrc:  source <(fiatrail completion bash)
_fiatrail() {
  local answer line about
  COMPREPLY=()
  answer=$(command fiatrail completion complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  if [[ $answer == ':files' ]]; then
    compopt -o default 2>/dev/null
    return 0
  fi
  while IFS= read -r line; do
    [[ -n $line ]] || continue
    about=
    # 63: bash only lists the candidates, so descriptions can be added.
    [[ \${COMP_TYPE-} == 63 && $answer == *$'\\n'* && $line == *$'\\t'* ]] && about="  (\${line#*$'\\t'})"
    COMPREPLY+=("\${line%%$'\\t'*}$about")
  done <<< "$answer"
  # Several names lead to several ids: keeps what was typed, which bash would replace by what the ids have in common.
  line=\${COMP_WORDS[COMP_CWORD]}
  if [[ \${COMP_TYPE-} != 63 && \${#COMPREPLY[@]} -gt 1 && \${COMPREPLY[0]} != "$line"* && $line != '=' ]]; then
    COMPREPLY+=("$line")
  fi
  return 0
}
complete -F _fiatrail fiatrail
`,
  zsh: `#compdef fiatrail
# fiatrail completion for zsh. Add this line to ~/.zshrc, after compinit:  source <(fiatrail completion zsh)
_fiatrail() {
  local answer line
  local -a described
  answer=$(command fiatrail completion complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null) || return 1
  if [[ $answer == ':files' ]]; then
    _files
    return
  fi
  for line in "\${(@f)answer}"; do
    [[ -n $line ]] || continue
    if [[ $line == *$'\\t'* ]]; then
      described+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else
      described+=("\${line//:/\\\\:}")
    fi
  done
  (( \${#described} )) || return 1
  if [[ \${described[1]} == "$PREFIX"* ]]; then
    _describe -V 'fiatrail' described
    return
  fi
  # A name leads to ids that do not begin with it; several are listed first, and the next Tab chooses.
  _describe -V 'fiatrail' described -U
  if (( \${#described} == 1 )) || [[ \${compstate[old_list]} == shown ]]; then
    compstate[insert]=menu
  else
    compstate[insert]=
    compstate[list]='list force'
  fi
}
if [[ \${funcstack[1]} == _fiatrail ]]; then
  _fiatrail "$@"
else
  compdef _fiatrail fiatrail
fi
`,
  fish: `# fiatrail completion for fish. Add this line to ~/.config/fish/config.fish:  fiatrail completion fish | source
function __fiatrail_complete
    set -l words (commandline -opc)
    set -l answer (command fiatrail completion complete -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test "$answer" = ':files'
        __fish_complete_path (commandline -ct)
    else if test (count $answer) -gt 0
        printf '%s\\n' $answer
    end
end
complete -c fiatrail -e
complete -c fiatrail -f -k -a '(__fiatrail_complete)'
`,
} as const;

/** The shells that have a script. */
type Shell = 'bash' | 'zsh' | 'fish';

/** How each script begins; a file without it is not ours to replace or remove. */
const MARK = '# fiatrail completion for ';

/** What still has to be done by hand. */
const NEXT: Readonly<Record<Shell, (file: string) => string>> = {
  bash: () => 'open a new shell',
  zsh: (file) =>
    `add to ~/.zshrc before compinit: fpath=(${file.replace(/[/\\][^/\\]*$/, '')} $fpath); then open a new shell`,
  fish: () => 'open a new shell',
};

/** Returns the shell that was named, or the one of SHELL. Throws CliError usage. */
function shellIn({ env }: Pick<World, 'env'>, named: Shell | undefined): Shell {
  const own = env['SHELL']?.split('/').at(-1);
  const found = named ?? (['bash', 'zsh', 'fish'] as const).find((shell) => shell === own);
  if (found) return found;
  throw new CliError('usage', 'SHELL does not name bash, zsh or fish', {
    hint: advice`name the shell: [fiatrail completion install bash]`,
  });
}

/** The file at the place of the script, which must be ours. Throws CliError usage. */
function requireOurs(file: string): boolean {
  const entry = entryAt(file);
  if (!entry) return false;
  if (entry.kind === 'file' && readText(file)?.includes(MARK)) return true;
  throw new CliError('usage', `${file} was not written by fiatrail; it was left unchanged`, {
    code: 'IN_THE_WAY',
    hint: 'move it away, then run the command again',
  });
}

/** Ends the line in ~/.bashrc: only the package bash-completion, which many systems lack, reads the folder of the scripts. */
const LINE_MARK = ' # fiatrail completion';

/** Adds the line that loads the script to ~/.bashrc, or removes it. Throws CliError usage. */
function setLoaded(world: World, file: string, isLoaded: boolean): void {
  const quoted = `'${file.replaceAll("'", "'\\''")}'`;
  const line = Buffer.from(`[ -r ${quoted} ] && . ${quoted}${LINE_MARK}\n`).toString('latin1');
  const change = (text: string) => {
    const others = text
      .split(/(?<=\n)/)
      .filter((each) => !each.trimEnd().endsWith(LINE_MARK))
      .join('');
    return isLoaded ? `${others}${others === '' || others.endsWith('\n') ? '' : '\n'}${line}` : others;
  };
  changeText(`${world.homeDir}/.bashrc`, change, world.ids.uuid());
}

/** Writes the script of a shell to where the shell finds it. Throws CliError usage. */
function install(world: World, shell: Shell, script: string) {
  const file = completionFile(world, shell);
  requireOurs(file);
  writeText(file, script, world.ids.uuid());
  if (shell === 'bash') setLoaded(world, file, true);
  return { shell, file, installed: true, next: NEXT[shell](file) };
}

/** Removes the script of a shell. Throws CliError usage, and declined if there is none. */
function uninstall(world: World, shell: Shell) {
  const file = completionFile(world, shell);
  if (!requireOurs(file))
    throw new CliError('declined', `there is no completion for ${shell} at ${file}`, {
      hint: 'nothing needs to be removed',
    });
  removeText(file);
  if (shell === 'bash') setLoaded(world, file, false);
  return { shell, file, installed: false, next: null };
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** How to load the script of each shell without installing it. */
const SOURCED = {
  bash: 'source <(fiatrail completion bash)',
  zsh: 'source <(fiatrail completion zsh)',
  fish: 'fiatrail completion fish | source',
} as const;

const scriptCommands = SHELLS.map(
  (shell): Command => ({
    words: ['completion', shell],
    summary: `Print the completion script for ${shell}`,
    details:
      'The first line of the script says how to load it. To set up completion for every new shell, use: fiatrail completion install',
    examples: [SOURCED[shell], `fiatrail completion ${shell} > fiatrail.${shell}`],
    endpoints: [],
    isLocal: true,
    parameters: {},
    run: async () => ({ result: { data: SCRIPTS[shell], always: 'text' } }),
  }),
);

const ofShell = optionalArgument('shell', 'bash, zsh or fish (default: the shell in SHELL)', oneOf(...SHELLS));

const placedSchema = () =>
  z.object({
    shell: z.enum(['bash', 'zsh', 'fish']),
    file: z.string(),
    installed: z.boolean(),
    next: z.nullable(z.string()),
  });

const installCommand = command({
  words: ['completion', 'install'],
  summary: 'Install completion for a shell',
  details:
    'Writes the completion script to the folder where the shell looks for it and, for bash, a line that loads it to ~/.bashrc. Completes commands, flags, values, ids and banks. The name of a person, a bank account or a wallet completes to its id; if several match, they are listed. Ids come from the journal and from the embedded sandbox or, for an account over the network, from its copy (fiatrail sync). Nothing is sent to the service.',
  examples: ['fiatrail completion install zsh', 'fiatrail completion install fish -o json'],
  endpoints: [],
  isLocal: true,
  prints: placedSchema,
  parameters: { shell: ofShell },
  run: async (account, _terminal, { shell: named }) => {
    const shell = shellIn(account.world, named);
    endDryRun(account, { shell });
    return { result: { data: install(account.world, shell, SCRIPTS[shell]) } };
  },
});

const uninstallCommand = command({
  words: ['completion', 'uninstall'],
  summary: 'Remove completion for a shell',
  examples: ['fiatrail completion uninstall zsh', 'fiatrail completion uninstall fish -o json'],
  endpoints: [],
  isLocal: true,
  prints: placedSchema,
  parameters: { shell: ofShell },
  run: async (account, _terminal, { shell: named }) => {
    const shell = shellIn(account.world, named);
    endDryRun(account, { shell });
    return { result: { data: uninstall(account.world, shell) } };
  },
});

export const commands: readonly Command[] = [...scriptCommands, installCommand, uninstallCommand];
