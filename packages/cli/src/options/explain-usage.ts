import { editDistance, suggestName } from 'warrenmq/operations'
import type { CommandShape } from '../completion/describe-commands.ts'

export interface BadUsage {
  /** As commander words it, with or without `error: ` before it. */
  readonly message: string
  readonly args: readonly string[]
  readonly shapes: readonly CommandShape[]
}

/** What is wrong with a command line, and what was most likely meant. */
export function explainUsage({ message, args, shapes }: BadUsage): string {
  const shape = findCommand(args, shapes)
  const [, kind, word] = /unknown (command|option) '(.*)'$/.exec(message) ?? []
  if (kind === undefined || word === undefined) return asSentence(message.replace(/^error: /, ''))
  const meant =
    kind === 'command' ? suggestCommand(word, { group: shape.path, shapes }) : suggestOption(word, shape)
  return `unknown ${kind} \`${word}\`${meant === undefined ? '.' : `; did you mean \`${meant}\`?`}`
}

/** Where help for it is. */
export function helpFor({ args, shapes }: Omit<BadUsage, 'message'>): string {
  return ['warren', ...findCommand(args, shapes).path, '--help'].join(' ')
}

/** The command or group that the first words name. */
function findCommand(args: readonly string[], shapes: readonly CommandShape[]): CommandShape {
  let found = shapes[0]!
  for (const word of args) {
    const next = shapes.find(({ path }) => path.join(' ') === [...found.path, word].join(' '))
    if (next) found = next
    else if (!word.startsWith('-')) break
  }
  return found
}

/** Also a command of a group whose name was left out: `redrve` is `dlq redrive`. */
function suggestCommand(
  word: string,
  { group, shapes }: { group: readonly string[]; shapes: readonly CommandShape[] },
): string | undefined {
  const paths = shapes.map(({ path }) => path).filter(({ length }) => length > 0)
  const typed = [...group, word].join(' ')
  const whole = suggestName(
    typed,
    paths.map((path) => path.join(' ')),
  )
  const last = suggestName(
    word,
    paths.map((path) => path.at(-1)!),
  )
  const ofLast = paths.find((path) => path.at(-1) === last)?.join(' ')
  if (whole === undefined || last === undefined) return whole ?? ofLast
  return editDistance(typed, whole) <= editDistance(word, last) ? whole : ofLast
}

function suggestOption(word: string, { options }: CommandShape): string | undefined {
  const [flag = word] = word.split('=')
  return suggestName(flag, [...options.flatMap(({ flags }) => flags), '--help'])
}

function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`
}
