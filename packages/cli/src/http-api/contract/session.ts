import Type from 'typebox'
import type { EndpointList } from './endpoint.ts'
import { permission, role, wayIn } from './role.ts'
import {
  closed,
  flag,
  list,
  named,
  object,
  oneOf,
  orNull,
  parameters,
  type SchemaValue,
  text,
  time,
} from './schema.ts'

export const credentials = named(
  'Credentials',
  'An account of RabbitMQ.',
  {
    username: text('The name of the account.', 'ann', { minLength: 1, maxLength: 255 }),
    password: text('Its password.', 'correct horse battery staple', { maxLength: 1024 }),
  },
  closed,
)
export type Credentials = SchemaValue<typeof credentials>

const caller = {
  name: text('The name of the account, of the token, or of the person at the OIDC provider.', 'ann'),
  role,
  wayIn,
  vhost: text('The vhost this server works on.', '/'),
  permissions: list(permission, 'Everything the caller may do.'),
  features: list(
    oneOf(['demo'], 'demo: this is `warren demo --console`, and GET /api/v1/demo describes its shop.'),
    'Features that only some servers have.',
  ),
}
export const myPermissions = named('MyPermissions', 'Who you are and what you may do.', caller)
export type MyPermissions = SchemaValue<typeof myPermissions>

const csrfToken = text('Send it as x-csrf-token with every request that changes something.', 'Zm9vYmFy')
const expiresAt = time('When the session ends.')
export const openedSession = named('OpenedSession', 'A session that has just begun.', {
  ...caller,
  csrfToken,
  expiresAt,
})
export type OpenedSession = SchemaValue<typeof openedSession>

export const currentSession = named(
  'CurrentSession',
  'What a page learns about its session when it loads. The token and the end are null if the caller proved who they are without a cookie.',
  {
    ...caller,
    csrfToken: orNull(csrfToken),
    expiresAt: orNull(expiresAt),
    vhosts: list(
      object('A vhost.', {
        name: text('The name of the vhost.', '/'),
        path: text(
          'The path that its API and its console are below, such as /vhosts/orders. Empty for the first vhost of the server.',
          '',
        ),
        isHere: flag('This answer is about the session in this vhost.', true),
      }),
      'The vhosts of this server in which the caller is logged in, this one among them.',
    ),
  },
)
export type CurrentSession = SchemaValue<typeof currentSession>

export const loginWays = named('LoginWays', 'How a browser can log in.', {
  isOpen: flag('The server does not ask who the caller is.', false),
  hasAccounts: flag('POST /api/v1/session accepts the name and password of a RabbitMQ account.', true),
  oidcLogin: orNull(
    text('Where a browser goes to log in at the OIDC provider. Null: it cannot.', '/api/v1/oidc/login'),
  ),
})
export type LoginWays = SchemaValue<typeof loginWays>

const loginQuery = parameters({
  returnTo: Type.Optional(
    text('The path of the page to go to afterwards.', '/', { minLength: 1, maxLength: 2048 }),
  ),
})

const linkQuery = parameters({
  secret: text('The secret of the link.', 'Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9', {
    pattern: '^[A-Za-z0-9_-]{43}$',
  }),
})

// Not closed: providers add what they like, such as session_state.
const loginAnswerQuery = Type.Object({
  code: Type.Optional(text('The code that the server exchanges for an ID token.', 'SplxlOBeZQQYbYS6WxSbIA')),
  state: Type.Optional(
    text('The value the server gave the provider, to recognise the login.', 'af0ifjsldkj'),
  ),
  iss: Type.Optional(text('Which provider answers (RFC 9207).', 'https://id.example.com')),
  error: Type.Optional(text('Why the provider refused the login.', 'access_denied')),
  error_description: Type.Optional(text('The same in words.', 'The user pressed Cancel.')),
})
export type LoginAnswerQuery = SchemaValue<typeof loginAnswerQuery>

export const sessionEndpoints = {
  openSession: {
    method: 'POST',
    path: '/api/v1/session',
    tag: 'session',
    needs: 'anyone',
    status: 201,
    summary: 'Log a browser in with a RabbitMQ account',
    description:
      'Sets an http-only cookie. Every request that changes something must then send the csrfToken.',
    body: credentials,
    answer: openedSession,
    problems: ['API_NOT_AUTHENTICATED', 'API_FORBIDDEN', 'API_TOO_MANY_ATTEMPTS', 'API_ACCOUNT_UNCHECKED'],
  },
  closeSession: {
    method: 'DELETE',
    path: '/api/v1/session',
    tag: 'session',
    needs: 'known',
    summary: 'Log the browser out',
    description: 'Ends the session on every server and removes the cookie.',
    problems: ['NOTICES_UNAVAILABLE'],
  },
  showSession: {
    method: 'GET',
    path: '/api/v1/session',
    tag: 'session',
    needs: 'known',
    summary: 'Show who is logged in',
    description:
      'For a page that is reloaded: it gets the token of its session. Only pages of this server may ask.',
    answer: currentSession,
    problems: ['API_CSRF_REFUSED'],
  },
  listLoginWays: {
    method: 'GET',
    path: '/api/v1/session/ways',
    tag: 'session',
    needs: 'anyone',
    summary: 'Show how a browser can log in',
    description: 'What a login page needs to know before anybody has logged in.',
    answer: loginWays,
  },
  followLink: {
    method: 'GET',
    path: '/api/v1/session/link',
    tag: 'session',
    needs: 'anyone',
    actsOnGet: true,
    status: 303,
    summary: 'Log a browser in by the link of `warren console`',
    description:
      'The link works once, and for five minutes. The session has the role of the RabbitMQ account that `warren console` was given. Any other server has no such link.',
    query: linkQuery,
    locates: 'The console.',
    problems: [
      'API_NOT_FOUND',
      'API_NOT_AUTHENTICATED',
      'API_FORBIDDEN',
      'API_CSRF_REFUSED',
      'API_TOO_MANY_ATTEMPTS',
      'API_ACCOUNT_UNCHECKED',
      'AUDIT_UNAVAILABLE',
    ],
  },
  beginLogin: {
    method: 'GET',
    path: '/api/v1/oidc/login',
    tag: 'session',
    needs: 'anyone',
    actsOnGet: true,
    status: 302,
    summary: 'Send the browser to the OIDC provider',
    description: 'Begins a login with authorization code and PKCE, and redirects to the provider.',
    query: loginQuery,
    locates: 'The login page of the provider.',
    problems: ['API_NOT_FOUND', 'OIDC_UNAVAILABLE'],
  },
  finishLogin: {
    method: 'GET',
    path: '/api/v1/oidc/callback',
    tag: 'session',
    needs: 'anyone',
    actsOnGet: true,
    summary: 'Receive the browser from the OIDC provider',
    description: 'The provider sends the browser here. The answer is a page that continues, logged in.',
    query: loginAnswerQuery,
    mediaType: 'text/html',
    example: '<!doctype html>',
    problems: [
      'API_NOT_FOUND',
      'API_FORBIDDEN',
      'API_TOO_MANY_ATTEMPTS',
      'OIDC_LOGIN_REFUSED',
      'OIDC_UNAVAILABLE',
      'AUDIT_UNAVAILABLE',
    ],
  },
  leaveProvider: {
    method: 'GET',
    path: '/api/v1/oidc/logout',
    tag: 'session',
    needs: 'anyone',
    status: 302,
    summary: 'Log out of the OIDC provider, too',
    description: 'For a browser that has logged out here: redirects it to the logout page of the provider.',
    locates: 'The logout page of the provider, or this server if the provider has none.',
    problems: ['API_NOT_FOUND', 'OIDC_UNAVAILABLE'],
  },
  myPermissions: {
    method: 'GET',
    path: '/api/v1/my/permissions',
    tag: 'session',
    needs: 'known',
    summary: 'Show who you are and what you may do',
    description: 'Permissions have the names that operations give as x-permission.',
    answer: myPermissions,
  },
} satisfies EndpointList
