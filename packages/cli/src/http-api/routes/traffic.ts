import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../endpoints.ts'
import { trafficSharedMs } from '../read-traffic.ts'
import { tick } from '../rendered-answers.ts'

export const addTrafficRoutes: AddRoutes = (add, { readTraffic }) => {
  add(
    endpoints.listTraffic,
    ({ caller }) => readTraffic(caller),
    () => tick(trafficSharedMs),
  )
}
