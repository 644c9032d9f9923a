import { Session } from '../../src/broker/amqp/session.ts'
import { startConsumer } from '../../src/consumer/start-consumer.ts'
import { compileTopology } from '../../src/topology/compile-topology.ts'
import { stormHandler, stormQueue, stormTopology } from './consumer-storm.ts'

// A consumer in a process of its own, to be killed: writes the id of each message that it handled.
const [url = ''] = process.argv.slice(2)
const consuming = await Session.open(url)
const publishing = await Session.open(url)
const [flow] = compileTopology(stormTopology('warren'), { brokerVersion: consuming.broker.version }).flows
startConsumer({
  consuming,
  publishing,
  flow: flow!,
  handler: stormHandler((id) => process.stdout.write(`${id}\n`)),
  options: { concurrency: 20, prefetch: 60, poisonLimit: false },
})
process.stderr.write(`consuming ${stormQueue}\n`)
