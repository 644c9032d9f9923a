import type { Vhost } from '../../model/vhost.ts'
import {
  type ApiAnswer,
  ApiRefusal,
  type ApiRequest,
  badRequest,
  type Json,
  type JsonObject,
  noContent,
  notFound,
  ok,
} from './api-request.ts'
import { putLimitsParameter, renderLimits } from './limits.ts'
import { renderPolicy } from './policies-api.ts'

/** Policies are parameters, too; a list of all leaves those of users out. Other components belong to plugins or are not modelled. */
export function listParameters(request: ApiRequest): ApiAnswer {
  const [component, name] = request.params
  if (name !== undefined && !request.broker.vhosts.has(name)) throw notFound()
  const vhosts = [...request.broker.vhosts.values()].filter(
    (vhost) => name === undefined || vhost.name === name,
  )
  return ok(vhosts.flatMap((vhost) => parametersIn(vhost, component)))
}

export function showParameter(request: ApiRequest): ApiAnswer {
  const [component, vhost, name] = request.params
  const found = request.broker.vhosts.get(vhost!)
  const item = found && parametersIn(found, component).find((each) => each.name === name)
  if (!item) throw notFound()
  return ok(item)
}

function parametersIn(vhost: Vhost, component: string | undefined): readonly JsonObject[] {
  const limits =
    vhost.limits && (component === undefined || component === 'vhost-limits')
      ? [{ value: renderLimits(vhost.limits), vhost: vhost.name, component: 'vhost-limits', name: 'limits' }]
      : []
  const kind = component === 'policy' ? 'policies' : 'operatorPolicies'
  const shown = kind === 'policies' ? 'policy' : 'operator_policy'
  if (component !== undefined && component !== shown) return limits
  const policies = [...vhost[kind].values()].map((policy) => {
    const { vhost: _, name, ...value } = renderPolicy(vhost, policy)
    return { value, vhost: vhost.name, component: shown, name: name! }
  })
  return [...policies, ...limits]
}

export function putParameter(request: ApiRequest): ApiAnswer {
  const [component] = request.params
  if (component === 'vhost-limits') return putLimitsParameter(request)
  throw notForClients(component!)
}

export function deleteParameter(request: ApiRequest): ApiAnswer {
  showParameter(request)
  const [component, vhost] = request.params
  if (component !== 'vhost-limits') throw notForClients(component!)
  request.broker.vhosts.get(vhost!)!.limits = undefined
  return noContent
}

function notForClients(component: string): ApiRefusal {
  if (component !== 'operator_policy') {
    return badRequest(`Validation failed\n\ncomponent ${component} not found\n`)
  }
  const words = `parameters of ${component} are not modelled by the embedded broker`
  return new ApiRefusal(501, 'not_implemented', words)
}

export function listGlobalParameters({ broker }: ApiRequest): ApiAnswer {
  return ok([...broker.globalParameters].map(([name, value]) => ({ name, value: value as Json })))
}

export function showGlobalParameter({ broker, params }: ApiRequest): ApiAnswer {
  const [name] = params
  if (!broker.globalParameters.has(name!)) throw notFound()
  return ok({ name: name!, value: broker.globalParameters.get(name!) as Json })
}

export function putGlobalParameter({ broker, params, body }: ApiRequest): ApiAnswer {
  const isNew = !broker.globalParameters.has(params[0]!)
  broker.globalParameters.set(params[0]!, body.value ?? null)
  return isNew ? { status: 201 } : noContent
}

export function deleteGlobalParameter(request: ApiRequest): ApiAnswer {
  showGlobalParameter(request)
  request.broker.globalParameters.delete(request.params[0]!)
  return noContent
}
