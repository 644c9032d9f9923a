import { observeTopology, proveTopology } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { mayReadQueue } from '../auth/may-read-queue.ts'
import { endpoints } from '../contract/endpoints.ts'
import { declaredTopology, readPlan, refuseUnreadable, requestApply } from '../topology/apply-topology.ts'
import { describeCompiled, describeLive, describeProof } from '../topology/describe-compiled.ts'

export const addTopologyRoutes: AddRoutes = (add, context) => {
  const { management, vhost } = context.broker

  add(endpoints.showTopology, async ({ caller }) =>
    describeCompiled(declaredTopology(context), (queue) => mayReadQueue(caller, queue)),
  )

  add(endpoints.showLiveTopology, async ({ caller }) =>
    describeLive(await observeTopology(management, { vhost, countsConsumers: true }), (queue) =>
      mayReadQueue(caller, queue),
    ),
  )

  add(endpoints.planTopology, async ({ caller }) => (await readPlan(context, caller)).written)

  add(endpoints.showProblems, async ({ caller }) => {
    const topology = declaredTopology(context)
    refuseUnreadable(caller, topology.queues)
    return describeProof(proveTopology(topology))
  })

  add(endpoints.applyTopology, (call) => requestApply(context, call, call.body))
}
