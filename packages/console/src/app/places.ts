import type { Schemas } from '../api/api.ts'

export interface Place {
  readonly to: '/' | '/tasks' | '/approvals' | '/backups' | '/topology' | '/webhooks' | '/audit'
  readonly name: string
  readonly needs: Schemas['Permission']
}

/** The pages that can be reached from everywhere. */
export const places: readonly Place[] = [
  { to: '/', name: 'Dead letters', needs: 'dlq:read' },
  { to: '/tasks', name: 'Tasks', needs: 'dlq:read' },
  { to: '/approvals', name: 'Approvals', needs: 'dlq:read' },
  { to: '/backups', name: 'Backups', needs: 'dlq:backup' },
  { to: '/topology', name: 'Topology', needs: 'topology:read' },
  { to: '/webhooks', name: 'Webhooks', needs: 'topology:read' },
  { to: '/audit', name: 'Audit log', needs: 'audit:read' },
]
