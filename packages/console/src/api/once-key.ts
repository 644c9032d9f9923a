/**
 * Names a deed, so that it is done once however often it is sent. By hand, since randomUUID is not there on a page that
 * came by plain HTTP.
 */
export function createOnceKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
