import type { RequestOptions } from 'node:https'
import { type Network, SimRequest } from './network.ts'
import type { SimLoop } from './sim-loop.ts'
import type { SimProcess } from './sim-process.ts'

/** What a server answers. */
export interface HttpReply {
  readonly status: number
  readonly body: string
}

/** Somebody who answers requests. */
export interface HttpServer {
  readonly process: SimProcess
  readonly isListening: boolean
  answer(request: { readonly url: string; readonly headers: Record<string, string> }): Promise<HttpReply>
}

/** Requests and their answers. Each way takes its time, and either may be lost. */
export class SimHttp {
  /** True: the connection of this request breaks, on its way there or back. */
  isLost: () => boolean = () => false
  readonly #loop: SimLoop
  readonly #network: Network
  #server: HttpServer | undefined

  constructor(loop: SimLoop, network: Network) {
    this.#loop = loop
    this.#network = network
  }

  listen(server: HttpServer): void {
    this.#server = server
  }

  request(options: RequestOptions): SimRequest {
    const loop = this.#loop
    const client = loop.current
    const server = this.#server
    const later = (process: SimProcess, kind: string, run: () => void): void => {
      loop.after(this.#network.latencyMs(), process, kind, run)
    }
    let isOver = false
    const fail = (error: Error): void => {
      if (isOver) return
      isOver = true
      request.emit('error', error)
    }
    const breakOff = (code: string): void => {
      later(client, 'http broken', () => fail(Object.assign(new Error(`read ${code}`), { code })))
    }
    const request = new SimRequest(() => {
      if (!server) return breakOff('ECONNREFUSED')
      later(server.process, 'http request', () => {
        if (!server.isListening) return breakOff('ECONNREFUSED')
        if (this.isLost()) return breakOff('ECONNRESET')
        const headers = options.headers as Record<string, string>
        void server.answer({ url: options.path ?? '/', headers }).then((reply) => {
          if (this.isLost()) return breakOff('ECONNRESET')
          later(client, 'http answer', () => {
            if (isOver) return
            isOver = true
            request.emit('response', createResponse(reply))
          })
        })
      })
    })
    options.signal?.addEventListener('abort', () => {
      loop.soon(client, 'http aborted', () =>
        fail(new DOMException('This operation was aborted', 'AbortError')),
      )
    })
    return request
  }
}

function createResponse({ status, body }: HttpReply): AsyncIterable<Buffer> & { statusCode: number } {
  return {
    statusCode: status,
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(body)
    },
  }
}
