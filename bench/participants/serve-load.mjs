import { measure } from './participant.mjs'
import { startServer } from './serve-run.mjs'

const server = await startServer({ pollers: 200, streams: 20 })
await measure(() => server.redrive())
await server.close()
