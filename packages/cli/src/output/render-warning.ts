import { wrapText } from './wrap-text.ts'

/** A warning of the process, as Node hands it over. */
export interface ProcessWarning {
  readonly name: string
  readonly message: string
  readonly code?: string | undefined
}

/**
 * A warning for a person at a terminal: our own in the words of the command and broken between words; others as Node
 * writes them. What a progress line has left is wiped first.
 */
export function renderWarning(warning: ProcessWarning, columns: number): string {
  const { name, message, code } = warning
  const isOurs = code?.startsWith('WARREN_') === true
  const line = isOurs ? `warren: ${message} (${code})` : `${code ? `[${code}] ` : ''}${name}: ${message}`
  return `\r\u001b[2K${wrapText(line, { columns })}\n`
}
