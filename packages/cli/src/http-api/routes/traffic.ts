import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'
import { trafficSharedMs } from '../dlqs/read-traffic.ts'
import { tick } from '../show/rendered-answers.ts'

export const addTrafficRoutes: AddRoutes = (add, { readTraffic }) => {
  add(
    endpoints.listTraffic,
    ({ caller }) => readTraffic(caller),
    () => tick(trafficSharedMs),
  )
}
