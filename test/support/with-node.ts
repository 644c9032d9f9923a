import { describe, test } from 'vitest'
import { sharedBroker } from './shared-broker.ts'

const isSkipped = mustSkip()

/** `test` for what starts, kills or pauses a node of its own. */
export const testWithNode: ReturnType<typeof test.skipIf> = test.skipIf(isSkipped)

/** `describe` for what `testWithNode` is for. */
export const describeWithNode: ReturnType<typeof describe.skipIf> = describe.skipIf(isSkipped)

/** `describe` for what needs a cluster, which takes a minute and a half. `WARREN_CLUSTER=0` leaves it out. */
export const describeOnCluster: ReturnType<typeof describe.skipIf> = describe.skipIf(
  isSkipped || process.env.WARREN_CLUSTER === '0',
)

/** In CI nothing is skipped: there the tests run, and fail with the sentence that says what is missing. */
function mustSkip(): boolean {
  if (sharedBroker().canStartNodes || process.env.CI) return false
  process.stderr.write(
    'Skipped: tests that need a node of their own, since only the broker behind AMQP_URL can be had here.\n',
  )
  return true
}
