/** A body that is on its way. */
export interface ComingBody {
  readonly network: string
}

export interface ComingLimits {
  readonly most: number
  readonly mostOfNetwork: number
}

/**
 * The body that is given up for one that has just begun; undefined where there is room for all. Of the network that has
 * the most it is the one that has been coming for longest, since one that is meant comes at once.
 */
export function decideEvicted<Body extends ComingBody>(
  /** The oldest first, the newest last. */
  bodies: readonly Body[],
  { most, mostOfNetwork }: ComingLimits,
): Body | undefined {
  const newest = bodies.at(-1)
  const countOf = new Map<string, number>()
  for (const { network } of bodies) countOf.set(network, (countOf.get(network) ?? 0) + 1)
  if (newest && countOf.get(newest.network)! > mostOfNetwork)
    return bodies.find(({ network }) => network === newest.network)
  if (bodies.length <= most) return undefined
  const largest = Math.max(...countOf.values())
  return bodies.find(({ network }) => countOf.get(network) === largest)
}
