import type { TypeRoutes } from '../redrive/plan-redrive.ts'
import { nameAddress } from '../redrive/redrive-tally.ts'

/**
 * How a summary names the targets of a receipt: by the routing key alone, as the reference service does, and with the
 * exchange if another route has the same key.
 */
export function nameTargets({ routes }: TypeRoutes): (target: string) => string {
  const addresses = new Map(Object.values(routes).map((route) => [nameAddress(route), route.key]))
  const keys = [...addresses.values()]
  return (target) => {
    const key = addresses.get(target)
    return key !== undefined && keys.indexOf(key) === keys.lastIndexOf(key) ? key : target
  }
}
