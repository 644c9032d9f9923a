import type * as Contract from './contract.ts'
import type { Endpoint } from './endpoint.ts'
import * as sessionShapes from './session-shapes.ts'

/** Where browsers log in at an OIDC provider; a part of the list in endpoints.ts. */
export interface OidcEndpoints {
  readonly beginLogin: Endpoint<undefined, Contract.LoginQuery>
  readonly finishLogin: Endpoint<undefined, Contract.LoginAnswerQuery>
  readonly leaveProvider: Endpoint
}

export const oidcEndpoints: OidcEndpoints = {
  beginLogin: {
    ...{ method: 'GET', path: '/api/v1/oidc/login', tag: 'session', needs: 'anyone', status: 302 },
    summary: 'Send the browser to the OIDC provider to log in there',
    ...{ query: sessionShapes.loginQuery, locates: 'The login page of the provider' },
  },
  finishLogin: {
    ...{ method: 'GET', path: '/api/v1/oidc/callback', tag: 'session', needs: 'anyone' },
    summary: 'Where the provider sends the browser back to: a page that leads on, logged in',
    ...{ query: sessionShapes.loginAnswerQuery, mediaType: 'text/html' },
  },
  leaveProvider: {
    ...{ method: 'GET', path: '/api/v1/oidc/logout', tag: 'session', needs: 'anyone', status: 302 },
    summary: 'Send a browser that has logged out here to log out of the OIDC provider, too',
    locates: 'The logout page of the provider, or this server where it has none',
  },
}
