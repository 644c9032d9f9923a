import { task } from './participant.mjs'
import { startServer } from './serve-run.mjs'

// What is told as seconds is the slowest request of any client, not the time of the whole.
const server = await startServer({ pollers: 200, streams: 20 })
const seconds = await server.redrive()
await server.close()
const others = { messages: task.messages, messagesPerSecond: 0, cpuMicrosPerMessage: 0, peakMemoryMiB: 0 }
process.stdout.write(`${JSON.stringify({ ...others, seconds })}\n`)
