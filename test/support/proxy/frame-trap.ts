import type { SeenFrame } from './split-frames.ts'

export type Direction = 'to-broker' | 'to-client'

/** Which frame to wait for. What is left out matches anything. */
export interface FrameMatch extends Partial<SeenFrame> {
  readonly direction: Direction
  /** The n-th frame that matches, counted from now on, over all connections. @default 1 */
  readonly nth?: number
}

/** What happens at the frame. All but `cut` begin with the frame itself and last until `resume()`. */
export type FrameFault =
  | { readonly kind: 'cut'; readonly where: 'before' | 'middle' | 'after' }
  | { readonly kind: 'swallow'; readonly direction: Direction | 'both' }
  | { readonly kind: 'delay'; readonly delayMs: number }
  | { readonly kind: 'throttle'; readonly bytesPerSecond: number }

/** A fault that waits for its frame. */
export interface FrameTrap {
  readonly fault: FrameFault
  /** Counts the frame; true when it is the one. */
  isSprungBy(direction: Direction, frame: SeenFrame): boolean
  /** Tells the test that it has happened. */
  announce(frame: SeenFrame): void
}

export function createFrameTrap(
  match: FrameMatch,
  fault: FrameFault,
): { trap: FrameTrap; sprung: Promise<SeenFrame> } {
  const { direction: wantedDirection, nth = 1, ...wanted } = match
  const { promise: sprung, resolve } = withResolvers<SeenFrame>()
  let seen = 0
  const isSprungBy = (direction: Direction, frame: SeenFrame) => {
    if (direction !== wantedDirection || !hasAll(frame, wanted)) return false
    seen += 1
    return seen === nth
  }
  return { trap: { fault, isSprungBy, announce: resolve }, sprung }
}

function hasAll(frame: SeenFrame, wanted: Partial<SeenFrame>): boolean {
  const entries = Object.entries(wanted) as [keyof SeenFrame, number | undefined][]
  return entries.every(([key, value]) => value === undefined || frame[key] === value)
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((give) => {
    resolve = give
  })
  return { promise, resolve }
}
