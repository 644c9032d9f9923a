import type { Command } from 'commander'
import type { Terminal } from './output/terminal.ts'

/** 0 what was asked for is done · 1 failed · 2 bad usage · 3 not all of it: some failed, or was not proved. */
export type ExitCode = 0 | 1 | 2 | 3

/** One command of `warren`: a file in commands/ and a line in the list of commands.ts. */
export interface CliCommand {
  /** As typed, e.g. `dlq list`. */
  readonly name: string
  readonly summary: string
  /** One line that a person can copy. */
  readonly example: string
  /** Declares its own options and arguments; --json and --help are there already. */
  readonly configure?: (command: Command) => void
  /** Options by their name, arguments under `args`. Whatever it returns is the exit code. */
  readonly run: (input: CommandInput, terminal: Terminal) => Promise<ExitCode>
}

export interface CommandInput {
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  /** The whole command line, for a command that writes about the others. */
  readonly program: Command
}
