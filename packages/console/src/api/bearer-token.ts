const place = 'warren-token'

/** The API token that somebody logged in with; it lives as long as the tab. Accounts have a cookie instead. */
export function readBearerToken(): string | null {
  return sessionStorage.getItem(place)
}

export function keepBearerToken(token: string): void {
  sessionStorage.setItem(place, token)
}

export function forgetBearerToken(): void {
  sessionStorage.removeItem(place)
}
