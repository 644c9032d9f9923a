import type { CommandShape, OptionShape } from './describe-commands.ts'

/** Completion for zsh, to be sourced or to be put into a folder of $fpath as _warren. */
export function renderZsh(shapes: readonly CommandShape[]): string {
  return `#compdef warren
# zsh completion for warren. To use it: source <(warren completion zsh)
_warren() {
  local place='' previous=\${words[CURRENT-1]} index
  local -a entries options
  for (( index = 2; index < CURRENT; index++ )); do
    case "$place/\${words[index]}" in
      ${renderSteps(shapes)}) place="\${place:+$place }\${words[index]}" ;;
    esac
  done
  case "$place:$previous" in
${shapes.flatMap(renderValues).join('\n')}
  esac
  case "$place" in
${shapes.map(renderEntries).join('\n')}
  esac
  (( \${#entries} )) && _describe 'command' entries
  _describe -o 'option' options
}
if [[ "\${funcstack[1]}" == _warren ]]; then
  _warren "$@"
else
  compdef _warren warren
fi
`
}

function renderSteps(shapes: readonly CommandShape[]): string {
  const steps = shapes.filter(({ path }) => path.length > 0)
  return steps.map(({ path }) => quote(`${path.slice(0, -1).join(' ')}/${path.at(-1)}`)).join('|')
}

function renderValues({ path, options }: CommandShape): readonly string[] {
  return options.flatMap(({ flags, value }) => {
    if (value.kind === 'none') return []
    const pattern = flags.map((flag) => quote(`${path.join(' ')}:${flag}`)).join('|')
    return [`    ${pattern}) ${renderOffer(value)}return ;;`]
  })
}

function renderOffer(value: OptionShape['value']): string {
  if (value.kind === 'file') return '_files; '
  return value.kind === 'choice' ? `compadd -- ${value.choices.map(quote).join(' ')}; ` : ''
}

function renderEntries({ path, words, options }: CommandShape): string {
  const entries = words.map(({ word, summary }) => describe(word, summary))
  const flags = options.flatMap((option) => option.flags.map((flag) => describe(flag, option.summary)))
  return `    ${quote(path.join(' '))})
      entries=(${entries.join(' ')})
      options=(${[...flags, describe('--help', 'display help for command')].join(' ')})
      ;;`
}

/** `_describe` takes what stands before the first colon as the word. */
function describe(word: string, summary: string): string {
  return quote(summary === '' ? word : `${word}:${summary.replaceAll(':', '\\:')}`)
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
