/** What a browser shows that comes back from its provider. */
export interface LoginPage {
  readonly title: string
  readonly sentence: string
  readonly link: { readonly url: string; readonly text: string }
  /** The browser goes there by itself. */
  readonly isLeaving: boolean
}

/**
 * A page without scripts. That it leads on, and not the answer itself, is what lets the browser send its new session
 * along: it keeps that from whatever another site has begun, and the provider is one.
 */
export function renderLoginPage({ title, sentence, link, isLeaving }: LoginPage): string {
  const address = escapeHtml(link.url)
  const leave = isLeaving ? `<meta http-equiv="refresh" content="0;url=${address}">` : ''
  const body = `<p>${escapeHtml(sentence)}</p><p><a href="${address}">${escapeHtml(link.text)}</a></p>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>${leave}</head><body>${body}</body></html>\n`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
}
