import { eventBus } from './event-bus.ts'
import { freeflow } from './freeflow.ts'
import { isolated } from './isolated.ts'
import type { Layout } from './layout.ts'
import type { LayoutName } from './layout-names.ts'
import { ratatoskr } from './ratatoskr.ts'
import { warren } from './warren.ts'

/** Every layout by its name. */
export const layouts: { readonly [Name in LayoutName]: Layout } = {
  warren,
  ratatoskr,
  'event-bus': eventBus,
  freeflow,
  isolated,
}
