import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { KeyCap } from '../parts/key-cap.tsx'

const keys: readonly (readonly [string, string])[] = [
  ['⌘K', 'Jump to a queue or a page (also Ctrl K)'],
  ['/', 'Search or filter'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['Enter', 'Open the row'],
  ['x', 'Select the message'],
  ['r', 'Re-drive what is selected, or all that match'],
  ['e', 'Edit the message'],
  ['u', 'One level up'],
  ['?', 'This list'],
]

export function HelpSheet({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}): ReactNode {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <div className="p-5">
        <h2 className="mb-3 text-base font-semibold">Keys</h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          {keys.map(([key, meaning]) => (
            <div key={key} className="contents">
              <dt className="justify-self-end">
                <KeyCap>{key}</KeyCap>
              </dt>
              <dd className="text-quiet">{meaning}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={onClose} className="mt-5 text-accent hover:underline">
          Close
        </button>
      </div>
    </Dialog>
  )
}
