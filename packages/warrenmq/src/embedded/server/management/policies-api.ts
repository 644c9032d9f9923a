import type { Policy, PolicyDefinition, PolicyTarget } from '../../model/policy/policies.ts'
import { findPolicyProblem } from '../../model/policy/policy-problem.ts'
import { applyPolicies, type Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  type ApiRequest,
  badRequest,
  type JsonObject,
  noContent,
  notFound,
  objectIn,
  ok,
  requiredText,
  text,
  vhostOf,
} from './api-request.ts'
import { vhostsOf } from './check-route-access.ts'

type Kind = 'policies' | 'operatorPolicies'

/** The handlers of one kind of policy; both kinds are asked for alike. */
export function policiesApi(
  kind: Kind,
): Readonly<Record<'list' | 'show' | 'put' | 'remove', (request: ApiRequest) => ApiAnswer>> {
  return {
    list: (request) => {
      const vhosts = vhostsOf(request)
      return ok(
        vhosts.flatMap((vhost) => [...vhost[kind].values()].map((policy) => renderPolicy(vhost, policy))),
      )
    },
    show: (request) => {
      const vhost = vhostOf(request)
      return ok(renderPolicy(vhost, find(vhost, kind, request.params[1]!)))
    },
    put: (request) => {
      const vhost = vhostOf(request)
      const policy = readPolicy(request.params[1]!, request.body)
      const isNew = !vhost[kind].has(policy.name)
      setPolicy(request, vhost, kind, policy)
      return isNew ? { status: 201 } : noContent
    },
    remove: (request) => {
      const vhost = vhostOf(request)
      vhost[kind].delete(find(vhost, kind, request.params[1]!).name)
      applyPolicies(vhost, request.broker.profile)
      return noContent
    },
  }
}

export function setPolicy(
  { broker }: Pick<ApiRequest, 'broker'>,
  vhost: Vhost,
  kind: Kind,
  policy: Policy,
): void {
  const problem = findPolicyProblem(policy, {
    profile: broker.profile,
    isOperator: kind === 'operatorPolicies',
  })
  if (problem !== undefined) {
    const isEscaped = kind === 'policies' && broker.profile.management.escapesPolicyProblems
    throw badRequest(isEscaped ? escapeForHtml(problem) : problem)
  }
  vhost[kind].set(policy.name, policy)
  applyPolicies(vhost, broker.profile)
}

export function escapeForHtml(problem: string): string {
  return problem.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function readPolicy(name: string, body: JsonObject): Policy {
  return {
    name,
    pattern: requiredText(body, 'pattern'),
    definition: objectIn(body, 'definition') as PolicyDefinition,
    // What is no number is refused with the rest of it.
    priority: (body.priority === undefined ? 0 : body.priority) as number,
    applyTo: (text(body, 'apply-to') ?? 'all') as PolicyTarget,
  }
}

export function renderPolicy(vhost: Vhost, policy: Policy): JsonObject {
  return {
    vhost: vhost.name,
    name: policy.name,
    pattern: policy.pattern,
    'apply-to': policy.applyTo,
    definition: policy.definition,
    priority: policy.priority,
  }
}

function find(vhost: Vhost, kind: Kind, name: string): Policy {
  const policy = vhost[kind].get(name)
  if (!policy) throw notFound()
  return policy
}
