import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import type { StoreKind } from './open-store.ts'

export interface Claimer {
  /** Lets it claim, and gives the keys that it got. */
  claim(): Promise<readonly string[]>
  /** Without a farewell. */
  kill9(): Promise<void>
}

/** A process that is ready to claim keys. */
export async function startClaimer(task: {
  readonly kind: StoreKind
  readonly url: string
  readonly claims: readonly { readonly key: string; readonly leaseMs: number }[]
}): Promise<Claimer> {
  const script = new URL('./claim-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--import', 'jiti/register', script, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The process that claims keys has ended.')
    return value
  }
  const kill9 = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill9)
  await nextLine()
  return {
    claim: async () => {
      child.stdin.write('go\n')
      return JSON.parse(await nextLine()) as string[]
    },
    kill9,
  }
}
