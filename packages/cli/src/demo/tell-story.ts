import type { Receipt } from 'warrenmq'
import type { Management } from 'warrenmq/operations'
import { askWhy, type ParkedCauses } from './ask-why.ts'
import { type OpenedShop, openShop } from './open-shop.ts'
import type { Play } from './play.ts'
import { putBack } from './put-back.ts'
import { renderCauses } from './render-causes.ts'
import { renderSum, renderVerdict } from './render-sum.ts'
import type { Shop } from './start-services.ts'
import { type Storm, sufferStorm } from './suffer-storm.ts'
import { type Sum, sumUp } from './sum-up.ts'

/** Everything that was counted on the way, for `--json`. */
export interface DemoReport {
  readonly broker: { readonly product: string; readonly version: string; readonly isEmbedded: boolean }
  readonly topology: { readonly isProved: boolean; readonly queues: number; readonly steps: number }
  readonly storm: Storm
  readonly parked: readonly ParkedCauses[]
  readonly receipts: readonly Receipt[]
  readonly end: Sum
  readonly equation: string
  readonly addsUp: boolean
}

/** The whole product in one story: declare, fail, retry, park, ask why, mend, put back, and add it up. */
export async function tellStory(play: Play): Promise<DemoReport> {
  sayWhere(play)
  play.chapter('Three services: drawn, proved, applied')
  const opened = await openShop(play)
  const { shop } = opened
  const storm = await sufferStorm(play, shop)
  const management = await play.stage.findManagement(shop.names.payments)
  const parked = await explainDeaths(play, { shop, management })
  const receipts = await putBack(play, { shop, management, parked })
  const end = await sumUp({ stage: play.stage, ...shop, confirmed: storm.confirmed })
  return sayEnd(play, { opened, storm, parked, receipts, end })
}

function sayWhere({ stage, terminal }: Play): void {
  const { product, version } = stage.consuming.broker
  const { say, paint } = terminal
  const place = stage.isEmbedded ? 'a broker inside this process' : `${product} ${version}`
  say(`${paint('bold', 'Warren')} runs a shop on ${place}.`)
  if (stage.isEmbedded) say(`It behaves like ${product} ${version}, and its clock is virtual.`)
  else say(`Every name begins with ${stage.prefix}, and everything is deleted at the end.`)
}

async function explainDeaths(
  { stage, terminal, chapter }: Play,
  { shop, management }: { shop: Shop; management: Management | undefined },
): Promise<readonly ParkedCauses[]> {
  chapter('Why did they die?')
  const queues = shop.topology.queues.filter(({ role }) => role === 'dead-letter').map(({ name }) => name)
  const parked = await askWhy({ stage, management, queues })
  for (const line of renderCauses(parked)) terminal.say(`  ${line}`)
  return parked
}

type Told = Pick<DemoReport, 'storm' | 'parked' | 'receipts' | 'end'> & { readonly opened: OpenedShop }

function sayEnd({ stage, terminal, chapter }: Play, told: Told): DemoReport {
  const { opened, storm, receipts, end } = told
  const { say, paint } = terminal
  chapter('Does it add up?')
  const equation = renderSum(end)
  const addsUp =
    end.addsUp && storm.confirmed === storm.published && receipts.every(({ isBalanced }) => isBalanced)
  say(paint(['bold', addsUp ? 'green' : 'red'], `  ${equation}`))
  for (const line of renderVerdict({ sum: end, addsUp })) say(`  ${line}`)
  say()
  say(
    'Next: `warren init` writes a config, `warren broker` runs such a broker, `warren --help` lists the rest.',
  )
  const { topology } = opened.shop
  return {
    broker: { ...stage.consuming.broker, isEmbedded: stage.isEmbedded },
    topology: { isProved: opened.proof.isProved, queues: topology.queues.length, steps: opened.steps },
    storm,
    parked: told.parked,
    receipts,
    end,
    equation,
    addsUp,
  }
}
