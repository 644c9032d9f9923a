import { Writable } from 'node:stream'
import { runCli } from '../../packages/cli/src/run-cli.ts'

/** Runs a command in this process, without an environment; all that it says in one text. */
export async function runCliHere(args: readonly string[]): Promise<{ exitCode: number; said: string }> {
  let said = ''
  const stream = () =>
    new Writable({
      write: (chunk, _, done) => {
        said += String(chunk)
        done()
      },
    })
  const exitCode = await runCli(args, { stdout: stream(), stderr: stream(), env: {} })
  return { exitCode, said }
}
