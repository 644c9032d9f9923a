import { type ReactNode, useId, useState } from 'react'
import { chooseTheme, readTheme, themes } from './theme.ts'

const words = { system: 'System', light: 'Light', dark: 'Dark' } as const

export function ThemeChoice(): ReactNode {
  const name = useId()
  const [chosen, setChosen] = useState(readTheme)
  return (
    <fieldset className="flex rounded-md border border-line p-0.5 text-xs">
      <legend className="sr-only">Theme</legend>
      {themes.map((theme) => (
        <label
          key={theme}
          className="flex-1 cursor-pointer rounded px-2 py-0.5 text-center text-quiet has-checked:bg-hover has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={theme}
            checked={chosen === theme}
            onChange={() => {
              chooseTheme(theme)
              setChosen(theme)
            }}
            className="sr-only"
          />
          {words[theme]}
        </label>
      ))}
    </fieldset>
  )
}
