import type { ClientRequest } from 'node:http'
import { deflateRawSync, type InflateRaw } from 'node:zlib'
import type { World } from '../../packages/warrenmq/src/world.ts'
import { Network } from './network.ts'
import type { NetworkWeather } from './pipe-direction.ts'
import { createRandom, type Random } from './random.ts'
import { SimFiles } from './sim-files.ts'
import { SimHttp } from './sim-http.ts'
import { SimInflate } from './sim-inflate.ts'
import { SimLoop } from './sim-loop.ts'
import { SimProcess } from './sim-process.ts'
import { SimTimers } from './sim-timers.ts'

/** When every run begins: a Monday. */
export const epochMs = Date.UTC(2026, 0, 5, 8)

/** Everything that there is, from one seed. */
export interface Universe {
  readonly random: Random
  readonly loop: SimLoop
  readonly timers: SimTimers
  readonly network: Network
  readonly http: SimHttp
  readonly files: SimFiles
  /** What the library is given for Node. */
  readonly world: World
  /** Starts a process. What it does is void from its death on. */
  start(name: string, main: () => void | Promise<void>): SimProcess
  /** Tells something that matters to whoever reads the story. */
  tell(text: string): void
}

export function createUniverse(fields: {
  readonly seed: number
  readonly weather: NetworkWeather
  onError(error: unknown, process: SimProcess): void
}): Universe {
  const random = createRandom(fields.seed)
  const loop = new SimLoop(random.fork('loop'))
  const timers = new SimTimers(loop)
  const network = new Network(loop, random.fork('network'), fields.weather)
  const http = new SimHttp(loop, network)
  const files = new SimFiles(loop, random.fork('files'))
  const parts = { random, loop, timers, network, http, files }
  return {
    ...parts,
    world: createWorld(parts),
    start: (name, main) => {
      const process = new SimProcess(name)
      loop.soon(process, 'start', () => {
        Promise.resolve()
          .then(main)
          .catch((error: unknown) => fields.onError(error, process))
      })
      return process
    },
    tell: (text) => loop.trace.tell(loop.nowMs, text),
  }
}

function createWorld({
  random,
  loop,
  timers,
  network,
  http,
  files,
}: Pick<Universe, 'random' | 'loop' | 'timers' | 'network' | 'http' | 'files'>): World {
  const chance = random.fork('library')
  const setTimeout = (task: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
    timers.start(() => task(...args), ms, false)
  const sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      timers.start(resolve, ms, false)
    })
  return {
    setTimeout: setTimeout as unknown as World['setTimeout'],
    clearTimeout: (timer) => timers.stop(timer),
    setInterval: ((task: () => void, ms?: number) =>
      timers.start(task, ms, true)) as unknown as World['setInterval'],
    clearInterval: (timer) => timers.stop(timer),
    setImmediate: ((task: () => void) =>
      loop.soon(loop.current, 'immediate', task)) as unknown as World['setImmediate'],
    performance: { timeOrigin: epochMs, now: () => loop.nowMs },
    dateNow: () => epochMs + Math.floor(loop.nowMs) + loop.current.clockOffsetMs,
    sleep,
    abortAfter: (ms) => {
      const controller = new AbortController()
      timers.start(() => controller.abort(timeoutError()), ms, false).unref()
      return controller.signal
    },
    random: () => chance.next(),
    randomUUID: () => createUuid(chance),
    hostname: () => loop.current.name,
    connectTcp: (options) => network.connect(options),
    connectTls: () => {
      throw new Error('The simulated world has no TLS.')
    },
    requestHttp: (options) => http.request(options) as unknown as ClientRequest,
    openFile: (path, flags) => files.open(path, flags),
    readFile: (path) => files.readText(path),
    deflate: async (content, options) => {
      await sleep(1)
      return deflateRawSync(content, options)
    },
    createInflateRaw: () => new SimInflate(loop) as unknown as InflateRaw,
  }
}

function timeoutError(): DOMException {
  return new DOMException('The operation was aborted due to timeout', 'TimeoutError')
}

function createUuid(random: Random): string {
  const hex = Array.from({ length: 16 }, () => random.below(256).toString(16).padStart(2, '0')).join('')
  const variant = '89ab'[random.below(4)]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
}
