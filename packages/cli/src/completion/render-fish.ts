import type { CommandShape, OptionShape } from './describe-commands.ts'

/** Completion for fish, to be sourced or saved as ~/.config/fish/completions/warren.fish. */
export function renderFish(shapes: readonly CommandShape[]): string {
  return `# fish completion for warren. To use it: warren completion fish | source
function __warren_place
  set -l place ''
  for word in (commandline -opc)[2..]
    switch "$place/$word"
      case ${renderSteps(shapes)}
        set place (string trim "$place $word")
    end
  end
  echo $place
end
function __warren_at
  test (__warren_place) = "$argv"
end
complete -c warren -f
${shapes.flatMap(renderShape).join('\n')}
`
}

function renderSteps(shapes: readonly CommandShape[]): string {
  const steps = shapes.filter(({ path }) => path.length > 0)
  return steps.map(({ path }) => quote(`${path.slice(0, -1).join(' ')}/${path.at(-1)}`)).join(' ')
}

function renderShape({ path, words, options }: CommandShape): readonly string[] {
  const at = `complete -c warren -n ${quote(`__warren_at ${path.join(' ')}`.trim())}`
  return [
    ...words.map(({ word, summary }) => `${at} -a ${quote(word)}${renderSummary(summary)}`),
    ...options.map((option) => `${at} ${renderOption(option)}${renderSummary(option.summary)}`),
    `${at} -l help${renderSummary('display help for command')}`,
  ]
}

function renderOption({ flags, value }: OptionShape): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  const words = names.join(' ')
  if (value.kind === 'none') return words
  if (value.kind === 'file') return `${words} -r -F`
  return value.kind === 'choice' ? `${words} -x -a ${quote(value.choices.join(' '))}` : `${words} -x`
}

function renderSummary(summary: string): string {
  return summary === '' ? '' : ` -d ${quote(summary)}`
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
