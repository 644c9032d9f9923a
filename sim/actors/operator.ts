import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import type { DeadLetters, Warren } from '../../packages/warrenmq/src/index.ts'
import { sleep } from '../../packages/warrenmq/src/world.ts'
import type { Random } from '../world/random.ts'
import { type Actor, createActor, openWarren, type Stage } from './actors.ts'

/** What an operator may do to the dead letters. */
export type Deed = 'look' | 'redrive' | 'redrive-by-exchange' | 'discard' | 'back-up' | 'restore' | 'recover'

/** Somebody who works on dead letters while everything else goes on. */
export function createOperator(
  stage: Stage,
  name: string,
  { deeds, random }: { deeds: readonly Deed[]; random: Random },
): Actor {
  const { universe } = stage
  const left = [...deeds]
  return createActor(stage, name, async () => {
    const warren = await openWarren(stage)
    const letters = warren.deadLetters(stage.scenario.workQueue)
    for (let deed = left.shift(); deed; deed = left.shift()) {
      await sleep(random.between(100, 15_000))
      if (deed !== 'look') stage.beginDeed()
      try {
        await doIt(stage, name, { deed, letters, warren })
      } catch (error) {
        if (!(error instanceof WarrenError)) throw error
        universe.tell(`${name}: the ${deed} ends with ${error.code}`)
      }
    }
    await warren.close()
  })
}

async function doIt(
  stage: Stage,
  name: string,
  { deed, letters, warren }: { deed: Deed; letters: DeadLetters; warren: Warren<string> },
): Promise<void> {
  const { universe, ledger, scenario } = stage
  const file = `${name}.backup`
  switch (deed) {
    case 'look': {
      const causes = await letters.causes({ acceptDeliveryLimit: true })
      universe.tell(`${name} sees ${causes.length} causes`)
      return
    }
    case 'redrive':
    case 'redrive-by-exchange': {
      universe.tell(`${name} begins a re-drive`)
      const receipt = await letters.redrive({
        by: name,
        reason: 'the gateway is back',
        wait: '5m',
        to: deed === 'redrive' ? 'origin' : 'exchange',
        acceptDeliveryLimit: true,
        window: { messages: scenario.redriveWindow },
      })
      ledger.receipts.push({ receipt, window: scenario.redriveWindow })
      ledger.mayBeTwice += receipt.duplicatesPossible
      universe.tell(`${name}: re-drive is ${receipt.outcome}, moved ${receipt.moved} of ${receipt.present}`)
      return
    }
    case 'recover': {
      universe.tell(`${name} begins a recovery`)
      const recoveries = await warren.recover({ by: name, acceptDeliveryLimit: true })
      for (const recovery of recoveries) {
        const { receipt, recovered, skipped, left, duplicatesPossible } = recovery
        if (receipt) ledger.receipts.push({ receipt, window: scenario.redriveWindow })
        ledger.mayBeTwice += duplicatesPossible
        universe.tell(`${name} recovers ${recovered}, skips ${skipped}, leaves ${left}`)
      }
      return
    }
    case 'back-up': {
      const { records } = await letters.backUp({ file: `${name}.copy`, by: name, acceptDeliveryLimit: true })
      universe.tell(`${name} backs up ${records}`)
      return
    }
    case 'discard': {
      ledger.backups.add(file)
      const { removed } = await letters.discard({ file, by: name, acceptDeliveryLimit: true, reason: 'junk' })
      universe.tell(`${name} discards ${removed}`)
      return
    }
    case 'restore': {
      if (!ledger.backups.has(file)) return
      const { restored, duplicatesPossible } = await letters.restore({
        file,
        by: name,
        acceptDeliveryLimit: true,
      })
      ledger.mayBeTwice += duplicatesPossible
      universe.tell(`${name} restores ${restored}`)
    }
  }
}
