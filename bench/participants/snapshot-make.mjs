import { measure } from './participant.mjs'
import { startServer } from './snapshot-run.mjs'

const { makeSnapshot, close } = await startServer()
await measure(makeSnapshot)
await close()
