import { type Command, command } from '../../cli/command.ts';
import { argument, oneOf } from '../../cli/parameters.ts';

/** The scripts. Each asks `fiatrail completion complete -- <words>`, which main answers before anything else is loaded. */
const SCRIPTS = {
  bash: `# fiatrail in bash: put this line in ~/.bashrc:  source <(fiatrail completion bash)
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
# fiatrail in zsh: put this line in ~/.zshrc, after compinit:  source <(fiatrail completion zsh)
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
  fish: `# fiatrail in fish: put this line in ~/.config/fish/config.fish:  fiatrail completion fish | source
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
  summary: 'Print a script that completes commands, flags, values and ids on Tab',
  details: 'Ids come from the journal and the embedded sandbox; nothing is sent. The script itself says where it goes.',
  examples: ['source <(fiatrail completion bash)', 'fiatrail completion fish | source'],
  endpoints: [],
  isLocal: true,
  parameters: { shell: argument('shell', 'bash, zsh or fish', oneOf('bash', 'zsh', 'fish'), 'Shell:') },
  run: async (_session, { shell }) => ({ result: { data: SCRIPTS[shell], always: 'text' } }),
});

export const commands: readonly Command[] = [completionCommand];
