import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { ConfigError } from 'warrenmq/operations'
import type { CommandInput } from '../command.ts'
import { reasonOf } from '../output/reason-of.ts'
import type { Terminal } from '../output/terminal.ts'

/** `--output`, for commands that make a file. */
export function addOutputOption(command: Command): void {
  command.option('-o, --output <file>', 'write it to this file instead of standard output')
}

/** Writes what a command made to the file that was named, or shows it. `document` is its form for --json. */
export async function writeOutput(
  { text, document }: { text: string; document: unknown },
  { options, terminal }: Pick<CommandInput, 'options'> & { terminal: Terminal },
): Promise<void> {
  if (typeof options.output === 'string') {
    await writeText(options.output, text)
    terminal.say(`Wrote ${options.output}.`)
  } else if (!terminal.isJson) {
    terminal.say(text.replace(/\n$/, ''))
  }
  terminal.result(document)
}

/** A folder that is missing or closed to us is the user's to mend, not a fault of ours. */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (cause) {
    throw new ConfigError(
      { code: 'FILE_NOT_WRITTEN', file, message: `${file} cannot be written: ${reasonOf(cause)}` },
      { cause },
    )
  }
}
