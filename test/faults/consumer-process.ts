import { connect, defineTopology } from '../../packages/warrenmq/src/index.ts'
import { stormHandler, stormOptions, stormQueues, stormTopology } from './consumer-storm-topology.ts'

// Consumers in a process of their own, to be stopped or killed: writes the id of each message that was handled.
const [url = ''] = process.argv.slice(2)
const warren = await connect(url, { topology: defineTopology(stormTopology), closeOn: ['SIGTERM'] })
const handler = stormHandler((id) => process.stdout.write(`${id}\n`))
for (const queue of stormQueues) await warren.consume(queue, handler, stormOptions)
process.stdout.write('ready\n')
