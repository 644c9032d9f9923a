import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import type { CommandInput } from './command.ts'
import type { Terminal } from './terminal.ts'

/** `--yes`, for every command that asks. */
export function addYesOption(command: Command): void {
  command.option('-y, --yes', 'answer every question with yes')
}

/** nobody: there is no terminal and --yes was not said, so the command has to stop and say so. */
export type Answer = 'yes' | 'no' | 'nobody'

/** Asks a person, on a terminal only. */
export async function confirm(
  question: string,
  { options, terminal }: Pick<CommandInput, 'options'> & { terminal: Terminal },
): Promise<Answer> {
  if (options.yes === true) return 'yes'
  if (!terminal.isInteractive || process.stdin.isTTY !== true) return 'nobody'
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await prompt.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'
  } finally {
    prompt.close()
  }
}
