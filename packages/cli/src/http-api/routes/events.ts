import { ApiError } from 'warrenmq/operations'
import type { AddRoutes, ApiContext } from '../api-context.ts'
import type { Caller } from '../auth/caller.ts'
import { permissionsOfCaller } from '../auth/decide-role.ts'
import { viewOfCaller } from '../auth/view-of-caller.ts'
import type { EventTopic } from '../contract/contract.ts'
import { endpoints } from '../contract/endpoints.ts'
import { createFeeds } from '../events/feeds.ts'
import { followFeeds } from '../events/follow-feeds.ts'
import { createTopics, type Topic, usualTopics } from '../events/topics.ts'
import { lastIdOf, watchAccess } from '../events/watch-access.ts'
import { createFailureLog } from '../failure-log.ts'

/** One stream for all lists that a page shows. */
export const addEventRoutes: AddRoutes = (add, context, app) => {
  const { tasks, streams } = context
  const topics = createTopics(context)
  const onError = createFailureLog(app.log, {
    level: 'warn',
    sentence: 'a followed list could not be read',
  })
  const feedFor = createFeeds(topics, { onError })

  add(endpoints.watchEvents, async ({ query, caller, request, reply }) => {
    const names = new Set(query.topics ?? usualTopics)
    for (const name of names) refuseTopic(context, { caller, name, topic: topics[name] })
    if (request.method === 'HEAD') {
      await reply.type('text/event-stream').send() // it would never come to its end
      return undefined
    }
    const out = streams.open(caller, reply)
    // Whoever may see something else now comes back by themselves, and is told what that is.
    const mayReadOn = (now: Caller): boolean => viewOfCaller(now) === viewOfCaller(caller)
    const isRefused = watchAccess(context, { request, reply, needs: endpoints.watchEvents.needs, mayReadOn })
    followFeeds({
      out,
      lastId: lastIdOf(request),
      isOver: () => tasks.isClosed || isRefused(),
      feeds: new Map([...names].map((name) => [name, feedFor(name, caller)])),
    })
    return undefined
  })
}

function refuseTopic(
  { settings }: Pick<ApiContext, 'settings'>,
  { caller, name, topic }: { readonly caller: Caller; readonly name: EventTopic; readonly topic: Topic },
): void {
  if (permissionsOfCaller(caller, settings).includes(topic.needs)) return
  const message = `To follow ${name} you need the permission ${topic.needs}, which the role ${caller.role} does not have.`
  throw new ApiError({ code: 'API_FORBIDDEN', message })
}
