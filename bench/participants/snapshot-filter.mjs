import { measureRead } from './snapshot-run.mjs'

// Another filter each time, over fields of the index: none is answered from memory of the one before.
await measureRead(({ get, snapshot, at }) =>
  get(
    `${snapshot}/messages?where=${encodeURIComponent(`attempts>=1 and died>${at + 1}ms and not type:none`)}`,
  ),
)
