import Type from 'typebox'
import type * as Contract from './contract.ts'
import { closed, count, countOrNull, oneOf, reason, type Shape, shape, text, textOrNull } from './shape.ts'

const args = Type.Record(Type.String(), Type.Unknown())
const texts = Type.Array(text)
const durability = { durable: Type.Boolean(), autoDelete: Type.Boolean() }
const exchange = Type.Object({
  ...{ name: text, type: text, ...durability, internal: Type.Boolean(), arguments: args },
})
const queue = { name: text, type: text, ...durability, arguments: args }
const binding = Type.Object({
  ...{ source: text, destination: text, destinationType: oneOf(['queue', 'exchange']) },
  ...{ key: text, arguments: args },
})

export const compiledTopology: Shape<Contract.CompiledTopology> = shape<Contract.CompiledTopology>()(
  Type.Object({
    brokerVersion: text,
    exchanges: Type.Array(exchange),
    queues: Type.Array(
      Type.Object({ ...queue, role: oneOf(['work', 'wait', 'dead-letter']), owner: text, layout: text }),
    ),
    bindings: Type.Array(binding),
  }),
)

export const liveTopology: Shape<Contract.LiveTopology> = shape<Contract.LiveTopology>()(
  Type.Object({
    brokerVersion: text,
    exchanges: Type.Array(exchange),
    queues: Type.Array(
      Type.Object({
        ...{ ...queue, policy: textOrNull, operatorPolicy: textOrNull },
        ...{ messages: countOrNull, consumers: countOrNull },
      }),
    ),
    bindings: Type.Array(binding),
    policies: Type.Array(
      Type.Object({
        ...{ name: text, pattern: text, applyTo: text, priority: Type.Integer(), definition: args },
        isOperatorPolicy: Type.Boolean(),
      }),
    ),
  }),
)

const step = {
  kind: oneOf(['create-exchange', 'create-queue', 'add-binding', 'remove-binding', 'delete-queue']),
  target: text,
}
export const topologyPlan: Shape<Contract.TopologyPlan> = shape<Contract.TopologyPlan>()(
  Type.Object({
    ...{ digest: text, brokerVersion: text, isEmpty: Type.Boolean() },
    safe: Type.Array(Type.Object(step)),
    disruptive: Type.Array(Type.Object(step)),
    impossible: Type.Array(
      Type.Object({
        name: text,
        changes: Type.Array(Type.Object({ setting: text, wanted: Type.Unknown(), live: Type.Unknown() })),
        messages: countOrNull,
        waysOut: Type.Array(
          Type.Object({
            kind: oneOf(['exact', 'policy', 'recreate', 'declare-as-is', 'rename']),
            text,
          }),
        ),
      }),
    ),
    leftovers: Type.Array(Type.Object({ queue: text, of: text, messages: countOrNull })),
    unmanaged: Type.Array(binding),
    policyConflicts: Type.Array(Type.Object({ queue: text, key: text, policies: texts, consequence: text })),
    text,
  }),
)

const finding = Type.Object({
  ...{ property: text, code: text, queue: textOrNull, path: texts, problem: text, wayOut: text },
})
const placesOfLoss = Type.Array(
  Type.Object({ at: text, what: oneOf(['on-the-way', 'due-meanwhile', 'everything']) }),
)
export const topologyProblems: Shape<Contract.TopologyProblems> = shape<Contract.TopologyProblems>()(
  Type.Object({
    ...{ brokerVersion: text, isProved: Type.Boolean() },
    properties: Type.Array(Type.Object({ property: text, holds: count, broken: count, accepted: count })),
    findings: Type.Array(finding),
    accepted: Type.Array(Type.Object({ finding, reason: text })),
    losesAt: Type.Object({ stop: placesOfLoss, crash: placesOfLoss }),
    assumptions: Type.Array(Type.Object({ text, queues: texts })),
    caveats: Type.Array(Type.Object({ text, queues: texts })),
    notes: Type.Array(Type.Object({ severity: text, text })),
  }),
)

export const applyRequest: Shape<Contract.ApplyRequest> = shape<Contract.ApplyRequest>()(
  Type.Object(
    {
      plan: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      allowDisruptive: Type.Optional(Type.Boolean()),
      reason: Type.Optional(reason),
    },
    closed,
  ),
)

export const applyResult: Shape<Contract.ApplyResult> = shape<Contract.ApplyResult>()(
  Type.Object({
    kind: oneOf(['applied']),
    ...{ done: count, kept: count, skipped: count, failed: count, impossible: count },
    isComplete: Type.Boolean(),
    results: Type.Array(
      Type.Object({ ...step, outcome: oneOf(['done', 'kept', 'skipped', 'failed']), problem: textOrNull }),
    ),
  }),
)
