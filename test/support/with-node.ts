import { describe, test } from 'vitest'
import { sharedBroker } from './shared-broker.ts'

const isSkipped = mustSkip()

/** `test` for what starts, kills or pauses a node of its own. */
export const testWithNode: ReturnType<typeof test.skipIf> = test.skipIf(isSkipped)

/**
 * `test` for what kills a node of a cluster under load. It takes minutes and does not end well every time: consumers
 * may stand still after the loss on 3.10, and a re-drive waits for its lock on 4.3. Until that is mended it is asked for.
 */
export const testOnCluster: ReturnType<typeof test.skipIf> = test.skipIf(isSkipped || !isClusterAskedFor())

/** `describe` for what `testWithNode` is for. */
export const describeWithNode: ReturnType<typeof describe.skipIf> = describe.skipIf(isSkipped)

/** In CI nothing is skipped: there the tests run, and fail with the sentence that says what is missing. */
function mustSkip(): boolean {
  if (sharedBroker().canStartNodes || process.env.CI) return false
  process.stderr.write(
    'Skipped: tests that need a node of their own, since only the broker behind AMQP_URL can be had here.\n',
  )
  return true
}

function isClusterAskedFor(): boolean {
  if (process.env.WARREN_CLUSTER_STORMS) return true
  process.stderr.write(
    'Skipped: the loss of a cluster node under load, which does not end well every time. WARREN_CLUSTER_STORMS=1 runs it.\n',
  )
  return false
}
