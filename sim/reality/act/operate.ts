import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WarrenError } from '../../../packages/warrenmq/src/errors.ts'
import type { Deed } from '../../actors/operator.ts'
import type { Part } from '../client-task.ts'
import { pace, stillQueue } from '../plan-world.ts'

type RealDeed = Deed | 'redrive-to-still'

/** What an operator comes for, as in the simulation; half of the re-drives go where they can be counted. */
const errands: readonly (readonly RealDeed[])[] = [
  ['look'],
  ['redrive'],
  ['redrive-to-still'],
  ['redrive-to-still'],
  ['redrive-to-still'],
  ['redrive-by-exchange'],
  ['discard', 'restore'],
  ['discard', 'restore', 'restore'],
  ['discard'],
  ['back-up'],
  ['recover'],
]

/** Works on the dead letters until the end. */
export async function operate(part: Part): Promise<void> {
  const { random, ending, note } = part
  while (!ending.aborted) {
    for (const deed of random.pick(errands)) {
      await sleep(random.between(100, 15_000) * pace)
      if (ending.aborted) return
      if (deed !== 'look' && deed !== 'back-up') part.beginDeed()
      note({ what: 'deed', deed })
      try {
        await doIt(part, deed)
        note({ what: 'deed-ends', deed })
      } catch (error) {
        if (!(error instanceof WarrenError)) throw error
        note({ what: 'deed-ends', deed, code: error.code })
      }
    }
  }
}

async function doIt(part: Part, deed: RealDeed): Promise<void> {
  const { plan, actor: by, warren, random, note } = part
  const { workQueue, redriveWindow } = plan.scenario
  const letters = warren.deadLetters(workQueue)
  const asked = { by, acceptDeliveryLimit: true } as const
  switch (deed) {
    case 'look':
      await letters.causes(asked)
      return
    case 'back-up':
      await letters.backUp({ ...asked, file: `${nextFile(part)}.copy` })
      return
    case 'redrive':
    case 'redrive-by-exchange':
    case 'redrive-to-still': {
      const isStill = deed === 'redrive-to-still'
      const to = isStill ? { queue: stillQueue } : deed === 'redrive' ? 'origin' : 'exchange'
      const receipt = await letters.redrive({
        ...asked,
        to,
        reason: 'the gateway is back',
        wait: random.pick(['1s', '15s']),
        window: { messages: redriveWindow },
      })
      note({ what: 'receipt', still: isStill, receipt })
      note({ what: 'twice', count: receipt.duplicatesPossible })
      return
    }
    case 'recover':
      for (const { receipt, duplicatesPossible } of await warren.recover(asked)) {
        if (receipt) note({ what: 'receipt', still: false, receipt })
        note({ what: 'twice', count: duplicatesPossible })
      }
      return
    case 'discard':
      await letters.discard({ ...asked, file: nextFile(part), reason: 'junk' })
      return
    case 'restore': {
      const file = filesOf(part).at(-1)
      if (file === undefined) return
      const report = await letters.restore({ ...asked, file })
      note({ what: 'restore', report })
      note({ what: 'twice', count: report.duplicatesPossible })
    }
  }
}

/** Files of discards by this actor, in the order in which they were begun; also by a process that was killed. */
function filesOf({ world, actor, folder }: Part): readonly string[] {
  const own = readdirSync(folder).filter(
    (name) => name.startsWith(`${world.seed}-${actor}-`) && name.endsWith('.backup'),
  )
  return own.toSorted().map((name) => join(folder, name))
}

function nextFile(part: Part): string {
  const count = filesOf(part).length + 1
  return join(part.folder, `${part.world.seed}-${part.actor}-${String(count).padStart(4, '0')}.backup`)
}
