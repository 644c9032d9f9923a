import { DeploymentError } from 'warrenmq'
import {
  applyPlan,
  type CompiledTopology,
  createPublisher,
  type Proof,
  parseDuration,
  planBlindly,
  proveTopology,
  readTopology,
  renderPlan,
} from 'warrenmq/operations'
import { createLadder } from './ladder.ts'
import { createOrderBook } from './order-book.ts'
import { createOutsideWorld } from './outside-world.ts'
import type { Play } from './play.ts'
import { renderPicture } from './render-picture.ts'
import { declareShop, nameShop } from './shop-names.ts'
import { type Shop, startServices } from './start-services.ts'

export interface OpenedShop {
  readonly shop: Shop
  readonly proof: Proof
  /** Steps of the plan that were carried out. */
  readonly steps: number
}

/** Draws the topology, proves it for the version of the broker, declares it, and starts the services. */
export async function openShop(play: Play): Promise<OpenedShop> {
  const { stage, atEnd } = play
  const { consuming, publishing } = stage
  const names = nameShop(stage.prefix)
  // The names are new, so there is nothing on the broker that a plan would have to look at.
  const declaration = readTopology(declareShop(names, stage.delays))
  const { wanted: topology, plan } = planBlindly(declaration, consuming.broker.version)
  const proof = sayProof(play, topology)
  const applying = applyPlan(consuming, plan)
  atEnd(async () => {
    await applying.catch(() => {}) // what is still being made cannot be taken away yet
    await stage.cleanUp(topology)
  })
  const report = await applying
  if (!report.isComplete) throw new DeploymentError({ report, plan: renderPlan(plan) })
  const { exchanges, queues, bindings } = topology
  play.terminal.say(
    `  Applied: ${exchanges.length} exchanges, ${queues.length} queues and ${bindings.length} bindings.`,
  )

  const shop: Shop = {
    names,
    topology,
    consuming,
    publishing,
    now: stage.now,
    publisher: createPublisher(publishing),
    world: createOutsideWorld(),
    book: createOrderBook(),
    ladder: createLadder(stage.delays.map((delay) => parseDuration(delay))),
  }
  const consumers = await startServices(shop)
  atEnd(() => Promise.all([...consumers.map((consumer) => consumer.close()), shop.publisher.close()]))
  stage.letTimePass(shop.book)
  return { shop, proof, steps: report.done }
}

function sayProof({ terminal }: Play, topology: CompiledTopology): Proof {
  const { say, paint } = terminal
  for (const line of renderPicture(topology)) say(`  ${line.includes('└') ? paint('gray', line) : line}`)
  const proof = proveTopology(topology)
  const { properties, brokerVersion, isProved } = proof
  const holding = properties.filter(({ broken }) => broken === 0).length
  const verdict = isProved ? 'Proved' : 'Not proved'
  say(
    paint(
      isProved ? 'green' : 'red',
      `  ${verdict} for RabbitMQ ${brokerVersion}: ${holding} of ${properties.length} properties hold for all ${topology.queues.length} queues.`,
    ),
  )
  return proof
}
