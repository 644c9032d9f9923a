import { spawn } from 'node:child_process'

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the browser of whoever sits here. Where there is none nothing happens: the address is printed, too. */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): void {
  const [program = 'xdg-open', ...words] = openers[platform] ?? []
  const opener = spawn(program, [...words, url], { detached: true, stdio: 'ignore' })
  opener.once('error', () => {})
  opener.unref()
}
