// How many messages are sent ahead is left to the library: with a time-out for the handler it is more than without.
import { task } from './participant.mjs'

delete task.prefetch
task.timeout = '30s'
await import('./consumer-warren.mjs')
