import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readServerSection } from '../../read-server-section.ts'

const programs = { issuer: 'https://id.example', audience: 'warren', roles: { sre: 'operator' } }
const browsers = { ...programs, clientId: 'warren-console', publicUrl: 'https://warren.example' }

function read(oidc: object, env: Record<string, string> = {}) {
  return readServerSection({ auth: { oidc } }, env).oidc?.browser
}

function writeSecret(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'warren-oidc-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'secret')
  writeFileSync(file, text)
  return file
}

describe('server.auth.oidc', () => {
  it('is for programs only where it names no client', () => {
    expect(read(programs)).toBeUndefined()
  })

  it('lets browsers log in as a public client of the provider', () => {
    expect(read(browsers)).toEqual({
      clientId: 'warren-console',
      clientSecret: undefined,
      publicUrl: 'https://warren.example',
      scopes: ['openid'],
    })
  })

  it.each([
    ['https://warren.example/', 'https://warren.example'],
    ['https://Warren.Example:8443', 'https://warren.example:8443'],
    ['http://localhost:15680', 'http://localhost:15680'],
    ['http://[::1]:15680/', 'http://[::1]:15680'],
  ])('reads the public URL %s as %s', (publicUrl, origin) => {
    expect(read({ ...browsers, publicUrl })?.publicUrl).toBe(origin)
  })

  it('takes the secret from the environment, or from a file without its last line end', () => {
    const clientSecretFile = writeSecret('of a file\n')

    expect(read(browsers, { WARREN_OIDC_CLIENT_SECRET: 'of the environment' })?.clientSecret).toBe(
      'of the environment',
    )
    expect(read({ ...browsers, clientSecretFile })?.clientSecret).toBe('of a file')
  })

  it('refuses two secrets, an empty file and one that is not there, and tells none of them', () => {
    const [full, empty] = [writeSecret('hidden'), writeSecret('\n')]
    const refuse = (clientSecretFile: string, env = {}) =>
      expect(() => read({ ...browsers, clientSecretFile }, env))

    refuse(full, { WARREN_OIDC_CLIENT_SECRET: 'x' }).toThrow(
      'server.auth.oidc.clientSecretFile is set, and so is WARREN_OIDC_CLIENT_SECRET. Keep one of them.',
    )
    refuse(empty).toThrow(/clientSecretFile names .*, which is empty\. A public client needs no file\.$/)
    refuse(`${full}.missing`).toThrow(/clientSecretFile names .*, which cannot be read \(ENOENT\)\.$/)
  })

  it.each<[object, string]>([
    [
      { ...programs, clientId: 'x' },
      'server.auth.oidc.clientId is for browsers that log in at the provider, which also needs publicUrl. Add it, or remove clientId.',
    ],
    [
      { ...programs, publicUrl: 'https://warren.example' },
      'server.auth.oidc.publicUrl is for browsers that log in at the provider, which also needs clientId.',
    ],
    [{ ...programs, scopes: ['openid'] }, 'server.auth.oidc.scopes is for browsers'],
    [{ ...browsers, scopes: ['email'] }, 'server.auth.oidc.scopes has no "openid"'],
    [{ ...browsers, scopes: ['openid email'] }, 'server.auth.oidc.scopes.0 must match pattern'],
    [{ ...browsers, scopes: 'openid' }, 'server.auth.oidc.scopes must be a list.'],
    [
      { ...browsers, publicUrl: 'warren.example' },
      'server.auth.oidc.publicUrl is "warren.example"; it must be a scheme, a host, and at most a port and a path, such as https://warren.example or https://example.com/ops/warren.',
    ],
    [{ ...browsers, publicUrl: 'https://warren.example/?a=b' }, 'it must be a scheme, a host'],
    [
      { ...browsers, publicUrl: 'https://warren.example/a%2Fb' },
      'server.auth.oidc.publicUrl must be a path such as /ops/warren',
    ],
    [{ ...browsers, publicUrl: 'https://a:b@warren.example' }, 'it must be a scheme, a host'],
    [{ ...browsers, publicUrl: 'ftp://warren.example' }, 'it must be a scheme, a host'],
    [
      { ...browsers, publicUrl: 'http://warren.example' },
      'server.auth.oidc.publicUrl is http://warren.example. Over http:// anybody in between could log in as somebody else. Use https://, or a name of this machine.',
    ],
    [
      { ...browsers, issuer: 'http://id.example' },
      'server.auth.oidc.issuer is http://id.example. Browsers log in over https:// only, or over http:// on this machine.',
    ],
    [
      { ...browsers, clientID: 'x' },
      'server.auth.oidc.clientID is unknown; allowed: issuer, audience, roles, jwksUrl, claim, nameClaim, clientId, clientSecretFile, publicUrl, scopes; did you mean "clientId"?',
    ],
    [{ ...browsers, clientSecret: 'x' }, 'server.auth.oidc.clientSecret is unknown'],
  ])('refuses %j and says what to do', (oidc, problem) => {
    expect(() => read(oidc)).toThrow(problem)
  })
})
