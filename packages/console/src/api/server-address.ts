/** The path of the console, such as `/ops/warren/console/`: the page says in its <base> how far up that is. */
export const consolePath: string = new URL(document.baseURI).pathname

/** What stands before `/api`: the console may be anywhere, and its server is one step above it. */
export const serverAddress: string = new URL('..', document.baseURI).pathname.replace(/\/$/, '')
