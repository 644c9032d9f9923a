import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { ConsumerOptions } from '../../packages/warrenmq/src/consumer/consumer-options.ts'
import type { TopologyDeclaration } from '../../packages/warrenmq/src/topology/declaration.ts'

/** What a process that consumes and crashes is to do. */
export interface CrashTask {
  readonly url: string
  readonly declaration: TopologyDeclaration
  readonly queue: string
  readonly options: ConsumerOptions
  /**
   * By the handler of a message whose id begins with "poison", while it is called or a turn later; or after a time in
   * which nothing was settled, for no reason of a message. Messages whose id begins with "fail" fail.
   */
  readonly how:
    | { readonly kind: 'by-poison' | 'by-poison-later' }
    | { readonly kind: 'by-itself'; readonly afterMs: number }
}

/** What the handlers of one process came to before its end. */
export interface ProcessLife {
  readonly seen: readonly string[]
  readonly handled: readonly string[]
  readonly hasCrashed: boolean
}

/** Runs a consumer in a process of its own until it crashes, or until `isDone` says that it has no more to do. */
export async function liveOnce(
  task: CrashTask,
  isDone: (handled: readonly string[]) => Promise<boolean>,
): Promise<ProcessLife> {
  const script = new URL('./crashing-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let written = ''
  child.stdout.on('data', (piece: Buffer) => {
    written += String(piece)
  })
  const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const hasEnded = closed.then(() => true)
  // Once: a second signal ends it at once, and what it has not acknowledged yet would come back.
  let isTold = false
  while (!(await Promise.race([hasEnded, soon()]))) {
    if (isTold || !written.includes('ready\n') || !(await isDone(wordsAfter('handled', written)))) continue
    child.kill('SIGTERM')
    isTold = true
  }
  const [, endedBy] = await closed
  return {
    seen: wordsAfter('seen', written),
    handled: wordsAfter('handled', written),
    hasCrashed: endedBy === 'SIGKILL',
  }
}

/** Until the next look at what the child has written. */
const soon = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), 50))

function wordsAfter(word: string, written: string): string[] {
  const lines = written.split('\n').filter((line) => line.startsWith(`${word} `))
  return lines.map((line) => line.slice(word.length + 1))
}
