import { onTestFinished } from 'vitest'
import { createVhost, type TestVhost } from '../support/use-broker.ts'

/** A vhost that is dropped when the test is done. */
export async function useVhost(): Promise<TestVhost> {
  const broker = await createVhost()
  onTestFinished(broker.drop)
  return broker
}
