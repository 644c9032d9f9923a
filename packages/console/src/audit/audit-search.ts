/** Which records the address asks for. */
export interface AuditSearch {
  /** Who did it. */
  readonly by?: string
  /** What it was done to; usually a queue. */
  readonly target?: string
}

export function readAuditSearch({ by, target }: Readonly<Record<string, unknown>>): AuditSearch {
  return {
    ...(by !== undefined && by !== '' && { by: String(by) }),
    ...(target !== undefined && target !== '' && { target: String(target) }),
  }
}
