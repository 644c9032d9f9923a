import type { IncomingMessage, ServerResponse } from 'node:http'
import { createGuard, type Guard } from '../auth/guard.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import { createViewerChanges, type ViewerChanges } from '../guards/viewer-changes.ts'
import { cookieOfVhost, pathOfVhost, readVhostPath } from './vhost-path.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** One vhost of a server, with what the API that works on it goes by. */
export interface ServedVhost<Context> {
  readonly name: string
  /** What stands before its addresses; nothing for the first one. */
  readonly path: string
  readonly context: Context
}

/** The vhosts of one server: each has an API of its own, and one login opens all that a person may see. */
export class ServedVhosts<Context> {
  /** Counts wrong credentials, whichever vhost they were for. */
  readonly guard: Guard = createGuard()
  /** The same: one broker keeps the records of all. */
  readonly viewerChanges: ViewerChanges = createViewerChanges()
  /** Of the sessions of a browser in the others; browsers keep no cookie that is longer. */
  readonly mostBytesOfOtherCookies: number
  readonly #served = new Map<string, ServedVhost<Context>>()
  readonly #doors = new Map<string, Handle>()
  #first: string | undefined

  /** In the order in which they are named. The first one is at the addresses of a server that has no other. */
  constructor(names: readonly string[]) {
    this.#first = names[0]
    this.mostBytesOfOtherCookies = (names.length - 1) * 4_096
  }

  pathOf(name: string): string {
    return name === this.#first ? '' : pathOfVhost(name)
  }

  cookieOf(name: string): string {
    return name === this.#first ? sessionCookie : cookieOfVhost(name)
  }

  /** Its API is there. */
  add(name: string, context: Context): void {
    this.#served.set(name, { name, path: this.pathOf(name), context })
  }

  /** Requests for it are answered there. */
  lead(name: string, door: Handle): void {
    this.#doors.set(name, door)
  }

  /** The first one first, then by name. */
  all(): readonly ServedVhost<Context>[] {
    return [...this.#served.values()].toSorted((left, right) => {
      if (left.path === '' || right.path === '') return left.path === '' ? -1 : 1
      return left.name < right.name ? -1 : 1
    })
  }

  othersThan(name: string): readonly ServedVhost<Context>[] {
    return this.all().filter((served) => served.name !== name)
  }

  /** Who answers a request for this address, and what it is there. Undefined: the first vhost itself. */
  doorTo(url: string): { readonly handle: Handle; readonly url: string } | undefined {
    const named = readVhostPath(url)
    const handle = named && this.#doors.get(named.vhost)
    return handle && { handle, url: named.rest }
  }
}
