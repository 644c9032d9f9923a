/**
 * The page for an address below `/console/`. Its parts are named from there, so it says how many steps up that is: the
 * server need not know under which path a proxy has put it.
 */
export function placePage(page: string, url: string): string {
  const path = url.split(/[?#]/)[0] ?? ''
  const below = path.slice(path.indexOf('/console/') + '/console/'.length)
  const base = '../'.repeat(below.split('/').length - 1) || './'
  return page.replace('<head>', `<head>\n    <base href="${base}" />`)
}
