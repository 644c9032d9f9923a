import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { climbLocks, findRival, type LockSteps } from './climb-locks.ts'

const names = ['lock', 'lock~2', 'lock~3', 'lock~4']

/** A cluster that keeps the names of a node that went down until the node is back, as RabbitMQ does from 4.2 on. */
function createCluster() {
  const owners = new Map<string, Connection>()
  const down = new Set<number>()
  const free = (connection: Connection): void => {
    for (const [name, owner] of owners) if (owner === connection) owners.delete(name)
  }
  return {
    owners,
    down,
    kill: (node: number) => void down.add(node),
    /** A node that comes back forgets the connections that it had. */
    restart: (node: number) => {
      for (const owner of new Set(owners.values())) {
        if (owner.node !== node) continue
        owner.isLost = true
        free(owner)
      }
      down.delete(node)
    },
    close: free,
  }
}

interface Connection {
  readonly node: number
  isLost: boolean
}

type Cluster = ReturnType<typeof createCluster>

/** Each step happens at one instant, and `turn` says when. */
function stepsOf(cluster: Cluster, connection: Connection, turn: () => Promise<void>): LockSteps {
  const reach = async (): Promise<void> => {
    await turn()
    if (connection.isLost || cluster.down.has(connection.node)) throw new Error('connection lost')
  }
  return {
    take: async (name) => {
      await reach()
      const owner = cluster.owners.get(name)
      if (owner && owner !== connection) return 'taken'
      cluster.owners.set(name, connection)
      return 'mine'
    },
    isOrphan: async (name) => {
      await reach()
      const owner = cluster.owners.get(name)
      return owner !== undefined && cluster.down.has(owner.node)
    },
    drop: async (name) => {
      await reach()
      if (cluster.owners.get(name) === connection) cluster.owners.delete(name)
    },
  }
}

const now = (): Promise<void> => Promise.resolve()

function connect(cluster: Cluster, node: number) {
  const connection: Connection = { node, isLost: false }
  return { connection, steps: stepsOf(cluster, connection, now) }
}

describe('a lock', () => {
  it('is held under its first name, and leaves no other behind', async () => {
    const cluster = createCluster()
    const { steps } = connect(cluster, 1)

    expect(await climbLocks(names, steps)).toEqual({ kind: 'held', name: 'lock' })

    expect([...cluster.owners.keys()]).toEqual(['lock'])
  })

  it('of a living holder is not taken', async () => {
    const cluster = createCluster()
    await climbLocks(names, connect(cluster, 1).steps)

    expect(await climbLocks(names, connect(cluster, 2).steps)).toEqual({ kind: 'locked', name: 'lock' })

    expect(cluster.owners.size).toBe(1)
  })

  it('of a node that is gone is held under the next name, as often as nodes go', async () => {
    const cluster = createCluster()
    const taken: unknown[] = []

    for (const node of [1, 2, 3, 4, 5]) {
      taken.push(await climbLocks(names, connect(cluster, node).steps))
      cluster.kill(node)
    }

    expect(taken).toEqual([
      ...names.map((name) => ({ kind: 'held', name })),
      { kind: 'locked', name: 'lock~4' },
    ])
  })

  it('under a later name keeps others away when the first name is free again', async () => {
    const cluster = createCluster()
    await climbLocks(names, connect(cluster, 1).steps)
    cluster.kill(1)
    await climbLocks(names, connect(cluster, 2).steps)
    cluster.restart(1)

    expect(await climbLocks(names, connect(cluster, 3).steps)).toEqual({ kind: 'locked', name: 'lock~2' })

    expect([...cluster.owners.keys()]).toEqual(['lock~2'])
  })

  it('that was taken over is known to be lost by looking at the later names', async () => {
    const cluster = createCluster()
    const first = connect(cluster, 1)
    await climbLocks(names, first.steps)
    expect(await findRival(names.slice(1), first.steps)).toBeUndefined()

    // The cluster took the node for gone, and it was only cut off.
    cluster.kill(1)
    await climbLocks(names, connect(cluster, 2).steps)
    cluster.down.delete(1)

    expect(await findRival(names.slice(1), first.steps)).toBe('lock~2')
  })

  it('never has two holders, in whatever order steps are taken and nodes go and come back', async () => {
    const event = fc.record({ node: fc.nat(2), kind: fc.constantFrom('kill', 'restart') })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat(2), { minLength: 2, maxLength: 5 }),
        fc.array(event, { maxLength: 8 }),
        async (scheduler, contenders, events) => {
          const cluster = createCluster()
          const holders = new Set<Connection>()
          const living = () =>
            [...holders].filter(({ node, isLost }) => !isLost && !cluster.down.has(node)).length
          const turn = () => scheduler.schedule(Promise.resolve()).then(() => undefined)
          const contend = async (node: number): Promise<void> => {
            const connection: Connection = { node, isLost: false }
            const climbed = await climbLocks(names, stepsOf(cluster, connection, turn)).catch(() => undefined)
            if (climbed?.kind === 'held') holders.add(connection)
            expect(living()).toBeLessThanOrEqual(1)
          }
          const happen = async ({ node, kind }: { node: number; kind: 'kill' | 'restart' }) => {
            await turn()
            if (kind === 'kill') cluster.kill(node)
            else cluster.restart(node)
            for (const holder of holders)
              if (holder.isLost || cluster.down.has(holder.node)) holders.delete(holder)
          }

          const all = Promise.all([...contenders.map(contend), ...events.map(happen)])
          await scheduler.waitFor(all)
        },
      ),
      { numRuns: 1_000 },
    )
  })
})
