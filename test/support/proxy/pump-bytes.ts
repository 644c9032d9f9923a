import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Direction, FrameFault, FrameTrap } from './frame-trap.ts'
import { createFrameSplitter, type Piece, type SeenFrame } from './split-frames.ts'

/** The weather on the connection. One object for the whole proxy; the pumps read it for every piece. */
export interface LineConditions {
  delayMs: number
  bytesPerSecond: number
  readonly swallowed: Set<Direction>
  readonly traps: Set<FrameTrap>
}

export interface Line {
  readonly direction: Direction
  readonly from: Socket
  readonly to: Socket
  readonly conditions: LineConditions
  /** Ends both sides of the connection. */
  cut(): void
}

interface QueuedPiece extends Piece {
  readonly arrivedAt: number
}

// Enough for any delay in a test, and a bound all the same.
const queueLimitBytes = 32 * 1024 * 1024

/** Carries one direction of a connection until it ends, under the conditions of the moment. */
export function pumpBytes(line: Line): void {
  const { from, to } = line
  const split = createFrameSplitter()
  const queue: QueuedPiece[] = []
  let queuedBytes = 0
  let isDraining = false
  let hasEnded = false

  async function drain(): Promise<void> {
    if (isDraining) return
    isDraining = true
    for (let piece = queue.shift(); piece; piece = queue.shift()) {
      await waitForDelay(piece, line)
      await passOn(piece, line)
      queuedBytes -= piece.bytes.length
      if (queuedBytes < queueLimitBytes) from.resume()
    }
    isDraining = false
    if (hasEnded) to.end()
  }

  from.on('data', (chunk: Buffer) => {
    const arrivedAt = performance.now()
    const pieces = split(chunk).map((piece) => ({ ...piece, arrivedAt }))
    queue.push(...pieces)
    queuedBytes += pieces.reduce((sum, piece) => sum + piece.bytes.length, 0)
    if (queuedBytes >= queueLimitBytes) from.pause()
    void drain()
  })
  from.on('end', () => {
    hasEnded = true
    void drain()
  })
  from.on('error', () => line.cut())
  from.on('close', () => line.cut())
}

// How often a piece that waits looks at the conditions again, which a test may have changed meanwhile.
const tickMs = 20

/** The delay is that of the connection, counted from arrival: pieces do not wait for each other. */
async function waitForDelay(piece: QueuedPiece, { conditions, to }: Line): Promise<void> {
  for (;;) {
    const remainingMs = piece.arrivedAt + conditions.delayMs - performance.now()
    if (conditions.delayMs === 0 || remainingMs <= 0 || to.destroyed) return
    await sleep(Math.min(remainingMs, tickMs))
  }
}

async function passOn(piece: QueuedPiece, line: Line): Promise<void> {
  const trap = piece.frame && springTrap(piece.frame, line)
  if (!trap) return send(piece.bytes, line)
  const { fault } = trap
  if (fault.kind === 'cut') {
    await cutAround(piece.bytes, fault.where, line)
  } else {
    changeConditions(fault, line.conditions)
    await waitForDelay(piece, line)
    await send(piece.bytes, line)
  }
  trap.announce(piece.frame as SeenFrame)
}

function springTrap(frame: SeenFrame, { direction, conditions }: Line): FrameTrap | undefined {
  // Every trap counts every frame, also when another one springs at it.
  const sprung = [...conditions.traps].filter((trap) => trap.isSprungBy(direction, frame))
  const [first] = sprung
  if (first) conditions.traps.delete(first)
  return first
}

async function cutAround(bytes: Buffer, where: 'before' | 'middle' | 'after', line: Line): Promise<void> {
  const share = { before: 0, middle: Math.floor(bytes.length / 2), after: bytes.length }[where]
  await write(bytes.subarray(0, share), line.to)
  line.cut()
}

function changeConditions(fault: Exclude<FrameFault, { kind: 'cut' }>, conditions: LineConditions): void {
  if (fault.kind === 'delay') conditions.delayMs = fault.delayMs
  if (fault.kind === 'throttle') conditions.bytesPerSecond = fault.bytesPerSecond
  if (fault.kind === 'swallow') swallow(conditions, fault.direction)
}

export function swallow({ swallowed }: LineConditions, direction: Direction | 'both'): void {
  if (direction !== 'to-client') swallowed.add('to-broker')
  if (direction !== 'to-broker') swallowed.add('to-client')
}

async function send(bytes: Buffer, { direction, to, conditions }: Line): Promise<void> {
  let sent = 0
  while (sent < bytes.length && !conditions.swallowed.has(direction) && !to.destroyed) {
    const { bytesPerSecond } = conditions
    const isThrottled = Number.isFinite(bytesPerSecond)
    const share = isThrottled ? Math.max(1, Math.floor((bytesPerSecond * tickMs) / 1000)) : bytes.length
    await write(bytes.subarray(sent, sent + share), to)
    sent += share
    if (isThrottled) await sleep(tickMs)
  }
}

function write(bytes: Buffer, to: Socket): Promise<void> {
  if (to.destroyed || bytes.length === 0) return Promise.resolve()
  // An error is the other pump's to see: there the socket closes and the connection is cut.
  return new Promise((resolve) => void to.write(bytes, () => resolve()))
}
