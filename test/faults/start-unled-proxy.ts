import type { Socket } from 'node:net'
import { startRelay } from './start-relay.ts'

/** A connection to a broker on which a queue can be made to answer like a quorum queue between two leaders. */
export interface UnledProxy {
  urlFor(url: string): string
  /** From now on the queue says that it holds nothing and has no consumer. */
  loseLeader(): void
  electLeader(): void
  /** So many answers were changed. */
  readonly untrueAnswers: number
}

const methodFrame = 1
const frameOverhead = 8
const declareOk = (50 << 16) | 11

export async function startUnledProxy({
  target,
  queue,
}: {
  target: number
  queue: string
}): Promise<UnledProxy> {
  let isUnled = false
  let untrueAnswers = 0
  /** The counts are the last eight bytes of the answer, so nothing moves when they are wiped out. */
  const change = (frame: Buffer): void => {
    const payload = frame.subarray(7, -1)
    if (!isUnled || frame[0] !== methodFrame || payload.readUInt32BE(0) !== declareOk) return
    if (payload.subarray(5, 5 + payload[4]!).toString() !== queue) return
    payload.fill(0, payload.length - 8)
    untrueAnswers += 1
  }
  const urlFor = await startRelay(target, (client, broker) => {
    client.pipe(broker)
    passFrames(broker, client, change)
  })
  return {
    urlFor,
    loseLeader: () => {
      isUnled = true
    },
    electLeader: () => {
      isUnled = false
    },
    get untrueAnswers() {
      return untrueAnswers
    },
  }
}

/** Passes on whole frames, each shown to `change` before. */
function passFrames(from: Socket, to: Socket, change: (frame: Buffer) => void): void {
  let rest = Buffer.alloc(0)
  from.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= frameOverhead) {
      const length = rest.readUInt32BE(3) + frameOverhead
      if (rest.length < length) return
      const frame = rest.subarray(0, length)
      change(frame)
      to.write(frame)
      rest = rest.subarray(length)
    }
  })
}
