/**
 * The value of a cookie. Undefined where there is none, and where there are two of its name: one of them was put there
 * by somebody else, such as a page of a neighbouring host, and nothing tells which.
 */
export function soleCookie(header: string | undefined, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key = '', ...value] = pair.split('=')
    return key.trim() === name ? [value.join('=').trim()] : []
  })
  return values.length === 1 ? values[0] : undefined
}
