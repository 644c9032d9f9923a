export interface ManagementAccess {
  readonly managementUrl: string
  readonly username: string
  readonly password: string
}

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE'

/** A broker that has just lost a neighbour may take longer on a busy machine. */
const mostTries = 4

/** One request to the HTTP API of a broker under test. Gives the parsed answer; throws on any refusal. */
export async function callManagement<T = unknown>(
  access: ManagementAccess,
  method: Method,
  path: string,
  body?: unknown,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await callOnce<T>(access, method, path, body)
    } catch (error) {
      if (!isWorthAnotherTry(error, method) || tried === mostTries) throw error
    }
  }
}

/** What gives the same when it is done twice, and had no answer in time. */
function isWorthAnotherTry(error: unknown, method: Method): boolean {
  return method !== 'POST' && method !== 'DELETE' && (error as Error).name === 'TimeoutError'
}

async function callOnce<T>(
  access: ManagementAccess,
  method: Method,
  path: string,
  body: unknown,
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
