import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'
import { escapeText } from 'warrenmq/operations'
import { wrapText } from './wrap-text.ts'

export type Style = Parameters<typeof styleText>[0]

/** Where a command speaks: to a person, or to a program that asked for --json. Never both on one stream. */
export interface Terminal {
  readonly isJson: boolean
  /** Is a person watching? Only then there are colours and moving things. */
  readonly isInteractive: boolean
  /** Is there somebody who could answer a question? */
  readonly canAsk: boolean
  /**
   * A line for people; with --json it goes to stderr. What would steer a terminal is shown instead of obeyed. On a
   * terminal it is broken between words, unless it is `exact`, as what a message holds.
   */
  say(line?: string, how?: 'exact'): void
  /** Rewrites the last line where that is possible; elsewhere it is left out. */
  progress(line: string): void
  /** The one document on stdout; without --json it is left to `say`. */
  result(document: unknown): void
  paint(style: Style, text: string): string
  /** What a person types; only where `canAsk`. */
  ask(question: string): Promise<string>
}

export interface Streams {
  readonly stdout: Writable & { isTTY?: boolean; columns?: number }
  readonly stderr: Writable & { isTTY?: boolean; columns?: number }
  /** @default the standard input of the process */
  readonly stdin?: Readable & { isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
}

export function createTerminal(streams: Streams, { isJson }: { isJson: boolean }): Terminal {
  const { stdout, stderr, stdin = process.stdin, env } = streams
  const stream = isJson ? stderr : stdout
  const isInteractive = stream.isTTY === true && env.TERM !== 'dumb' && !env.CI
  const hasColours = isInteractive && !env.NO_COLOR
  /** Stands for ESC in our own colours until they are written; no message can know it. */
  const ownEscape = `<${randomUUID()}>`
  const ownColours = new RegExp(`${ownEscape}\\[\\d+m`, 'g')
  const widthOf = (text: string): number => [...text.replace(ownColours, '')].length
  let hasProgress = false

  function clearProgress(): void {
    if (hasProgress) stream.write('\r\u001b[2K')
    hasProgress = false
  }

  return {
    isJson,
    isInteractive,
    canAsk: isInteractive && stdin.isTTY === true,
    say: (line = '', how) => {
      clearProgress()
      const text = escapeText(line)
      const columns = (stream.isTTY === true && stream.columns) || 0
      const shown = how === 'exact' || columns === 0 ? text : wrapText(text, { columns, widthOf })
      stream.write(`${shown.replaceAll(ownEscape, '\u001b')}\n`)
    },
    progress: (line) => {
      if (!isInteractive) return
      clearProgress()
      const width = stream.columns || 80 // a terminal that does not know its width says 0
      stream.write(escapeText(line).slice(0, width - 1))
      hasProgress = true
    },
    result: (document) => {
      clearProgress()
      if (isJson) stdout.write(`${escapeText(JSON.stringify(document, null, 2))}\n`)
    },
    paint: (style, text) => (hasColours ? paintText({ style, text, ownEscape }) : text),
    ask: (question) => {
      clearProgress()
      const columns = (stderr.isTTY === true && stderr.columns) || 80
      // The answer is typed behind it, so the space at its end stays.
      const text = `${wrapText(escapeText(question).trimEnd(), { columns: columns - 2 })} `
      return askOn({ input: stdin, output: stderr }, text)
    },
  }
}

/** Who closes the input instead (Ctrl-D, Ctrl-C) has said nothing. */
function askOn(streams: { input: Readable; output: Writable }, question: string): Promise<string> {
  const prompt = createInterface(streams)
  return new Promise((resolve) => {
    const onClose = (): void => {
      streams.output.write('\n')
      resolve('')
    }
    prompt.once('close', onClose)
    prompt.question(question, (answer) => {
      resolve(answer)
      prompt.off('close', onClose).close()
    })
  })
}

function paintText({ style, text, ownEscape }: { style: Style; text: string; ownEscape: string }): string {
  const [begin = '', end = ''] = styleText(style, '|', { validateStream: false })
    .replaceAll('\u001b', ownEscape)
    .split('|')
  return `${begin}${text}${end}`
}
