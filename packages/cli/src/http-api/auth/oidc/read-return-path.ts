/** Where no page is. A link that logs somebody in must not make them ask for what they did not mean to. */
const notPages = ['/api/', '/admin/']
/** Of another vhost, whose name may hold anything, so that only what is surely a page counts. */
const pageOfVhost = /^\/vhosts\/[^/]+\/(console|docs)(\/|$)/

/**
 * The address of a page of this server; undefined where a path leads anywhere else. It comes from a link that anybody
 * may have made, and is read as a browser would read it: `//host`, `/\host` and `/.//host` lead away or could.
 */
export function readReturnPath(path: string, publicUrl: string): string | undefined {
  if (!path.startsWith('/') || !URL.canParse(path, publicUrl)) return undefined
  const url = new URL(path, publicUrl)
  const server = new URL(publicUrl)
  if (url.origin !== server.origin || url.pathname.startsWith('//') || url.username !== '') return undefined
  const place = decodePath(url.pathname)
  const before = server.pathname.replace(/\/$/, '')
  if (place === undefined || !`${place}/`.startsWith(`${before}/`)) return undefined
  if (notPages.some((each) => `${place}/`.startsWith(`${before}${each}`))) return undefined
  const isOfVhost = place.startsWith(`${before}/vhosts/`)
  return isOfVhost && !pageOfVhost.test(url.pathname.slice(before.length)) ? undefined : url.href
}

function decodePath(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
