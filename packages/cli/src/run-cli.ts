import { Command, CommanderError, InvalidArgumentError as InvalidOptionError } from 'commander'
import { WarrenError } from 'warrenmq'
import { escapeText } from 'warrenmq/operations'
import type { CliCommand, ExitCode } from './command.ts'
import { commands } from './commands.ts'
import { describeCommands } from './completion/describe-commands.ts'
import { explainUsage, helpFor } from './options/explain-usage.ts'
import { reasonOf } from './output/reason-of.ts'
import { createTerminal, type Streams } from './output/terminal.ts'
import { wrapText } from './output/wrap-text.ts'
import { packageVersion } from './package-version.ts'

/** Runs one command line and gives its exit code. Nothing is thrown and the process is not ended. */
export async function runCli(args: readonly string[], streams: Streams): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const program = createProgram(streams, (code) => {
    exitCode = code
  })
  try {
    if (args.length === 0) program.outputHelp()
    else await program.parseAsync(asHelp(args, program), { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0 // --help and --version
    if (error instanceof CommanderError && error.code === 'commander.help') return 2 // a group without a command
    const fault = error instanceof CommanderError ? asUsage(error, { args, program }) : error
    if (args.includes('--json'))
      streams.stdout.write(`${escapeText(JSON.stringify(describeError(fault), null, 2))}\n`)
    const said = escapeText(explain(fault))
    const { isTTY, columns = 0 } = streams.stderr
    streams.stderr.write(`${isTTY && columns > 0 ? wrapText(said, { columns }) : said}\n`)
    return fault instanceof BadUsageError ? 2 : 1
  }
}

/**
 * `warren help dlq redrive` and `warren dlq help redrive` are `warren dlq redrive --help`: commander's own command takes
 * one word. Words that lead to no command are left to it, and are told as a mistake.
 */
function asHelp(args: readonly string[], program: Command): readonly string[] {
  const words = args.filter((word) => !word.startsWith('-'))
  const at = words.indexOf('help')
  const path = words.filter((_, index) => index !== at)
  const paths = describeCommands(program).map((shape) => shape.path.join(' '))
  const group = words.slice(0, at).join(' ')
  // Behind a command that is no group it is an argument, such as a queue of this name.
  const isGroup = group === '' || paths.some((each) => each.startsWith(`${group} `))
  if (at < 0 || !isGroup) return args
  return paths.includes(path.join(' ')) ? [...path, '--help'] : path
}

/** Commander's own words, with what was meant. */
class BadUsageError extends Error {
  /** The command that helps. */
  readonly help: string

  constructor({ sentence, help }: { sentence: string; help: string }) {
    super(sentence)
    this.help = help
  }
}

function asUsage(
  { message }: CommanderError,
  { args, program }: { args: readonly string[]; program: Command },
): BadUsageError {
  const shapes = describeCommands(program)
  return new BadUsageError({
    sentence: explainUsage({ message, args, shapes }),
    help: helpFor({ args, shapes }),
  })
}

/** With --json a failure is a document, too. */
function describeError(error: unknown): object {
  if (error instanceof BadUsageError) return { error: { code: 'BAD_USAGE', message: error.message } }
  const code = error instanceof WarrenError ? error.code : 'UNEXPECTED'
  return { error: { code, message: reasonOf(error) } }
}

function createProgram(streams: Streams, done: (code: ExitCode) => void): Command {
  const program = new Command('warren')
    .description('Retries, dead letters and zero-loss re-drive for RabbitMQ')
    .version(packageVersion(), '-V, --version')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => void streams.stdout.write(text),
      writeErr: (text) => void streams.stderr.write(text),
      outputError: () => {}, // said by runCli, with what was meant
    })
    .addHelpText('after', '\nExample:\n  warren demo')
  for (const command of commands) addCommand({ program, command, streams, done })
  return program
}

function addCommand(fields: {
  program: Command
  command: CliCommand
  streams: Streams
  done: (code: ExitCode) => void
}): void {
  const { program, command, streams, done } = fields
  const parsed = groupOf(program, command.name)
    .command(command.name.split(' ').at(-1)!)
    .description(command.summary)
    .option('--json', 'print exactly one JSON document on stdout, text for people on stderr')
    .addHelpText('after', `\nExample:\n  ${command.example}`)
    .copyInheritedSettings(program)
  command.configure?.(parsed)
  parsed.action(async () => {
    const options = parsed.opts()
    const terminal = createTerminal(streams, { isJson: options.json === true })
    done(await command.run({ args: parsed.args, options, env: streams.env, program }, terminal))
  })
}

const groups: Readonly<Record<string, { readonly summary: string; readonly example: string }>> = {
  dlq: { summary: 'look at, put back, back up and discard dead letters', example: 'warren dlq list' },
}

/** `dlq list` lives under `dlq`, which is made when its first command comes by. */
function groupOf(program: Command, name: string): Command {
  const words = name.split(' ').slice(0, -1)
  return words.reduce((parent, word) => {
    const group = parent.commands.find((command) => command.name() === word)
    return group ?? addGroup(parent, word)
  }, program)
}

function addGroup(parent: Command, word: string): Command {
  const { summary = '', example = `warren ${word}` } = groups[word] ?? {}
  return parent
    .command(word)
    .description(summary)
    .addHelpText('after', `\nExample:\n  ${example}`)
    .copyInheritedSettings(parent)
}

/** People get the sentence; the stack is for faults of ours, which a WarrenError is not. */
function explain(error: unknown): string {
  if (error instanceof BadUsageError) return `warren: ${error.message}\nSee \`${error.help}\`.`
  if (error instanceof WarrenError || error instanceof InvalidOptionError) return `warren: ${error.message}`
  return `warren: this should not have happened. Please report it.\n${error instanceof Error ? error.stack : String(error)}`
}
