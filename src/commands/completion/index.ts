import { type Command, command } from '../../cli/command.ts';
import { endDryRun } from '../../cli/dry-run.ts';
import { argument, oneOf, optionalArgument } from '../../cli/parameters.ts';
import { install, shellIn, uninstall } from './place.ts';

/** The scripts. Each runs `fiatrail completion complete -- <words>`, which main handles before loading anything else. */
const SCRIPTS = {
  bash: `# fiatrail completion for bash. Add this line to ~/.bashrc:  source <(fiatrail completion bash)
_fiatrail() {
  local answer line
  COMPREPLY=()
  answer=$(command fiatrail completion complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
  if [[ $answer == ':files' ]]; then
    compopt -o default 2>/dev/null
    return 0
  fi
  while IFS= read -r line; do
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<< "$answer"
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
  (( \${#described} )) && _describe -V 'fiatrail' described
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

const completionCommand = command({
  words: ['completion'],
  summary: 'Print, install or remove a shell completion script',
  details:
    'Completes commands, flags, values and ids. Ids come from the journal and the embedded sandbox; nothing is sent to the service. "install" writes the script to the folder in which the shell looks for it; otherwise, the first line of the script says how to use it.',
  examples: [
    'fiatrail completion install zsh',
    'source <(fiatrail completion bash)',
    'fiatrail completion fish | source',
  ],
  endpoints: [],
  isLocal: true,
  parameters: {
    shell: argument(
      'shell',
      'bash, zsh or fish, to print the script; or install or uninstall',
      oneOf('bash', 'zsh', 'fish', 'install', 'uninstall'),
      'Shell:',
    ),
    of: optionalArgument(
      'of',
      'with install and uninstall: the shell (default: that of SHELL)',
      oneOf('bash', 'zsh', 'fish'),
    ),
  },
  run: async (session, { shell, of }) => {
    const { world } = session;
    if (shell === 'install' || shell === 'uninstall') endDryRun(session, { shell: shellIn(world, of) });
    if (shell === 'install') {
      const own = shellIn(world, of);
      return { result: { data: install(world, own, SCRIPTS[own]) } };
    }
    if (shell === 'uninstall') return { result: { data: uninstall(world, shellIn(world, of)) } };
    return { result: { data: SCRIPTS[shell], always: 'text' } };
  },
});

export const commands: readonly Command[] = [completionCommand];
