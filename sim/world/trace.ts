import { createHash } from 'node:crypto'

/** All that happens, as one hash; and what a person would tell of it, as lines. */
export class Trace {
  readonly #hash = createHash('sha256')
  #pending = ''
  readonly lines: string[] = []
  events = 0

  /** One event: part of the hash. */
  add(text: string): void {
    this.events += 1
    this.#pending += `${text}\n`
    if (this.#pending.length > 32_768) this.#flush()
  }

  /** One that matters to a reader. */
  tell(nowMs: number, text: string): void {
    const line = `${formatTime(nowMs)}  ${text}`
    this.lines.push(line)
    this.add(line)
  }

  digest(): string {
    this.#flush()
    return this.#hash.copy().digest('hex').slice(0, 16)
  }

  #flush(): void {
    this.#hash.update(this.#pending)
    this.#pending = ''
  }
}

function formatTime(nowMs: number): string {
  const minutes = Math.floor(nowMs / 60_000)
  return `${String(minutes).padStart(3)}:${((nowMs % 60_000) / 1000).toFixed(3).padStart(6, '0')}`
}
