import { WarrenError } from '../../packages/warrenmq/src/errors.ts'
import type { DeadLetters, Warren } from '../../packages/warrenmq/src/index.ts'
import { sleep } from '../../packages/warrenmq/src/world.ts'
import { readRestored } from '../check/read-discarded.ts'
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
  const isKeen = random.chance(0.5)
  return createActor(stage, name, async () => {
    const warren = await openWarren(stage)
    const letters = warren.deadLetters(stage.scenario.workQueue)
    const tryOnce = async (deed: Deed): Promise<string | undefined> => {
      if (deed !== 'look') stage.beginDeed()
      try {
        await doIt(stage, name, { deed, letters, warren, random })
        return undefined
      } catch (error) {
        if (!(error instanceof WarrenError)) throw error
        universe.tell(`${name}: the ${deed} ends with ${error.code}`)
        return error.code
      }
    }
    // What was under way when somebody was killed is begun again.
    for (let deed = left[0]; deed; deed = left[0]) {
      await sleep(random.between(100, 15_000))
      if (deed !== 'restore' && name !== 'closer') await awaitDeadLetters(stage, random.between(0, 6))
      let problem = await tryOnce(deed)
      for (let more = isKeen ? 20 : 0; problem === 'RECOVERY_LOCKED' && more > 0; more -= 1) {
        await sleep(random.between(50, 500))
        problem = await tryOnce(deed)
      }
      left.shift()
    }
    await warren.close()
  })
}

/** An alert calls them when there are so many; after a while they come anyway. */
async function awaitDeadLetters({ deadLetters }: Stage, count: number): Promise<void> {
  for (let looks = 0; looks < longestAlertS && deadLetters() < count; looks += 1) await sleep(1000)
}

const longestAlertS = 180

async function doIt(
  stage: Stage,
  name: string,
  {
    deed,
    letters,
    warren,
    random,
  }: { deed: Deed; letters: DeadLetters; warren: Warren<string>; random: Random },
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
        wait: name === 'closer' ? '5m' : random.pick(['5s', '5m']),
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
      const publishedBefore = stage.publishedDead()
      const doneBefore = readRestored(universe.files.peek(`${file}.restored`)).size
      const report = await letters.restore({ file, by: name, acceptDeliveryLimit: true })
      ledger.restores.push({ report, doneBefore, published: stage.publishedDead() - publishedBefore })
      ledger.mayBeTwice += report.duplicatesPossible
      universe.tell(`${name} restores ${report.restored} of ${report.records}`)
    }
  }
}
