import { once } from 'node:events'
import { createServer } from 'node:net'
import type { SeenFrame } from '../../test/support/proxy/split-frames.ts'
import { type PipeWatch, type Way, WeatherPipe } from './weather-pipe.ts'

/** A port through which one actor talks to a broker. */
export interface WeatherRelay {
  readonly port: number
  readonly pipes: ReadonlySet<WeatherPipe>
  /** So many messages may be there twice, because connections or channels ended that had some in hand. */
  readonly mayBeTwice: number
  /** New connections end at once, for so long. */
  refuse(ms: number): void
  /** So many of the new connections end at once, as a share, for so long. */
  lose(share: number, ms: number): void
  close(): void
}

export interface RelayOptions extends Pick<PipeWatch, 'onCut'> {
  /** Asked for each connection. */
  readonly target: () => number
  readonly chance: () => number
  /** The most messages that the actor has in hand on one connection. @default 0 */
  readonly mostInHand?: number
  readonly onFrame?: PipeWatch['onFrame']
}

export async function startWeatherRelay(options: RelayOptions): Promise<WeatherRelay> {
  const { target, chance, onCut, onFrame, mostInHand = 0 } = options
  const pipes = new Set<WeatherPipe>()
  let mayBeTwice = 0
  let refusedUntil = 0
  let loss = { share: 0, until: 0 }
  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => {})
    const now = performance.now()
    if (now < refusedUntil || (now < loss.until && chance() < loss.share)) {
      client.resetAndDestroy()
      return
    }
    let hasWorked = false
    const lookAt = (frame: SeenFrame, way: Way, pipe: WeatherPipe): void => {
      if (isWork(frame)) hasWorked = true
      if (isChannelClose(frame) && hasWorked) mayBeTwice += mostInHand
      onFrame?.(frame, way, pipe)
    }
    const pipe = new WeatherPipe(client, { target: target(), onCut, onFrame: lookAt })
    pipes.add(pipe)
    client.once('close', () => {
      pipes.delete(pipe)
      if (hasWorked) mayBeTwice += mostInHand
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    pipes,
    get mayBeTwice() {
      return mayBeTwice
    },
    refuse(ms) {
      refusedUntil = performance.now() + ms
    },
    lose(share, ms) {
      loss = { share, until: performance.now() + ms }
    },
    close() {
      server.close()
      for (const pipe of pipes) pipe.end()
    },
  }
}

const basic = 60
/** publish, deliver and get-ok */
const works: readonly (number | undefined)[] = [40, 60, 71]

function isWork({ classId, methodId }: SeenFrame): boolean {
  return classId === basic && works.includes(methodId)
}

function isChannelClose({ classId, methodId }: SeenFrame): boolean {
  return classId === 20 && methodId === 40
}
