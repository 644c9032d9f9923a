// How many messages are sent ahead is left to the library, as in its documentation.
import { task } from './participant.mjs'

delete task.prefetch
await import('./consumer-rascal.mjs')
