import { ApiError } from 'warrenmq/operations'
import type { AddRoutes } from '../api-context.ts'
import { endpoints } from '../contract/endpoints.ts'
import { chooseMediaType } from '../guards/choose-media-type.ts'
import { renderStartPage, startPage } from '../show/start-page.ts'

/** Where somebody comes who knows nothing but the address. */
export const addStartRoutes: AddRoutes = (add) => {
  const page = renderStartPage(startPage)

  add(endpoints.start, async ({ request, reply }) => {
    reply.header('vary', 'accept')
    const mediaType = chooseMediaType(request.headers.accept, ['application/json', 'text/html'])
    if (mediaType === undefined) throw notAcceptable()
    if (mediaType === 'text/html') await reply.type('text/html; charset=utf-8').send(page)
    return startPage
  })
}

function notAcceptable(): ApiError {
  const message = 'This is available as application/json or text/html. Name one of them in accept, or none.'
  return new ApiError({ code: 'API_NOT_ACCEPTABLE', message })
}
