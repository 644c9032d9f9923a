import { EventEmitter } from 'node:events'
import type { NetConnectOpts, Socket } from 'node:net'
import { type NetworkWeather, PipeDirection } from './pipe-direction.ts'
import type { Random } from './random.ts'
import type { SimLoop } from './sim-loop.ts'
import type { SimProcess } from './sim-process.ts'
import { type SimAddress, SimSocket } from './sim-socket.ts'

/** Somebody who takes connections. */
export interface Listener {
  readonly process: SimProcess
  readonly isListening: boolean
  accept(socket: SimSocket): void
}

/** A connection between two processes, as the nemesis sees it. */
export interface Pipe {
  readonly number: number
  readonly client: SimSocket
  readonly server: SimSocket
  /** Ends it for both sides, at some byte. */
  cut(): void
  /** Nothing arrives any more on either side, and neither is told. */
  blackHole(): void
  /** Nothing arrives before. */
  stall(untilMs: number): void
  /** Until then it carries only so many bytes a millisecond. */
  slow(untilMs: number, bytesPerMs: number): void
}

/** All connections of the world. */
export class Network {
  readonly pipes = new Set<Pipe>()
  weather: NetworkWeather
  readonly #loop: SimLoop
  readonly #random: Random
  readonly #listeners = new Map<string, Listener>()
  #connections = 0

  constructor(loop: SimLoop, random: Random, weather: NetworkWeather) {
    this.#loop = loop
    this.#random = random
    this.weather = weather
  }

  listen(host: string, port: number, listener: Listener): void {
    this.#listeners.set(`${host}:${port}`, listener)
  }

  connect(options: NetConnectOpts): Socket {
    const { host, port, onread } = options as { host: string; port: number } & NetConnectOpts
    this.#connections += 1
    const number = this.#connections
    const client: SimAddress = { address: '10.0.0.1', port: 40_000 + number }
    const loop = this.#loop
    const fields = { loop, process: loop.current, local: client, remote: { address: host, port }, onread }
    const socket = new SimSocket(fields)
    const listener = this.#listeners.get(`${host}:${port}`)
    const arriving = listener?.process ?? loop.current
    loop.after(this.latencyMs(), arriving, 'arrival of connect', () => {
      if (socket.destroyed || !socket.process.isAlive) return
      if (!listener?.isListening) this.#refuse(socket)
      else this.#join(number, socket, listener)
    })
    // A process that is dead or stopped takes no connection, and the kernel of its machine says so only in the first case.
    if (listener && !listener.process.isAlive) this.#refuse(socket)
    return socket as unknown as Socket
  }

  latencyMs(): number {
    return this.weather.latencyMs + this.#random.next() ** 3 * this.weather.jitterMs
  }

  #refuse(socket: SimSocket): void {
    const error = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    this.#loop.after(this.latencyMs(), socket.process, 'connect refused', () => socket.destroy(error))
  }

  #join(number: number, client: SimSocket, listener: Listener): void {
    const loop = this.#loop
    const server = new SimSocket({
      loop,
      process: listener.process,
      local: { address: client.remoteAddress, port: client.remotePort },
      remote: { address: client.localAddress, port: client.localPort },
    })
    const random = this.#random.fork(`pipe ${number}`)
    const fields = { loop, random, weather: this.weather }
    const toServer = new PipeDirection({ ...fields, from: client, to: server })
    const toClient = new PipeDirection({ ...fields, from: server, to: client })
    client.connectTo(toServer)
    server.connectTo(toClient)
    const both = [toServer, toClient]
    const pipe: Pipe = {
      number,
      client,
      server,
      cut: () => {
        for (const direction of both) direction.reset()
      },
      blackHole: () => {
        for (const direction of both) direction.swallow()
      },
      stall: (untilMs) => {
        for (const direction of both) direction.hold(untilMs)
      },
      slow: (untilMs, bytesPerMs) => {
        for (const direction of both) direction.slow(untilMs, bytesPerMs)
      },
    }
    this.pipes.add(pipe)
    const forget = (): void => {
      if (client.destroyed && server.destroyed) this.pipes.delete(pipe)
    }
    client.once('close', forget)
    server.once('close', forget)
    client.process.onDeath(() => {
      if (client.destroyed) return
      client.destroyed = true
      // The kernel sends what it has, or resets the connection because something was not read.
      if (random.chance(0.5)) toServer.reset()
      else toServer.sendEnd()
      forget()
    })
    listener.accept(server)
    loop.after(this.latencyMs(), client.process, 'arrival of accept', () => client.emit('connect'))
  }
}

/** What `requestHttp` gives: as much of a `ClientRequest` as the library uses. */
export class SimRequest extends EventEmitter {
  readonly #onEnd: () => void

  constructor(onEnd: () => void) {
    super()
    this.#onEnd = onEnd
  }

  end(): void {
    this.#onEnd()
  }
}
