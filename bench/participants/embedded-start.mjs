import { startEmbeddedBroker } from 'warrenmq/testing'
import { measure } from './participant.mjs'

// The first of this process, which finds nothing warm but the modules.
let broker
await measure(async () => {
  broker = await startEmbeddedBroker()
})
await broker.stop()
