import { adminEndpoints } from './admin.ts'
import { approvalEndpoints } from './approvals.ts'
import { auditEndpoints } from './audit.ts'
import { backupEndpoints } from './backups.ts'
import { demoEndpoints } from './demo.ts'
import { dlqEndpoints } from './dlqs.ts'
import { eventEndpoints } from './events.ts'
import { figureEndpoints } from './figures.ts'
import { noteEndpoints } from './notes.ts'
import { operationEndpoints } from './operation.ts'
import { redriveEndpoints } from './redrives.ts'
import { sessionEndpoints } from './session.ts'
import { snapshotEndpoints } from './snapshots.ts'
import { taskEndpoints } from './tasks.ts'
import { topologyEndpoints } from './topology.ts'
import { webhookEndpoints } from './webhooks.ts'

/** The whole API. Routes, validation, OpenAPI, and the tests of who may what are made from this list. */
export const endpoints = {
  ...sessionEndpoints,
  ...dlqEndpoints,
  ...figureEndpoints,
  ...snapshotEndpoints,
  ...redriveEndpoints,
  ...taskEndpoints,
  ...approvalEndpoints,
  ...noteEndpoints,
  ...backupEndpoints,
  ...eventEndpoints,
  ...topologyEndpoints,
  ...auditEndpoints,
  ...adminEndpoints,
  ...operationEndpoints,
  ...webhookEndpoints,
  ...demoEndpoints,
}
