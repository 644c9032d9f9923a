import { execFile } from 'node:child_process'

export interface CommandOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** @default 120000 */
  readonly timeoutMs?: number
}

/** Runs a command to its end and gives its standard output; what it said on failure is in the error. */
export function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { env, cwd, timeoutMs = 120_000 } = options
  return new Promise((resolve, reject) => {
    const settings = { env, cwd, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' as const }
    const child = execFile(command, args, settings, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const said = lastLines(`${stdout}\n${stderr}`, 20)
      const ending = error.killed
        ? `did not end within ${timeoutMs} ms`
        : `failed (${error.code ?? error.signal})`
      reject(new Error(`${command} ${args.join(' ')} ${ending}${said && `:\n${said}`}`, { cause: error }))
    })
    // Nothing here answers questions: a command that asks one must see the end of its input.
    child.stdin?.end()
  })
}

function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n')
}

/** The beginning and the end of a long text. A log names the cause first and the consequence last. */
export function excerpt(text: string): string {
  const lines = text.trim().split('\n')
  if (lines.length <= 40) return lines.join('\n')
  return [...lines.slice(0, 25), '…', ...lines.slice(-10)].join('\n')
}
