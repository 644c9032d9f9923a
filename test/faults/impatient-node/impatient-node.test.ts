import { afterAll, beforeAll, describe } from 'vitest'
import { startImpatientNode } from '../../support/start-impatient-node.ts'
import type { RabbitNode } from '../../support/start-rabbit-node.ts'
import { describeWithNode } from '../../support/with-node.ts'
import { testLongLooks } from './long-looks.ts'
import { testSlowConsumers } from './slow-consumers.ts'

describeWithNode('a broker that waits no longer for an acknowledgement', () => {
  let node: RabbitNode
  const open = () => node
  beforeAll(async () => {
    node = await startImpatientNode()
  })
  afterAll(() => node?.destroy())

  testSlowConsumers(open)
  describe('and whose time-out nobody told us', () => testLongLooks(open))
})
