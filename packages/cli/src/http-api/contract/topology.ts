import { approval } from './approvals.ts'
import type { EndpointList } from './endpoint.ts'
import { applyRequest } from './requests.ts'
import {
  anything,
  count,
  flag,
  integer,
  list,
  named,
  object,
  oneOf,
  orNull,
  type SchemaValue,
  table,
  text,
} from './schema.ts'

export type { ApplyRequest } from './requests.ts'

const args = table('The arguments it was declared with.', { 'x-queue-type': 'quorum' })
const durable = flag('It survives a restart of the broker.', true)
const autoDelete = flag('It is deleted when nobody uses it any more.', false)
const exchange = named('TopologyExchange', 'An exchange.', {
  name: text('Its name.', 'orders.events'),
  type: text('Its type.', 'topic'),
  durable,
  autoDelete,
  internal: flag('Only other exchanges can publish to it.', false),
  arguments: args,
})
const binding = named('TopologyBinding', 'A binding.', {
  source: text('The exchange that messages come from.', 'orders.events'),
  destination: text('Where they go.', 'billing.orders'),
  destinationType: oneOf(['queue', 'exchange'], 'What the destination is.'),
  key: text('The binding key.', 'order.*'),
  arguments: args,
})
export type TopologyBinding = SchemaValue<typeof binding>
const queueName = text('The name of a queue.', 'billing.orders')
const queueNames = list(queueName, 'The queues it concerns.')
const queueFields = {
  name: text('Its name.', 'billing.orders'),
  type: text('Its type.', 'quorum'),
  durable,
  autoDelete,
  arguments: args,
}
const compiledQueue = named('CompiledQueue', 'A queue that the config declares.', {
  ...queueFields,
  role: oneOf(['work', 'wait', 'dead-letter'], 'What it is for.'),
  owner: text('The declared queue that it was made for.', 'billing.orders'),
  layout: text('The layout that made it.', 'warren'),
})
const inQueue = orNull(
  integer('Messages in it, some seconds old. Null: RabbitMQ keeps no statistics, or has none yet.', 42),
)
const liveQueue = named('LiveQueue', 'A queue in the vhost.', {
  ...queueFields,
  policy: orNull(text('The policy that applies to it.', 'ttl')),
  operatorPolicy: orNull(text('The operator policy that applies to it.', 'limits')),
  messages: inQueue,
  consumers: orNull(integer('Its consumers, some seconds old. Null: RabbitMQ does not say.', 2)),
})

const brokerVersion = text('The version of the broker.', '4.0.5')
const exchanges = list(exchange, 'The exchanges.')
const bindings = list(binding, 'The bindings.')
const compiledTopology = named('CompiledTopology', 'What the config declares, expanded for this broker.', {
  brokerVersion,
  exchanges,
  queues: list(compiledQueue, 'The queues.'),
  bindings,
})
export type CompiledTopology = SchemaValue<typeof compiledTopology>
const liveTopology = named('LiveTopology', 'What exists in the vhost.', {
  brokerVersion,
  exchanges,
  queues: list(liveQueue, 'The queues.'),
  bindings,
  policies: list(
    object('A policy.', {
      name: text('Its name.', 'ttl'),
      pattern: text('Which queues or exchanges it applies to, as a pattern.', '^billing\\.'),
      applyTo: text('What it applies to.', 'queues'),
      priority: integer('The policy with the highest priority wins.', 0),
      definition: table('What it sets.', { 'message-ttl': 60_000 }),
      isOperatorPolicy: flag('It is an operator policy.', false),
    }),
    'The policies.',
  ),
})
export type LiveTopology = SchemaValue<typeof liveTopology>

const stepFields = {
  kind: oneOf(
    ['create-exchange', 'create-queue', 'add-binding', 'remove-binding', 'delete-queue'],
    'What it does.',
  ),
  target: text('The name of the exchange or queue; of a binding both ends and its key.', 'billing.orders'),
}
const step = named('PlanStep', 'A step of a plan.', stepFields)
export type PlanStep = SchemaValue<typeof step>
const topologyPlan = named('TopologyPlan', 'The steps from the live topology to the declared one.', {
  digest: text(
    'Identifies this very plan. Apply requires it, so nobody carries out a plan they have not read.',
    '0'.repeat(64),
  ),
  brokerVersion,
  isEmpty: flag('There is nothing to do.', false),
  safe: list(step, 'Steps that disturb nobody.'),
  disruptive: list(step, 'Steps that may disturb somebody; they are carried out only if allowed.'),
  impossible: list(
    object('An object whose settings RabbitMQ cannot change.', {
      name: text('Its name.', 'billing.orders'),
      changes: list(
        object('A setting.', {
          setting: text('Its name.', 'x-message-ttl'),
          wanted: anything('What the config says.', 30_000),
          live: anything('What it is.', 60_000),
        }),
        'The settings that differ.',
      ),
      messages: inQueue,
      waysOut: list(
        object('A way out.', {
          kind: oneOf(['exact', 'policy', 'recreate', 'declare-as-is', 'rename'], 'Which way.'),
          text: text('The way in words.', 'Set it by a policy.'),
        }),
        'What can be done about it.',
      ),
    }),
    'What cannot be changed in place.',
  ),
  leftovers: list(
    object('A wait queue.', {
      queue: text('Its name.', 'billing.orders.wait.5s'),
      of: text('The queue that it was made for.', 'billing.orders'),
      messages: inQueue,
    }),
    'Wait queues of delays that were removed. They run empty by themselves, and an apply over HTTP keeps them.',
  ),
  unmanaged: list(binding, 'Bindings made by others, which are left alone.'),
  policyConflicts: list(
    object('A policy that gets in the way.', {
      queue: queueName,
      key: text('What it sets.', 'message-ttl'),
      policies: list(text('The name of a policy.', 'ttl'), 'The policies that set it.'),
      consequence: text('The consequence.', 'Messages expire before they are retried.'),
    }),
    'Policies that get in the way.',
  ),
  text: text('The plan as warren plan writes it.', '+ queue billing.orders\n'),
})
export type TopologyPlan = SchemaValue<typeof topologyPlan>

const finding = named('TopologyFinding', 'A property that does not hold.', {
  property: text('The property.', 'no-loss'),
  code: text('Names the kind of finding.', 'UNROUTED_DEAD_LETTERS'),
  queue: orNull(queueName),
  path: list(text('A step.', 'rejected in billing.orders'), 'What happens to a message, step by step.'),
  problem: text('What is wrong.', 'Dead letters of billing.orders go nowhere.'),
  wayOut: text('What to do about it.', 'Give the queue a dead-letter queue.'),
})
export type TopologyFinding = SchemaValue<typeof finding>
const placeOfLoss = named('PlaceOfLoss', 'Where messages are lost.', {
  at: text('A queue, or an exchange: `exchange x`.', 'billing.orders'),
  what: oneOf(['on-the-way', 'due-meanwhile', 'everything'], 'Which messages.'),
})
const remark = (example: string) =>
  object('A remark.', { text: text('The remark.', example), queues: queueNames })
const topologyProblems = named(
  'TopologyProblems',
  'What was proved about the declared topology, and what was not.',
  {
    brokerVersion,
    isProved: flag('Every property holds, or the config accepts that it does not.', true),
    properties: list(
      object('A property.', {
        property: text('Its name.', 'no-loss'),
        holds: count('How often it holds.', 4),
        broken: count('How often it does not.', 0),
        accepted: count('How often it does not and the config accepts that.', 0),
      }),
      'What was to be proved.',
    ),
    findings: list(finding, 'Where it does not hold.'),
    accepted: list(
      object('A finding that the config accepts.', {
        finding,
        reason: text('Why.', 'These messages may be lost.'),
      }),
      'Where it does not hold and the config accepts that.',
    ),
    losesAt: object('What is lost when a node goes down.', {
      stop: list(placeOfLoss, 'By a clean stop.'),
      crash: list(placeOfLoss, 'By a crash (kill -9).'),
    }),
    assumptions: list(remark('Every node keeps its disk.'), 'What the proof assumes.'),
    caveats: list(remark('The queue drops its head when it is full.'), 'What the broker does by itself.'),
    notes: list(
      object('A known bug.', {
        severity: text('How bad it is.', 'warning'),
        text: text('The bug.', 'This version counts redeliveries twice.'),
      }),
      'Known bugs of this version of RabbitMQ.',
    ),
  },
)
export type TopologyProblems = SchemaValue<typeof topologyProblems>

const applyResult = named('ApplyResult', 'What an apply did.', {
  kind: oneOf(['applied'], 'Distinguishes it from an approval.'),
  done: count('Steps that were done.', 3),
  kept: count('Steps that were left out because they would have removed something in use.', 0),
  skipped: count('Steps that were left out because an earlier one failed.', 0),
  failed: count('Steps that failed.', 0),
  impossible: count('Objects that cannot be changed in place.', 0),
  isComplete: flag('The live topology is as declared.', true),
  results: list(
    object('What happened to a step.', {
      ...stepFields,
      outcome: oneOf(['done', 'kept', 'skipped', 'failed'], 'What happened to it.'),
      problem: orNull(text('What went wrong. Null: nothing.', 'RabbitMQ refused it.')),
    }),
    'What happened to every step.',
  ),
})
export type ApplyResult = SchemaValue<typeof applyResult>

const path = '/api/v1/topology'
const reading = { method: 'GET', tag: 'topology', needs: 'topology:read', asksBroker: true } as const
export const topologyEndpoints = {
  showTopology: {
    ...reading,
    path,
    answer: compiledTopology,
    summary: 'Show the declared topology',
    description: 'What the config declares, expanded for the version of this broker.',
    problems: ['API_NOT_FOUND'],
  },
  showLiveTopology: {
    ...reading,
    path: `${path}/live`,
    answer: liveTopology,
    summary: 'Show the live topology',
    description: 'The exchanges, queues, bindings and policies of the vhost.',
  },
  planTopology: {
    ...reading,
    path: `${path}/plan`,
    answer: topologyPlan,
    summary: 'Plan the steps from the live topology to the declared one',
    description: 'Changes nothing.',
    problems: ['API_NOT_FOUND'],
  },
  showProblems: {
    ...reading,
    path: `${path}/problems`,
    answer: topologyProblems,
    summary: 'Show what is proved about the declared topology',
    description: 'And what is not: where messages may be lost, looped or duplicated.',
    problems: ['API_NOT_FOUND'],
  },
  applyTopology: {
    method: 'POST',
    path: `${path}/apply`,
    tag: 'topology',
    needs: 'topology:apply',
    asksBroker: true,
    summary: 'Carry out a plan',
    description:
      'The plan you read, identified by its digest. Disruptive steps are carried out only if allowed.',
    body: applyRequest,
    answer: applyResult,
    waiting: approval,
    problems: ['API_NOT_FOUND', 'API_PLAN_CHANGED', 'API_APPROVAL_NEEDED', 'NOTICES_UNAVAILABLE'],
  },
} satisfies EndpointList
