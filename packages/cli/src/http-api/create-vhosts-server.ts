import type { FastifyInstance } from 'fastify'
import type { ApiContext } from './api-context.ts'
import { mountServer } from './mounted-server.ts'
import { type ApiServerOptions, createApiServer } from './server.ts'
import type { ServerBroker } from './server-broker.ts'
import { ServedVhosts } from './vhosts/served-vhosts.ts'

export interface VhostsServerOptions extends Omit<ApiServerOptions, 'broker' | 'vhosts'> {
  /** One for each vhost; the first one has the addresses without `/vhosts`. */
  readonly brokers: readonly [ServerBroker, ...ServerBroker[]]
}

/** One server for several vhosts. Closing it ends the tasks of all of them. */
export async function createVhostsServer({
  brokers: [first, ...others],
  ...options
}: VhostsServerOptions): Promise<FastifyInstance> {
  const vhosts = new ServedVhosts<ApiContext>([first, ...others].map(({ vhost }) => vhost))
  const mounted: { close(): Promise<void> }[] = []
  const closeOthers = async (): Promise<void> => {
    await Promise.all(mounted.splice(0).map((each) => each.close()))
  }
  try {
    for (const broker of others) {
      const { publicPath } = options.settings
      const settings = { ...options.settings, publicPath: `${publicPath}${vhosts.pathOf(broker.vhost)}` }
      const server = mountServer(await createApiServer({ ...options, settings, broker, vhosts }))
      mounted.push(server)
      vhosts.lead(broker.vhost, server.handle)
    }
    return await createApiServer({ ...options, broker: first, vhosts, beforeClose: closeOthers })
  } catch (error) {
    await closeOthers()
    throw error
  }
}
