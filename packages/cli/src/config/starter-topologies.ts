import type { LayoutName, TopologyDeclaration } from 'warrenmq/operations'

/** What `warren init` writes for a layout: small, whole, and proved as it stands. */
export const starterTopologies: { readonly [Name in LayoutName]: TopologyDeclaration } = {
  warren: {
    exchanges: { 'orders.events': { type: 'topic' } },
    queues: {
      'billing.orders': {
        bind: [{ exchange: 'orders.events', key: 'order.*' }],
        retry: { delays: ['5s', '30s', '5m', '30m'], maxAttempts: 6 },
      },
    },
    publications: [{ exchange: 'orders.events', key: 'order.placed' }],
  },
  ratatoskr: {
    layout: 'ratatoskr',
    exchanges: { orders: { type: 'topic' } },
    queues: { 'billing.orders': { bind: [{ exchange: 'orders', key: 'order.*' }] } },
    publications: [{ exchange: 'orders', key: 'order.placed' }],
  },
  'event-bus': {
    layout: 'event-bus',
    queues: { 'shop-billing': {}, 'shop-shipping': {} },
  },
  freeflow: {
    layout: 'freeflow',
    queues: { 'freeflow.user': {}, 'freeflow.notification': {} },
    publications: [{ exchange: 'freeflow.events', key: 'user.created' }],
  },
  isolated: {
    layout: 'isolated',
    exchanges: { 'domain.events': { type: 'topic' } },
    queues: {
      'q.validator': { bind: [{ exchange: 'domain.events', key: 'files.uploaded.*' }] },
      'q.audit': { bind: [{ exchange: 'domain.events', key: '#' }] },
    },
    publications: [{ exchange: 'domain.events', key: 'files.uploaded.pdf' }],
  },
}
