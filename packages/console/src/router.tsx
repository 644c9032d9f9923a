import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { consolePath } from './api/server-address.ts'
import { NotFound } from './app/not-found.tsx'
import { PageFailure } from './app/page-failure.tsx'
import { Shell } from './app/shell.tsx'
import { readAuditSearch } from './audit/audit-search.ts'
import { readDiscardSearch } from './discard/discard-search.ts'
import { readMessageSearch } from './message/message-search.ts'
import { readQueueSearch } from './queue/queue-search.ts'
import { HomePage } from './queues/home-page.tsx'
import { readHomeSearch } from './queues/home-search.ts'
import { readRedriveSearch } from './redrive/redrive-search.ts'
import { readTopologySearch } from './topology/topology-search.ts'

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound })
const getParentRoute = () => root

// Home is loaded with the first page; all others when somebody goes there.
const routeTree = root.addChildren([
  createRoute({ getParentRoute, path: '/', validateSearch: readHomeSearch, component: HomePage }),
  createRoute({
    getParentRoute,
    path: '/queues/$queue',
    validateSearch: readQueueSearch,
    component: lazyRouteComponent(() => import('./queue/queue-page.tsx'), 'QueuePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/queues/$queue/messages/$key',
    validateSearch: readMessageSearch,
    component: lazyRouteComponent(() => import('./message/message-page.tsx'), 'MessagePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/queues/$queue/redrive',
    validateSearch: readRedriveSearch,
    component: lazyRouteComponent(() => import('./redrive/redrive-page.tsx'), 'RedrivePage'),
  }),
  createRoute({
    getParentRoute,
    path: '/queues/$queue/discard',
    validateSearch: readDiscardSearch,
    component: lazyRouteComponent(() => import('./discard/discard-page.tsx'), 'DiscardPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tasks',
    component: lazyRouteComponent(() => import('./tasks/task-list-page.tsx'), 'TaskListPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/tasks/$id',
    component: lazyRouteComponent(() => import('./tasks/task-page.tsx'), 'TaskPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/approvals',
    component: lazyRouteComponent(() => import('./approvals/approval-list-page.tsx'), 'ApprovalListPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/approvals/$id',
    component: lazyRouteComponent(() => import('./approvals/approval-page.tsx'), 'ApprovalPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/backups',
    component: lazyRouteComponent(() => import('./backups/backup-list-page.tsx'), 'BackupListPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/backups/$id',
    component: lazyRouteComponent(() => import('./backups/backup-page.tsx'), 'BackupPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/topology',
    validateSearch: readTopologySearch,
    component: lazyRouteComponent(() => import('./topology/topology-page.tsx'), 'TopologyPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('./webhooks/webhook-list-page.tsx'), 'WebhookListPage'),
  }),
  createRoute({
    getParentRoute,
    path: '/audit',
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'AuditPage'),
  }),
])

export const router = createRouter({
  routeTree,
  basepath: consolePath,
  // An old link may say what no page knows any more.
  search: { strict: true },
  scrollRestoration: true,
  defaultErrorComponent: PageFailure,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
