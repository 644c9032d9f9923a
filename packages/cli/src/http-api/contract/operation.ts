import type { EndpointList } from './endpoint.ts'
import { flag, list, named, object, type SchemaValue, text } from './schema.ts'

export const brokerState = named('BrokerState', 'RabbitMQ as this server sees it.', {
  product: text('What the broker calls itself.', 'RabbitMQ'),
  version: text('The version of the broker.', '4.0.5'),
  vhost: text('The vhost this server works on.', '/'),
  isConnected: flag('The server is connected to the broker.', true),
  isHealthy: flag('The broker has raised no alarm.', true),
  alarms: list(
    object('An alarm: the broker accepts no messages until it is over.', {
      node: text('The node that raised it.', 'rabbit@one'),
      resource: text('What it has run out of.', 'disk'),
    }),
    'Current alarms.',
  ),
  warren: text('The version of Warren on this server.', '0.1.0'),
})
export type BrokerState = SchemaValue<typeof brokerState>

const address = (what: string, example: string) => text(`The address of ${what}.`, example)
export const startPage = named('StartPage', 'What this is and where to go.', {
  name: text('The name of the product.', 'Warren'),
  description: text('What it does.', 'Dead letters of RabbitMQ: see why messages died, and put them back.'),
  links: object('Addresses on this server.', {
    documentation: address('these pages', '/docs'),
    openapi: address('this document', '/docs/json'),
    logIn: address('the login of browsers', '/api/v1/session'),
    permissions: address('what you may do', '/api/v1/my/permissions'),
    deadLetterQueues: address('the list of dead-letter queues', '/api/v1/dlqs'),
    metrics: address('the numbers for Prometheus', '/metrics'),
    alive: address('the check that the process answers', '/healthz'),
    ready: address('the check that requests can be answered', '/readyz'),
  }),
})
export type StartPage = SchemaValue<typeof startPage>

export const operationEndpoints = {
  start: {
    method: 'GET',
    path: '/',
    tag: 'operation',
    needs: 'anyone',
    alsoAs: 'text/html',
    summary: 'Show what this is and where to go',
    description: 'JSON for programs, and a page for browsers.',
    answer: startPage,
    problems: ['API_NOT_ACCEPTABLE'],
  },
  isAlive: {
    method: 'GET',
    path: '/healthz',
    tag: 'operation',
    needs: 'anyone',
    summary: 'Check that the process answers',
    description: 'For a liveness probe. It says nothing about RabbitMQ.',
    mediaType: 'text/plain',
    example: 'alive\n',
  },
  isReady: {
    method: 'GET',
    path: '/readyz',
    tag: 'operation',
    needs: 'anyone',
    summary: 'Check that requests can be answered',
    description: 'For a readiness probe: the broker is reachable and the server has room for requests.',
    mediaType: 'text/plain',
    example: 'ready\n',
    unavailable: 'The broker is unreachable, or the maximum number of requests is stuck.',
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'operation',
    needs: 'dlq:read',
    summary: 'Read the numbers for Prometheus',
    description: 'Depths of dead-letter queues, tasks by state, and requests.',
    mediaType: 'text/plain',
    example: 'warren_dlq_messages{queue="billing.orders.dlq"} 42\n',
    asksBroker: true,
  },
  brokerState: {
    method: 'GET',
    path: '/api/v1/broker',
    tag: 'broker',
    needs: 'dlq:read',
    summary: 'Show the version, connection and alarms of the broker',
    description: 'What a console shows in its header.',
    answer: brokerState,
    asksBroker: true,
  },
} satisfies EndpointList
