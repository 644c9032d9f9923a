import type { MountedServer } from '@warrenmq/cli/console'
import { placeRequest } from './place-request.ts'

type Request = Parameters<MountedServer['handle']>[0]
type Response = Parameters<MountedServer['handle']>[1]

/** What an HTTP server of Node has, whichever framework listens to it. */
interface RequestServer {
  listeners(event: 'request'): unknown[]
  removeAllListeners(event: 'request'): unknown
  on(event: 'request', listener: (request: Request, response: Response) => void): unknown
}

/**
 * Takes the requests below the path before the application sees them: its parsers would read the bodies, and its guards
 * and prefixes are about its own routes.
 */
export function mountListener(server: RequestServer, path: string, handle: MountedServer['handle']): void {
  const others = server.listeners('request') as ((request: Request, response: Response) => void)[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const place = placeRequest(request.url ?? '', path)
    if (place.kind === 'elsewhere') {
      for (const listener of others) listener.call(server, request, response)
    } else if (place.kind === 'first-page') {
      response.writeHead(302, { location: place.location }).end()
    } else {
      request.url = place.url
      handle(request, response)
    }
  })
}
