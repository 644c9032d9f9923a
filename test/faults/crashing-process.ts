import { writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, defineTopology } from '../../packages/warrenmq/src/index.ts'
import type { CrashTask } from './crash-again.ts'

// A consumer in a process of its own that kills itself. What it saw and handled is written at once: nothing of it may
// be lost with the process.
const { url, declaration, queue, options, how } = JSON.parse(process.argv[2]!) as CrashTask
const tell = (line: string): void => void writeSync(1, `${line}\n`)
const crash = (): void => void process.kill(process.pid, 'SIGKILL')

const warren = await connect(url, { topology: defineTopology(declaration), closeOn: ['SIGTERM'] })
const handle = ({ id }: { readonly id: string | undefined }): Promise<void> | undefined => {
  tell(`seen ${id}`)
  // Such a handler never ends: its process does.
  if (how.kind === 'by-itself') return sleep(60_000)
  if (id?.startsWith('fail')) throw new Error('it fails')
  if (id?.startsWith('poison')) {
    if (how.kind === 'by-poison') crash()
    setImmediate(crash)
    return sleep(60_000)
  }
  tell(`handled ${id}`)
  return undefined
}
const consumer = await warren.consume(queue, handle, options)
tell('ready')
// For its own reasons, whatever its handlers do; not while copies are under way, which may be there twice then.
if (how.kind === 'by-itself') {
  const timer = setTimeout(crash, how.afterMs)
  consumer.events.on('delivery.settled', () => timer.refresh())
}
