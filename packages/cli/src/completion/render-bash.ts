import type { CommandShape } from './describe-commands.ts'

/** Completion for bash 3.2 and later. The words are written out, so that a tab starts no process. */
export function renderBash(shapes: readonly CommandShape[]): string {
  return `# bash completion for warren. To use it: source <(warren completion bash)
_warren() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} place='' words='' index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$place/\${COMP_WORDS[index]}" in
      ${renderSteps(shapes)}) place="\${place:+$place }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$place:$previous" in
${renderValues(shapes)}
  esac
  case "$place" in
${shapes.map(renderWords).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _warren warren
`
}

/** `'/dlq'|'dlq/list'`: the word that leads from one place to the next. */
function renderSteps(shapes: readonly CommandShape[]): string {
  const steps = shapes.filter(({ path }) => path.length > 0)
  return steps.map(({ path }) => `'${path.slice(0, -1).join(' ')}/${path.at(-1)}'`).join(' | ')
}

/** After an option that takes a value there are its choices, or what bash offers by itself. */
function renderValues(shapes: readonly CommandShape[]): string {
  const lines = shapes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => {
      if (value.kind === 'none') return []
      const pattern = flags.map((flag) => `'${path.join(' ')}:${flag}'`).join(' | ')
      if (value.kind !== 'choice') return [`    ${pattern}) return ;;`]
      const words = `$(compgen -W '${value.choices.join(' ')}' -- "$current")`
      return [`    ${pattern})`, `      COMPREPLY=(${words})`, '      return', '      ;;']
    }),
  )
  return lines.join('\n')
}

function renderWords({ path, words, options }: CommandShape): string {
  const all = [...words.map(({ word }) => word), ...options.flatMap(({ flags }) => flags), '--help']
  return `    '${path.join(' ')}') words='${all.join(' ')}' ;;`
}
