import { measure } from './participant.mjs'
import { startServer } from './serve-run.mjs'

const server = await startServer()
await measure(() => server.redrive())
await server.close()
