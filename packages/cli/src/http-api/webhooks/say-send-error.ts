const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ETIMEDOUT: 'it did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'it did not answer in time',
  TimeoutError: 'it did not answer in time',
  AbortError: 'it did not answer in time',
}

/** Why a receiver could not be asked, in words. The message of a failed fetch names the address, which may be a secret. */
export function saySendError(error: unknown): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: string } }
  const code = cause?.code ?? name ?? 'unknown'
  const said =
    words[code] ?? (/CERT|TLS|SSL|SIGNED/.test(code) ? 'its certificate is refused' : 'it cannot be asked')
  return code === 'TypeError' ? said : `${said} (${code})`
}
