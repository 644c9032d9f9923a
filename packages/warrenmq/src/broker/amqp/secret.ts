/** A value that only `reveal` shows. */
export interface Secret {
  /**
   * The value.
   * @example
   * ```ts
   * const password = secret.reveal()
   * ```
   */
  reveal(): string
}

/** Hides a secret from console.log, JSON, templates and inspection: there is no field to print. */
export function hideSecret(value: string): Secret {
  return {
    reveal: () => value,
    toString: () => '[secret]',
    toJSON: () => '[secret]',
  } as Secret
}
