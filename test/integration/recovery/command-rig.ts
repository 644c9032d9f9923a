import { PassThrough, Writable } from 'node:stream'
import { runCli } from '../../../packages/cli/src/run-cli.ts'
import type { TestVhost } from '../../support/use-broker.ts'

export interface Ended {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandRig {
  /** `warren dlq` with these words, in this process and without a terminal. */
  pipe(...words: string[]): Promise<Ended>
  /** The same on a terminal, with a person who types this. */
  person(typed: string, ...words: string[]): Promise<Ended>
}

export function createCommandRig(broker: TestVhost): CommandRig {
  return {
    pipe: (...words) => run(broker, words, { isTTY: false }),
    person: (typed, ...words) => run(broker, words, { isTTY: true, typed }),
  }
}

async function run(
  broker: TestVhost,
  words: readonly string[],
  { isTTY, typed }: { isTTY: boolean; typed?: string },
): Promise<Ended> {
  const [stdout, stderr] = [new TextSink(isTTY), new TextSink(isTTY)]
  const stdin = Object.assign(new PassThrough(), { isTTY })
  if (typed !== undefined) stdin.write(`${typed}\n`)
  const management = Object.assign(new URL(broker.managementUrl), broker).href
  const env = { AMQP_URL: broker.url, MANAGEMENT_URL: management, NO_COLOR: '1' }
  const exitCode = await runCli(['dlq', ...words], { stdout, stderr, stdin, env })
  return { exitCode, stdout: stdout.text, stderr: stderr.text }
}

class TextSink extends Writable {
  readonly isTTY: boolean
  text = ''

  constructor(isTTY: boolean) {
    super()
    this.isTTY = isTTY
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
