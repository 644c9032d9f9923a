import type { Command, Option } from 'commander'

/** One command or group of commands, as a shell needs to know it. */
export interface CommandShape {
  /** The words after `warren`; empty for `warren` itself. */
  readonly path: readonly string[]
  readonly summary: string
  /** The words that may follow: commands of a group, or the choices of an argument. */
  readonly words: readonly { readonly word: string; readonly summary: string }[]
  readonly options: readonly OptionShape[]
}

export interface OptionShape {
  /** `--output` and, where there is one, `-o`. */
  readonly flags: readonly string[]
  readonly summary: string
  readonly value: OptionValue
}

/** none: a switch. file: a path. text: whatever a person writes. */
export type OptionValue =
  | { readonly kind: 'none' | 'file' | 'text' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }

/** Every command of a program, the program first. */
export function describeCommands(program: Command, path: readonly string[] = []): readonly CommandShape[] {
  const shape = {
    path,
    summary: program.description(),
    words: wordsOf(program),
    options: program.options.filter(({ hidden }) => !hidden).map(describeOption),
  }
  return [shape, ...program.commands.flatMap((each) => describeCommands(each, [...path, each.name()]))]
}

function wordsOf(command: Command): CommandShape['words'] {
  if (command.commands.length > 0) {
    return command.commands.map((each) => ({ word: each.name(), summary: each.description() }))
  }
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  return choices.map((word) => ({ word, summary: '' }))
}

function describeOption({ long, short, description, flags, argChoices }: Option): OptionShape {
  return {
    flags: [long, short].filter((flag) => flag !== undefined),
    summary: description,
    value: argChoices ? { kind: 'choice', choices: argChoices } : { kind: valueKind(flags) },
  }
}

/** `--config <file>` takes a file, and `--rate <n>` something else. */
function valueKind(flags: string): 'none' | 'file' | 'text' {
  if (/[<[]file[>\]]/.test(flags)) return 'file'
  return /[<[]/.test(flags) ? 'text' : 'none'
}
