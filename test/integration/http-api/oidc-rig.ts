import type { LightMyRequestResponse } from 'fastify'
import { onTestFinished } from 'vitest'
import { type ApiRig, type RigOptions, setUpApi } from './api-rig.ts'
import { clientId, type ProviderSettings, startOidcProvider, type TestProvider } from './oidc-provider.ts'

export interface LoginRig extends ApiRig {
  readonly provider: TestProvider
  /** Somebody with a browser of their own. */
  openBrowser(): Browser
}

/** Keeps cookies as a browser does, and goes where it is sent. */
export interface Browser {
  readonly cookies: Map<string, string>
  /** Asks the server; `accept` and others as given. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
  /** Goes to the provider and logs in there; the path that it is sent back to. */
  logInThere(path?: string): Promise<string>
  /** Logs in from the first click to the last page. */
  logIn(path?: string): Promise<LightMyRequestResponse>
}

export const loginPath = '/api/v1/oidc/login'

export interface LoginRigOptions {
  readonly broker: Pick<RigOptions, 'url' | 'managementUrl'>
  readonly provider?: ProviderSettings
  /** Besides what every server has here. */
  readonly oidc?: Readonly<Record<string, unknown>>
  readonly rig?: Partial<RigOptions>
  /** The path that the server's proxy leaves. @default none */
  readonly path?: string
  /** @default those of every server */
  readonly limits?: Readonly<Record<string, unknown>>
}

/** A server that lets browsers log in at a provider of its own. */
export async function setUpLogin(options: LoginRigOptions): Promise<LoginRig> {
  const { broker, oidc, path, limits, rig: more } = options
  const provider = await startOidcProvider(options.provider)
  onTestFinished(() => provider.close())
  const section = {
    issuer: provider.issuer,
    audience: 'warren',
    clientId,
    publicUrl: 'https://warren.example',
    roles: { sre: 'operator', staff: 'viewer' },
    ...oidc,
  }
  const rig = await setUpApi({
    ...broker,
    ...more,
    server: { auth: { oidc: section }, ...(path && { path }), ...(limits && { limits }) },
  })
  return { ...rig, provider, openBrowser: () => openBrowser(rig) }
}

export function openBrowser({ app }: Pick<ApiRig, 'app'>): Browser {
  const cookies = new Map<string, string>()
  const get: Browser['get'] = (path, headers) => ask({ app, cookies, path, headers })
  const logInThere: Browser['logInThere'] = async (path = loginPath) => {
    const { headers } = await get(path)
    const there = await fetch(String(headers.location), { redirect: 'manual' })
    const { pathname, search } = new URL(there.headers.get('location')!)
    return `${pathname}${search}`
  }
  return { cookies, get, logInThere, logIn: async (path) => get(await logInThere(path)) }
}

interface Asked extends Pick<ApiRig, 'app'>, Pick<Browser, 'cookies'> {
  readonly path: string
  readonly headers: Readonly<Record<string, string>> | undefined
}

async function ask({ app, cookies, path, headers }: Asked): Promise<LightMyRequestResponse> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await app.inject({ url: path, headers: { ...(cookie && { cookie }), ...headers } })
  for (const { name, value } of answer.cookies) {
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
  return answer
}
