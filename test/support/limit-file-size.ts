import { onTestFinished } from 'vitest'
import { runCommand } from './run-command.ts'

/** A file of this process cannot grow beyond so many bytes; a write beyond them fails like one to a full disk. */
export async function limitFileSize(bytes: number): Promise<() => Promise<void>> {
  const limit = (soft: number | string) =>
    runCommand('prlimit', ['--pid', String(process.pid), `--fsize=${soft}:`])
  const survive = (): void => {}
  process.on('SIGXFSZ', survive) // would end the process
  const lift = async (): Promise<void> => {
    await limit('unlimited')
    process.off('SIGXFSZ', survive)
  }
  onTestFinished(lift)
  await limit(bytes)
  return lift
}
