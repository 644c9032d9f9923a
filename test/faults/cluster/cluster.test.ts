import { afterAll, beforeAll, describe } from 'vitest'
import { type RabbitCluster, startCluster } from '../../support/start-cluster.ts'
import { describeOnCluster } from '../../support/with-node.ts'
import { testDeployment } from './deployment.ts'
import { testLostNodes } from './lost-nodes.ts'
import { testMembership } from './membership.ts'

// All that needs a cluster is done on one, since to start it takes longer than to use it.
describeOnCluster('a cluster of three', () => {
  let cluster: RabbitCluster
  const open = () => cluster
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, deadLetterResendMs: 3_000 })
  }, 600_000)
  afterAll(() => cluster?.destroy())

  // A broker may take a nap here as in the integration tests. What a lost node does to messages must hold at the first try.
  describe('that is whole', { retry: process.env.CI ? 1 : 0 }, () => {
    testDeployment(open)
    testMembership(open)
  })
  testLostNodes(open)
})
