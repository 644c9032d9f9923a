import { Argument } from 'commander'
import type { CliCommand } from '../command.ts'
import { type CommandShape, describeCommands } from '../completion/describe-commands.ts'
import { renderBash } from '../completion/render-bash.ts'
import { renderFish } from '../completion/render-fish.ts'
import { renderZsh } from '../completion/render-zsh.ts'

const renderers: Readonly<Record<string, (shapes: readonly CommandShape[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
}

/** `warren completion`: what a shell needs to finish commands and options. */
export const completion: CliCommand = {
  name: 'completion',
  summary: 'print a script that lets your shell complete commands and options',
  example: 'warren completion bash',
  configure: (command) => {
    command
      .addArgument(new Argument('<shell>', 'the shell to write for').choices(Object.keys(renderers)))
      .addHelpText(
        'after',
        `
To use it, add a line to your shell's start file:
  bash  source <(warren completion bash)
  zsh   source <(warren completion zsh)
  fish  warren completion fish | source`,
      )
  },
  run: async ({ args: [shell = ''], program }, terminal) => {
    const script = renderers[shell]!(describeCommands(program))
    if (!terminal.isJson) terminal.say(script.trimEnd())
    terminal.result({ shell, script })
    return 0
  },
}
