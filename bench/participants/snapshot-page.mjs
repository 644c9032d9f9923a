import { task } from './participant.mjs'
import { measureRead } from './snapshot-run.mjs'

// Pages of 50 all over the snapshot.
await measureRead([
  ({ get, snapshot, at }) => {
    const start = Math.floor((task.messages / 150) * at)
    return get(`${snapshot}/messages?cursor=${start.toString(36)}`)
  },
])
