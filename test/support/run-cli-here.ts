import { Writable } from 'node:stream'
import { runCli } from '../../packages/cli/src/run-cli.ts'

export interface CliRun {
  readonly exitCode: number
  /** All that it says, in one text. */
  readonly said: string
  /** What a pipe behind it would read. */
  readonly printed: string
}

/** Runs a command in this process, without an environment. */
export async function runCliHere(args: readonly string[]): Promise<CliRun> {
  let said = ''
  let printed = ''
  const streamTo = (hear: (text: string) => void) =>
    new Writable({
      write: (chunk, _, done) => {
        said += String(chunk)
        hear(String(chunk))
        done()
      },
    })
  const stdout = streamTo((text) => {
    printed += text
  })
  const exitCode = await runCli(args, { stdout, stderr: streamTo(() => {}), env: {} })
  return { exitCode, said, printed }
}
