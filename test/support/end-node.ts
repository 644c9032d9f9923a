import { onTestFinished } from 'vitest'
import type { RabbitNode } from './node/rabbit-node.ts'

/**
 * Ends a node that other tests use, too; gives what starts it again. A test that fails in between leaves it started, so
 * that neither its second try nor the next test finds no broker.
 */
export async function endNode(node: RabbitNode, how: 'kill9' | 'stop'): Promise<() => Promise<void>> {
  let isStarted = false
  const startAgain = async (): Promise<void> => {
    if (!isStarted) await node.start()
    isStarted = true
  }
  await node[how]()
  onTestFinished(startAgain)
  return startAgain
}
