import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'

export const addBrokerRoutes: AddRoutes = (add, { broker, version }) => {
  add(endpoints.brokerState, async () => {
    const { consuming, publishing, management, vhost } = broker
    const { isHealthy, alarms } = await management.health()
    return {
      ...consuming.broker,
      vhost,
      isHealthy,
      alarms,
      warren: version,
      isConnected: consuming.connection !== undefined && publishing.connection !== undefined,
    }
  })
}
