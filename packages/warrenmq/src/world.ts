import { randomUUID as createUuid } from 'node:crypto'
import { type FileHandle, open, readFile as readWholeFile } from 'node:fs/promises'
import http, { type ClientRequest } from 'node:http'
import https, { type RequestOptions } from 'node:https'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { hostname as nameOfHost } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import { promisify } from 'node:util'
import {
  createInflateRaw as createRawInflater,
  deflateRaw,
  type InflateRaw,
  type ZlibOptions,
} from 'node:zlib'

/*
 * Everything that the library gets from outside: time, timers, turns of the event loop, chance, names, sockets, HTTP,
 * files and threads. These are Node's own functions under names that can be bound anew. Only the simulation does that
 * (`sim/` in the repository): it gives the library a world of its own.
 */

/** What a world consists of. Each has the meaning of Node's function of that name. */
export interface World {
  readonly setTimeout: typeof globalThis.setTimeout
  readonly clearTimeout: typeof globalThis.clearTimeout
  readonly setInterval: typeof globalThis.setInterval
  readonly clearInterval: typeof globalThis.clearInterval
  readonly setImmediate: typeof globalThis.setImmediate
  readonly performance: { readonly timeOrigin: number; now(): number }
  /** Wall time: milliseconds since the epoch. */
  dateNow(): number
  sleep(ms: number): Promise<void>
  abortAfter(ms: number): AbortSignal
  /** From 0 (inclusive) to 1 (exclusive). */
  random(): number
  randomUUID(): string
  hostname(): string
  connectTcp(options: NetConnectOpts): Socket
  connectTls(options: ConnectionOptions): Socket
  requestHttp(options: RequestOptions & { readonly isTls: boolean }): ClientRequest
  openFile(path: string, flags: string, mode?: number): Promise<FileHandle>
  readFile(path: string, encoding: 'utf8'): Promise<string>
  /** Compresses on a thread of its own. */
  deflate(content: Buffer, options: { readonly level: number }): Promise<Buffer>
  createInflateRaw(options: ZlibOptions): InflateRaw
}

/** The world of Node. What somebody may replace in a test, as the date, is looked up with each call. */
export const nodeWorld: World = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  performance: globalThis.performance,
  dateNow: () => Date.now(),
  sleep: pause,
  abortAfter: (ms) => AbortSignal.timeout(ms),
  random: () => Math.random(),
  randomUUID: createUuid,
  hostname: nameOfHost,
  connectTcp: connect,
  connectTls: connectSecurely,
  requestHttp: ({ isTls, ...options }) => (isTls ? https : http).request(options),
  openFile: open,
  readFile: readWholeFile,
  deflate: promisify(deflateRaw),
  createInflateRaw: createRawInflater,
}

export let setTimeout: World['setTimeout'] = nodeWorld.setTimeout
export let clearTimeout: World['clearTimeout'] = nodeWorld.clearTimeout
export let setInterval: World['setInterval'] = nodeWorld.setInterval
export let clearInterval: World['clearInterval'] = nodeWorld.clearInterval
export let setImmediate: World['setImmediate'] = nodeWorld.setImmediate
export let performance: World['performance'] = nodeWorld.performance
export let dateNow: World['dateNow'] = nodeWorld.dateNow
export let sleep: World['sleep'] = nodeWorld.sleep
export let abortAfter: World['abortAfter'] = nodeWorld.abortAfter
export let random: World['random'] = nodeWorld.random
export let randomUUID: World['randomUUID'] = nodeWorld.randomUUID
export let hostname: World['hostname'] = nodeWorld.hostname
export let connectTcp: World['connectTcp'] = nodeWorld.connectTcp
export let connectTls: World['connectTls'] = nodeWorld.connectTls
export let requestHttp: World['requestHttp'] = nodeWorld.requestHttp
export let openFile: World['openFile'] = nodeWorld.openFile
export let readFile: World['readFile'] = nodeWorld.readFile
export let deflate: World['deflate'] = nodeWorld.deflate
export let createInflateRaw: World['createInflateRaw'] = nodeWorld.createInflateRaw

/** From now on the library lives in this world. */
export function enterWorld(world: World): void {
  setTimeout = world.setTimeout
  clearTimeout = world.clearTimeout
  setInterval = world.setInterval
  clearInterval = world.clearInterval
  setImmediate = world.setImmediate
  performance = world.performance
  dateNow = world.dateNow
  sleep = world.sleep
  abortAfter = world.abortAfter
  random = world.random
  randomUUID = world.randomUUID
  hostname = world.hostname
  connectTcp = world.connectTcp
  connectTls = world.connectTls
  requestHttp = world.requestHttp
  openFile = world.openFile
  readFile = world.readFile
  deflate = world.deflate
  createInflateRaw = world.createInflateRaw
}
