import type { Command } from 'commander'
import { InvalidArgumentError } from 'warrenmq'
import type { CommandInput } from '../command.ts'
import type { Terminal } from '../output/terminal.ts'

/** `--yes`, for every command that asks. */
export function addYesOption(command: Command): void {
  command.option('-y, --yes', 'answer yes to every question')
}

/** nobody: there is no terminal and --yes was not said, so the command has to stop and say so. */
export type Answer = 'yes' | 'no' | 'nobody'

type Asking = Pick<CommandInput, 'options'> & { readonly terminal: Terminal }

/** Asks a person, on a terminal only. */
export async function confirm(question: string, { options, terminal }: Asking): Promise<Answer> {
  if (options.yes === true) return 'yes'
  if (!terminal.canAsk) return 'nobody'
  const answer = await terminal.ask(`${question} [y/N] `)
  return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'
}

/** Before a command does work whose only use is a question that nobody could answer. */
export function refuseUnasked(consequence: string, { options, terminal }: Asking): void {
  if (options.yes === true || terminal.canAsk) return
  throw new InvalidArgumentError(
    `${consequence}: there is no terminal to ask in. Use --yes to do it without asking.`,
  )
}
