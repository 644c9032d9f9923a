/**
 * The keys of messages that an address names, where no filter can. What is no key stays, so that the server refuses it:
 * without it the address would mean all messages.
 */
export function readKeys(keys: unknown): { readonly keys?: readonly string[] } {
  if (keys === undefined || keys === '') return {}
  return { keys: (Array.isArray(keys) ? keys : [keys]).map(String) }
}
