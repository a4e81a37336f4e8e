/** The scripts. Each runs `fiatrail completion complete -- <words>`, which main handles before loading anything else. */
export const SCRIPTS = {
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
