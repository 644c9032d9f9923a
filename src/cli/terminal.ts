import type { Writable } from 'node:stream'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Where a command speaks: to a person, or to a program that asked for --json. Never both on one stream. */
export interface Terminal {
  readonly isJson: boolean
  /** Is a person watching? Only then there are colours and moving things. */
  readonly isInteractive: boolean
  /** A line for people; with --json it goes to stderr. */
  say(line?: string): void
  /** Rewrites the last line where that is possible; elsewhere it is left out. */
  progress(line: string): void
  /** The one document on stdout; without --json it is left to `say`. */
  result(document: unknown): void
  paint(style: Style, text: string): string
}

export interface Streams {
  readonly stdout: Writable & { isTTY?: boolean; columns?: number }
  readonly stderr: Writable & { isTTY?: boolean; columns?: number }
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createTerminal({ stdout, stderr, env }: Streams, { isJson }: { isJson: boolean }): Terminal {
  const stream = isJson ? stderr : stdout
  const isInteractive = stream.isTTY === true && env.TERM !== 'dumb' && !env.CI
  const hasColours = isInteractive && !env.NO_COLOR
  let hasProgress = false

  function clearProgress(): void {
    if (hasProgress) stream.write('\r\u001b[2K')
    hasProgress = false
  }

  return {
    isJson,
    isInteractive,
    say: (line = '') => {
      clearProgress()
      stream.write(`${line}\n`)
    },
    progress: (line) => {
      if (!isInteractive) return
      clearProgress()
      stream.write(line.slice(0, (stream.columns ?? 80) - 1))
      hasProgress = true
    },
    result: (document) => {
      clearProgress()
      if (isJson) stdout.write(`${JSON.stringify(document, null, 2)}\n`)
    },
    paint: (style, text) => (hasColours ? styleText(style, text, { validateStream: false }) : text),
  }
}
