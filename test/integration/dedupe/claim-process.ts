import { once } from 'node:events'
import { openStore, type StoreKind } from './open-store.ts'

// Claims keys in a process of its own, says which it got, and then stays at them until it is killed.
interface Task {
  readonly kind: StoreKind
  readonly url: string
  readonly claims: readonly { readonly key: string; readonly leaseMs: number }[]
}

const { kind, url, claims } = JSON.parse(process.argv[2]!) as Task
const { store } = await openStore(kind, url)
process.stdout.write('ready\n')
// Whoever started it says when, so that several begin together.
await once(process.stdin, 'data')
const answers = await Promise.all(claims.map(({ key, leaseMs }) => store.begin(key, leaseMs)))
const won = claims.filter((_, at) => typeof answers[at] === 'object').map(({ key }) => key)
process.stdout.write(`${JSON.stringify(won)}\n`)
