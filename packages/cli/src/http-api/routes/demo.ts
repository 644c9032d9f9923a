import { ApiError, parseDuration } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'
import type { DemoControls } from '../demo-controls.ts'

const mostForwardMs = 86_400_000

/** Only `warren demo --console` has a shop. */
export const addDemoRoutes: AddRoutes = (add, { demo }) => {
  const controls = (): DemoControls => {
    if (demo) return demo
    const message = 'This server is not a demo. `warren demo --console` is.'
    throw new ApiError({ code: 'API_NOT_FOUND', message })
  }
  add(endpoints.showDemo, async () => controls().read())
  add(endpoints.turnDemoClock, async ({ body: { forward } }) => {
    const shop = controls()
    const milliseconds = parseDuration(forward as `${number}m`)
    if (milliseconds > mostForwardMs) {
      const message = 'body.forward is more than a day, which would take too long. Turn the clock in steps.'
      throw new ApiError({ code: 'API_REQUEST_INVALID', message })
    }
    await shop.forward(milliseconds)
    return shop.read()
  })
  add(endpoints.mendDemo, async ({ body: { isMended } }) => {
    const shop = controls()
    shop.mend(isMended)
    return shop.read()
  })
}
