import { task } from './participant.mjs'
import { measureRead } from './snapshot-run.mjs'

// Messages all over the snapshot; their keys are read before.
const keys = []
await measureRead([
  async ({ get, snapshot, at }) => {
    if (keys.length === 0)
      for (let step = 0; step < 121; step += 1) {
        const cursor = Math.floor((task.messages / 150) * step).toString(36)
        keys.push((await get(`${snapshot}/messages?limit=1&cursor=${cursor}`)).items[0].key)
      }
    await get(`${snapshot}/messages/${keys[at]}`)
  },
])
