/** Where a request to the application's server goes: on to the application, to the console, or to its first page. */
export type RequestPlace =
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'first-page'; readonly location: string }
  | { readonly kind: 'console'; readonly url: string }

export function placeRequest(url: string, path: string): RequestPlace {
  if (!url.startsWith(path)) return { kind: 'elsewhere' }
  const rest = url.slice(path.length)
  if (rest.startsWith('/') && rest !== '/') return { kind: 'console', url: rest }
  if (/^\/?($|\?)/.test(rest)) return { kind: 'first-page', location: `${path}/console/` }
  return { kind: 'elsewhere' }
}
