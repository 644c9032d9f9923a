import { setTimeout as sleep } from 'node:timers/promises'

export interface Lane {
  readonly name: string
  /** Whose place in the lane it is: each has one, so that nobody stands behind all that somebody else tries. */
  readonly place: string
  /** How long each in it takes at least. */
  readonly pauseMs: number
  /** So many wait in it. */
  readonly most: number
}

/** Does work in its turn; undefined where the lane is full, or they are in it already. */
export type RunSlowly = <Result>(lane: Lane, work: () => Promise<Result>) => Promise<Result> | undefined

/** Slows work down by its name, one after the other with a pause before each. */
export function createSlowLanes(): RunSlowly {
  const lanes = new Map<string, { last: Promise<unknown>; readonly places: Set<string> }>()
  return ({ name, place, pauseMs, most }, work) => {
    const lane = lanes.get(name) ?? { last: Promise.resolve(), places: new Set<string>() }
    if (lane.places.has(place) || lane.places.size >= most) return undefined
    lanes.set(name, lane)
    lane.places.add(place)
    const done = lane.last
      .then(() => sleep(pauseMs, undefined, { ref: false }))
      .then(work)
      .finally(() => {
        lane.places.delete(place)
        if (lane.places.size === 0) lanes.delete(name)
      })
    lane.last = done.catch(() => undefined)
    return done
  }
}
