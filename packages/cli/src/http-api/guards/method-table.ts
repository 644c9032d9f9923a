/** The methods that an address takes; none where there is nothing. */
export interface MethodTable {
  /** @param pattern an address of the router, with `:name` for a part and `*` for the rest */
  add(pattern: string, methods: readonly string[]): void
  allowedAt(path: string): readonly string[]
}

export function createMethodTable(): MethodTable {
  const methodsOf = new Map<string, Set<string>>()
  return {
    add: (pattern, methods) => {
      const known = methodsOf.get(pattern) ?? new Set()
      for (const method of methods) known.add(method)
      methodsOf.set(pattern, known)
    },
    allowedAt: (path) => {
      const found = [...methodsOf].filter(([pattern]) => matches(pattern.split('/'), path.split('/')))
      return [...new Set(found.flatMap(([, methods]) => [...methods]))].toSorted()
    },
  }
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*'
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return false
  return pattern.every(
    (part, at) => part === '*' || part === path[at] || (part.startsWith(':') && path[at] !== ''),
  )
}
