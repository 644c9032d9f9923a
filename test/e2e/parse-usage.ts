import { Command } from 'commander'
import type { CliCommand } from '../../packages/cli/src/command.ts'
import { commands } from '../../packages/cli/src/commands.ts'
import { shellWords } from './shell-words.ts'

/** Reads a line such as `warren dlq peek orders.dlq --count 3` as the command does, and runs nothing. Throws where it is wrong. */
export function parseUsage(line: string): CliCommand | undefined {
  const words = shellWords(line).slice(1)
  if (words.length === 0 || words[0]?.startsWith('-')) return undefined // warren --help
  const command = commands
    .toSorted((left, right) => right.name.length - left.name.length)
    .find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
  if (!command) throw new Error(`There is no such command: ${line}`)
  const parser = commandParser(command.name).action(() => {})
  if (!words.includes('--help')) parser.parse(words.slice(command.name.split(' ').length), { from: 'user' })
  return command
}

/** The options and arguments of one command, for a parser that neither prints nor ends the process. */
export function commandParser(name: string): Command {
  const command = commands.find((each) => each.name === name)
  if (!command) throw new Error(`There is no such command: ${name}`)
  const parser = new Command(name)
    .option('--json')
    .exitOverride()
    .configureOutput({ writeErr: () => {}, writeOut: () => {} })
  command.configure?.(parser)
  return parser
}
