import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

/** Puts a text into the clipboard and says so. */
export function CopyButton({
  text,
  children,
}: {
  readonly text: string
  readonly children: ReactNode
}): ReactNode {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 2_000)
  }
  return (
    <Button onClick={() => void copy()} hint={text}>
      <span aria-live="polite">{isCopied ? 'Copied' : children}</span>
    </Button>
  )
}
