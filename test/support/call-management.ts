export interface ManagementAccess {
  readonly managementUrl: string
  readonly username: string
  readonly password: string
}

/** One request to the HTTP API of a broker under test. Gives the parsed answer; throws on any refusal. */
export async function callManagement<T = unknown>(
  access: ManagementAccess,
  method: 'GET' | 'PUT' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const { managementUrl, username, password } = access
  const answer = await fetch(`${managementUrl}${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}
