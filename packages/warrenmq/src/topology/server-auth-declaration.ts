/** A viewer looks, an operator also re-drives, an admin does everything. */
export type ServerRole = 'viewer' | 'operator' | 'admin'

/** The ways to log in. */
export interface ServerAuthDeclaration {
  /**
   * RabbitMQ's own accounts; `false` turns them off, `roles` says which tag means which role. @default true
   * @example { accounts: { roles: { administrator: 'admin' } } }
   */
  readonly accounts?: boolean | ServerAccountsDeclaration
  /**
   * Tokens for programs. @default none
   * @example { tokens: [{ name: 'deploy', role: 'operator', hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }] }
   */
  readonly tokens?: readonly ServerTokenDeclaration[]
  /**
   * An OpenID Connect provider. @default none
   * @example { oidc: { issuer: 'https://login.example', audience: 'warren', roles: { sre: 'admin' } } }
   */
  readonly oidc?: ServerOidcDeclaration
}

/** Which of RabbitMQ's accounts may do what. */
export interface ServerAccountsDeclaration {
  /**
   * The role that each tag of an account gives.
   * @example { roles: { administrator: 'admin', monitoring: 'viewer' } }
   */
  readonly roles: Readonly<Record<string, ServerRole>>
}

/** A token for a program. */
export interface ServerTokenDeclaration {
  /**
   * Whose token it is; written to the audit log.
   * @example { name: 'deploy' }
   */
  readonly name: string
  /**
   * What its holder may do.
   * @example { role: 'operator' }
   */
  readonly role: ServerRole
  /**
   * `sha256:` and the SHA-256 of the token in hexadecimal digits; the token itself is not stored.
   * @example { hash: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }
   */
  readonly hash: string
  /**
   * A date, or a time with its zone: `2030-01-31T18:00:00Z`. @default never
   * @example { expires: '2030-01-31' }
   */
  readonly expires?: string
}

/** An OpenID Connect provider. */
export interface ServerOidcDeclaration {
  /**
   * The provider, as its tokens name it in `iss`.
   * @example { issuer: 'https://login.example' }
   */
  readonly issuer: string
  /**
   * The audience that tokens of programs must have (`aud`).
   * @example { audience: 'warren' }
   */
  readonly audience: string
  /**
   * The role that each value of the claim gives.
   * @example { roles: { sre: 'admin', support: 'viewer' } }
   */
  readonly roles: Readonly<Record<string, ServerRole>>
  /**
   * Where the provider's keys are. @default what its discovery document says
   * @example { jwksUrl: 'https://login.example/keys' }
   */
  readonly jwksUrl?: string
  /**
   * The claim with the names of roles; `a.b` for one inside another. @default 'roles'
   * @example { claim: 'realm_access.roles' }
   */
  readonly claim?: string
  /**
   * The claim with the name for the audit log. @default 'sub'
   * @example { nameClaim: 'email' }
   */
  readonly nameClaim?: string
  /**
   * The name of this server at the provider. With it and `publicUrl`, browsers can log in there. @default programs only
   * @example { clientId: 'warren' }
   */
  readonly clientId?: string
  /**
   * The file with the client's secret, instead of the variable `WARREN_OIDC_CLIENT_SECRET`.
   * @example { clientSecretFile: '/run/secrets/oidc-client' }
   */
  readonly clientSecretFile?: string
  /**
   * How browsers reach this server, such as `https://warren.example`.
   * @example { publicUrl: 'https://warren.example' }
   */
  readonly publicUrl?: string
  /**
   * What to ask the provider for; `openid` must be among them. @default ['openid']
   * @example { scopes: ['openid', 'profile'] }
   */
  readonly scopes?: readonly string[]
}
